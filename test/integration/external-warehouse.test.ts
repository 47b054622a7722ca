import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { tokens as tokensSchema } from '#shared/wire/auth.ts'
import { warehouseRoles } from '#shared/wire/roles.ts'
import { exitCode, firstLine, type Invitation, spawnCli } from '#support/middleware-children.ts'
import { type Reply, send } from '#support/middleware-server.ts'
import { newOrder } from '#support/order-payloads.ts'
import { connectWarehouse } from '#support/warehouse-client.ts'

let folder: string
let children: ChildProcess[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'middleware-'))
  children = []
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

function cli(...args: string[]): ChildProcess {
  const child = spawnCli(...args)
  children.push(child)
  return child
}

/**
 * Runs a simulated warehouse (warehouse-child.ts) in another process, which must end without an error. Returns the id
 * of the location that the warehouse created, and its calls.
 */
async function runWarehouse(order: object): Promise<{ location: string; calls: string[] }> {
  const program = new URL('../support/warehouse-child.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  expect(await exitCode(child)).toBe(0)
  return z.object({ location: z.string(), calls: z.array(z.string()) }).parse(JSON.parse(said))
}

/**
 * Logs in with the address and the account that a middleware printed at its start. Returns a function that sends
 * requests for the customer of this account.
 */
async function clientOf(
  to: Invitation,
): Promise<(path: string, body?: unknown, method?: string) => Promise<Reply>> {
  const headers = { 'x-wms-code': to.wms }
  const { customer, username, password } = to
  const login = await send(to.url, '/wms/auth/login/', {
    method: 'POST',
    headers,
    customer,
    body: { username, password },
  })
  const { token } = tokensSchema.parse(login.body)
  return (path, body, method = body === undefined ? 'GET' : 'POST') =>
    send(to.url, path, { method, headers, customer, token, ...(body !== undefined && { body }) })
}

const made = z.object({ id: z.string() })
const named = made.extend({ code: z.string() })

/** Returns the id of the created record. */
async function idOf(reply: Promise<Reply>): Promise<string> {
  const { status, body } = await reply
  expect([status, body]).toEqual([201, body])
  return made.parse(body).id
}

/** Returns the id of the record with this code. */
function coded({ body }: Reply, code: string | null): string {
  const found = z
    .array(named)
    .parse(body)
    .find((row) => row.code === code)
  return found?.id ?? ''
}

describe('a warehouse in another process', () => {
  it('can ship, receive, decide bookings, accept transfers, name locations and delete articles over HTTP', async () => {
    const invitation = await firstLine(cli('--data', folder, '--warehouse', 'external', '--sandbox'))
    const { others, url, wms } = invitation
    expect(others.warehouse).toEqual({ username: 'warehouse', password: 'warehouse' })
    const login = { url, wms, ...others.warehouse, disapproves: [], deletes: [] }
    const client = await clientOf(invitation)
    const article = (name: string, code: string): Promise<string> =>
      idOf(client('/wms/articles/', { name, variants: [{ article_code: code, name }] }))
    const stock = async (): Promise<unknown> => (await client('/wms/stock/?search=EXT-LANTERN')).body

    // The articles are new, so that no order of the demo reserves their stock.
    const lantern = await article('Lantern', 'EXT-LANTERN')
    const never = await article('Never sold', 'EXT-NEVER')
    const inbound = await idOf(
      client('/wms/inbounds/', {
        external_reference: 'EXT-PO',
        inbound_date: '2026-12-01',
        inbound_lines: [{ article_code: 'EXT-LANTERN', quantity: 10 }],
      }),
    )
    const { location } = await runWarehouse({ ...login, ids: [inbound], deletes: [never] })
    expect((await client(`/wms/inbounds/${inbound}/`)).body).toMatchObject({ status: 'completed' })
    expect(await stock()).toMatchObject([{ stock_physical: 10, stock_pickable: 10 }])
    expect((await client(`/wms/articles/${never}/`)).status).toBe(404)
    expect((await client(`/wms/articles/${lantern}/`)).status).toBe(200)

    const customers = await client('/wms/customers/')
    const methods = z.array(made).parse((await client('/wms/shippingmethods/')).body)
    const order = await idOf(
      client(
        '/wms/orders/',
        newOrder({
          shipping_method: methods[0]?.id,
          order_lines: [{ article_code: 'EXT-LANTERN', quantity: 3, description: 'Lantern' }],
        }),
      ),
    )
    const { variants } = z
      .object({ variants: z.array(made) })
      .parse((await client(`/wms/articles/${lantern}/`)).body)
    const modify = (quantity: number): Promise<string> =>
      idOf(
        client('/wms/modifications/', {
          reason: 'DEFECTIVE',
          note: 'Broken glass',
          modification_lines: [{ variant: variants[0]?.id, location, quantity }],
        }),
      )
    const [approved, disapproved] = [await modify(-2), await modify(-5)]
    const transfer = await idOf(
      client('/wms/customer-to-customer-transfers/', {
        customer: coded(customers, invitation.customer),
        to_customer: coded(customers, others.customer),
        external_reference: 'EXT-TR',
        customer_to_customer_transfer_lines: [{ article_code: 'EXT-LANTERN', quantity: 1 }],
      }),
    )
    const request = `/wms/customer-to-customer-transfers/${transfer}/request`
    expect((await client(request, {}, 'PUT')).status).toBe(200)
    const { calls } = await runWarehouse({
      ...login,
      ids: [order, approved, disapproved, transfer],
      disapproves: [disapproved],
    })

    expect((await client(`/wms/orders/${order}/`)).body).toMatchObject({ status: 'shipped' })
    const shipments = await client('/wms/shipments/?order_external_reference=SHOP-1001', undefined, 'GET')
    expect(shipments.body).toHaveLength(1)
    for (const [id, status] of [
      [approved, 'approved'],
      [disapproved, 'disapproved'],
    ])
      expect((await client(`/wms/modifications/${id}/`)).body).toMatchObject({ status })
    expect((await client(`/wms/customer-to-customer-transfers/${transfer}/`)).body).toMatchObject({
      status: 'accepted',
    })
    expect(await stock()).toMatchObject([{ stock_physical: 10 - 3 - 2 - 1 }])
    expect(calls).toContain('POST transfers/:id/accept')
  })

  it('has in a new empty database a user with a generated password, which the server prints once', async () => {
    const own = ['--data', folder, '--seed', 'empty', '--warehouse', 'external']
    const first = cli(...own)
    const { others, url, wms } = await firstLine(first)
    const { username, password } = z
      .object({ username: z.literal('warehouse'), password: z.string().min(16) })
      .parse(others.warehouse)
    await connectWarehouse({ url, wms, username, password })
    first.kill('SIGTERM')
    await exitCode(first)
    const again = await firstLine(cli(...own))
    expect(again.others.warehouse).toEqual({ username, password: null })
    await connectWarehouse({ url: again.url, wms, username, password })
    expect((await firstLine(cli())).others.warehouse).toBeNull()
  })
})

describe('a user of the warehouse', () => {
  const own = ['--seed', 'empty', '--warehouse', 'external', '--data']
  const added = z.object({ username: z.string(), password: z.string().min(16), roles: z.array(z.string()) })

  async function add(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
    const child = cli('--add-warehouse-user', ...args)
    const said = { out: '', err: '' }
    child.stdout?.on('data', (chunk: Buffer) => (said.out += chunk.toString()))
    child.stderr?.on('data', (chunk: Buffer) => (said.err += chunk.toString()))
    return { code: await exitCode(child), ...said }
  }

  /** Starts a server on the folder and stops it, so that the folder contains a database. */
  async function seeded(): Promise<void> {
    const child = cli(...own, folder)
    await firstLine(child)
    child.kill('SIGTERM')
    await exitCode(child)
  }

  it('is added with chosen roles and may make only the calls of these roles', async () => {
    await seeded()
    const { code, out } = await add('picker', '--data', folder, '--roles', 'read, orders')
    expect(code).toBe(0)
    const user = added.parse(JSON.parse(out))
    expect(user).toMatchObject({
      username: 'picker',
      roles: ['ROLE_WAREHOUSE_READ', 'ROLE_WAREHOUSE_ORDERS'],
    })
    const { url, wms, others } = await firstLine(cli(...own, folder))
    // The server prints the name of the first user, but cannot print the password, because it stores only a hash.
    expect(others.warehouse).toEqual({ username: 'picker', password: null })
    const picker = await connectWarehouse({ url, wms, username: user.username, password: user.password })
    expect((await picker.read('/warehouse/work/')).status).toBe(200)
    const body = { code: 'A-01', pickable: true }
    const refused = await picker.command('/warehouse/locations/', { method: 'PUT', body })
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      403,
      expect.stringContaining('ROLE_WAREHOUSE_STOCK') as unknown,
    ])
  })

  it('has every role by default, and prevents a later start of the server from creating another user of the warehouse', async () => {
    const first = cli('--seed', 'empty', '--data', folder)
    await firstLine(first)
    first.kill('SIGTERM')
    await exitCode(first)
    const user = added.parse(JSON.parse((await add('wms', '--data', folder)).out))
    expect(user.roles).toHaveLength(warehouseRoles.length)
    expect((await firstLine(cli(...own, folder))).others.warehouse).toEqual({
      username: 'wms',
      password: null,
    })
  })

  it('is not added if an argument is not valid, and the program explains this in one sentence', async () => {
    const nothing = await add('picker', '--data', folder)
    expect([nothing.code, nothing.err]).toEqual([
      1,
      expect.stringContaining('holds no database yet') as unknown,
    ])
    await seeded()
    for (const [args, reason] of [
      [['picker'], 'needs --data'],
      [['', '--data', folder], 'needs a name'],
      [['picker', '--data', folder, '--roles', 'ORDERS,SHIPPING'], '--roles are some of READ, ORDERS'],
      [['picker', '--data', folder, '--roles', ''], '--roles are some of'],
      [['admin', '--data', folder], 'The user admin already exists.'],
    ] as const) {
      const { code, out, err } = await add(...args)
      expect([args, code, out, err]).toEqual([args, 1, '', expect.stringMatching(/^[^\n]+\.\n$/) as unknown])
      expect(err).toContain(reason)
    }
    await firstLine(cli(...own, folder))
    expect((await add('picker', '--data', folder)).err).toContain('is in use by another middleware')
    // The test starts nine processes in turn. On a busy machine each start takes seconds.
  }, 120_000)
})

describe('the simulated warehouse', () => {
  it('works at regular intervals in a demo, unless --warehouse manual turns it off', async () => {
    const list = '/wms/modifications/?status=created&limit=1000'
    const demo = await clientOf(await firstLine(cli('--pace', '0.05')))
    while (z.array(made).parse((await demo(list)).body).length > 0) await sleep(50)
    const still = await clientOf(await firstLine(cli('--pace', '0.05', '--warehouse', 'manual')))
    expect(z.array(made).parse((await still(list)).body).length).toBeGreaterThan(0)
  })

  it('lets its process end cleanly on SIGTERM, both during a step and between two steps', async () => {
    for (const pace of ['0.001', '1000']) {
      const child = cli('--data', folder, '--pace', pace)
      await firstLine(child)
      child.kill('SIGTERM')
      expect(await exitCode(child)).toBe(0)
    }
  })
})
