import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createLogger } from '#kit/logger.ts'
import { codeOf } from '#middleware/data/engine/conflicts.ts'
import { inTransaction, isStorageFailure, openDatabase } from '#middleware/data/engine/database.ts'
import { openCoordination } from '#middleware/data/engine/open-coordination.ts'
import { readingAtMost } from '#middleware/data/engine/reading-limit.ts'
import { usualConnectionLimits } from '#middleware/plugins/connections.ts'
import { waitUntil } from '#support/child-program.ts'
import { exitCode, firstLine, spawnCli } from '#support/middleware-children.ts'
import { startTestServer } from '#support/middleware-server.ts'
import { TcpProxy } from '#support/tcp-proxy.ts'
import { freshUrl, isOnPostgres } from '#support/test-database.ts'

const silent = createLogger('test', { level: 'silent' })
/**
 * Milliseconds without data after which a connection to PostgreSQL counts as silent. The time is long enough for each
 * statement of these tests on a busy machine.
 */
const silentMs = 2000
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Creates a database behind a proxy that can stop forwarding. `directUrl`: the URL of the database itself. */
async function behindProxy(): Promise<{ databaseUrl: string; directUrl: string; proxy: TcpProxy }> {
  const directUrl = await freshUrl(ends)
  const url = new URL(directUrl)
  const proxy = await TcpProxy.start([Number(url.port)])
  ends.push(() => proxy.stop())
  url.port = String(proxy.port)
  return { databaseUrl: url.href, directUrl, proxy }
}

describe.skipIf(!isOnPostgres)('connections to PostgreSQL that become silent', () => {
  it('are closed, so that the statements on them fail and later statements succeed', async () => {
    const { databaseUrl, proxy } = await behindProxy()
    const database = await openDatabase({ databaseFile: '', databaseUrl }, silent, { silentMs })
    ends.push(() => database.destroy())
    ends.push(() => proxy.cut())
    const count = (): Promise<unknown> => database.selectFrom('customers').select('id').execute()
    await Promise.all(Array.from({ length: 3 }, () => sql`select pg_sleep(0.1)`.execute(database)))
    proxy.silence()
    const failures = await Promise.allSettled([
      count(),
      readingAtMost(1000, count),
      inTransaction(database, (transaction) => sql`select 1`.execute(transaction)),
    ])
    expect(failures.map((each) => each.status === 'rejected' && isStorageFailure(each.reason))).toEqual([
      true,
      true,
      true,
    ])
    expect(await count()).toEqual([])
  })

  it('cause the response 503 with Retry-After for the calls that use these connections, and later calls succeed', async () => {
    const { databaseUrl, proxy } = await behindProxy()
    const server = await startTestServer({ databaseUrl, databaseLimits: { silentMs } })
    ends.push(() => server.close())
    ends.push(() => proxy.cut())
    const token = await server.logIn()
    expect((await server.call('/wms/orders/', { token })).status).toBe(200)
    proxy.silence()
    const failed = await server.call('/wms/orders/', { token })
    expect(failed.status).toBe(503)
    expect(Number(failed.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await server.call('/wms/orders/', { token })).status).toBe(200)
  })

  it('do not delay the stop of the server longer than its limit, also if a call waits for them', async () => {
    const { databaseUrl, directUrl, proxy } = await behindProxy()
    const server = await startTestServer({
      databaseUrl,
      databaseStopMs: 200,
      connectionLimits: { ...usualConnectionLimits, stopMs: 200 },
    })
    const token = await server.logIn()
    const holder = new pg.Client({ connectionString: directUrl })
    await holder.connect()
    ends.push(() => holder.end())
    await holder.query('begin; lock table orders in access exclusive mode')
    const call = server.call('/wms/orders/', { token }).catch((error: unknown) => error)
    const waits =
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    const isWaiting = async (): Promise<boolean> => (await holder.query(waits)).rowCount !== 0
    await waitUntil(isWaiting, 'a statement of the call')
    proxy.silence({ forNew: true })
    await server.close()
    expect(await call).toBeInstanceOf(Error)
  })

  it('do not keep the process of the server running after SIGTERM', async () => {
    const { databaseUrl, proxy } = await behindProxy()
    const child = spawnCli('--database', databaseUrl)
    ends.push(() => child.kill('SIGKILL'))
    await firstLine(child)
    proxy.silence({ forNew: true })
    child.kill('SIGTERM')
    expect(await exitCode(child)).toBe(0)
  })
})

describe.skipIf(!isOnPostgres)('connections to a PostgreSQL database that only reads', () => {
  it('are closed when a statement fails, so that later statements succeed as soon as the database can be written', async () => {
    const databaseUrl = await freshUrl(ends)
    const name = new URL(databaseUrl).pathname.slice(1)
    const admin = new pg.Client({ connectionString: databaseUrl })
    await admin.connect()
    ends.push(() => admin.end())
    // applies to the connections that are opened from now on
    await admin.query(`alter database ${name} set default_transaction_read_only = on`)
    const database = await openDatabase({ databaseFile: '', databaseUrl }, silent)
    ends.push(() => database.destroy())
    const next = sql`select nextval('serial_order')`
    const writes = [
      () => sql`delete from webhooks`.execute(database),
      () => readingAtMost(1000, () => next.execute(database)),
      () => inTransaction(database, (transaction) => next.execute(transaction)),
      () => inTransaction(database, (transaction) => readingAtMost(1000, () => next.execute(transaction))),
    ]
    const failures = await Promise.allSettled(writes.map((write) => write()))
    expect(failures.map((each) => each.status === 'rejected' && codeOf(each.reason))).toEqual(
      writes.map(() => '25006'),
    )
    await admin.query(`alter database ${name} reset default_transaction_read_only`)
    // an idle connection would be closed only after ten seconds
    const later = await Promise.allSettled(writes.map((write) => write()))
    expect(later.map(({ status }) => status)).toEqual(writes.map(() => 'fulfilled'))
  })

  it('are also closed after the error of a standby for serializable transactions, which counts as a failure of the storage', async () => {
    const databaseUrl = await freshUrl(ends)
    const database = await openDatabase({ databaseFile: '', databaseUrl }, silent)
    ends.push(() => database.destroy())
    const session = async (): Promise<unknown> =>
      (await sql`select pg_backend_pid() as id`.execute(database)).rows[0]
    // PostgreSQL has the same code (feature_not_supported) for this statement
    const unsupported = sql`select count(*) from webhooks for update`
    for (const fail of [
      () => unsupported.execute(database),
      () => inTransaction(database, (transaction) => unsupported.execute(transaction)),
    ]) {
      const before = await session()
      const error = await fail().catch((reason: unknown) => reason)
      expect([codeOf(error), isStorageFailure(error)]).toEqual(['0A000', true])
      expect(await session()).not.toEqual(before)
    }
  })

  it('are also closed if they are for leases, so that later leases can be taken', async () => {
    const databaseUrl = await freshUrl(ends)
    const connecting = vi.spyOn(pg.Client.prototype, 'connect')
    ends.push(() => {
      connecting.mockRestore()
    })
    const coordination = await openCoordination(
      { databaseFile: '', databaseUrl },
      { leaseMs: 60_000, logger: silent },
    )
    ends.push(() => coordination.stop())
    const { leases } = coordination
    const [client] = connecting.mock.contexts as unknown as pg.Client[]
    await client?.query('set default_transaction_read_only = on')
    const error = await leases.take('of a test').catch((reason: unknown) => reason)
    expect(isStorageFailure(error)).toBe(true)
    await vi.waitFor(async () => expect(await leases.take('of a test')).not.toBeNull(), 10_000)
  })
})
