import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { createLogger } from '#kit/logger.ts'
import { type Coordination, type Lease, LeaseLost, type News } from '#middleware/data/engine/coordination.ts'
import {
  commitInOrder,
  type Database,
  inTransaction,
  isStorageFailure,
  openDatabase,
} from '#middleware/data/engine/database.ts'
import { openCoordination } from '#middleware/data/engine/open-coordination.ts'
import { insertWork, workAfter } from '#middleware/data/warehouse-work.ts'
import type { MiddlewareOptions } from '#middleware/app.ts'
import { carrierFor } from '#middleware/warehouse/carriers/carriers.ts'
import { seed } from '#support/counts.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { randomFrom } from '#support/random.ts'
import { smallIds } from '#support/small-world.ts'
import { freshUrl, isOnPostgres } from '#support/test-database.ts'
import { accept, readSigned } from '#support/webhook-receiver.ts'
import { hashSecret, WebhookSite } from '#support/webhook-site.ts'

/** Several servers in this process on one PostgreSQL database behave like servers in several processes. */

const silent = createLogger('test', { level: 'silent' })
const leaseMs = 1_500
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function coordinate(url: string, lifetimeMs = leaseMs, logger = silent): Promise<Coordination> {
  const coordination = await openCoordination(
    { databaseFile: '', databaseUrl: url },
    { leaseMs: lifetimeMs, logger },
  )
  ends.push(() => coordination.stop())
  return coordination
}

async function open(url: string): Promise<Database> {
  const database = await openDatabase({ databaseFile: '', databaseUrl: url }, silent)
  ends.push(() => database.destroy())
  return database
}

async function serve(url: string, options: Partial<MiddlewareOptions> = {}): Promise<TestServer> {
  const server = await startTestServer({ databaseUrl: url, leaseMs, ...options })
  ends.push(() => server.close())
  return server
}

/** Ends a lease at once, as if its process had been suspended for the lifetime of the lease. */
async function endLease(database: Database, name: string): Promise<void> {
  const past = sql<string>`now() - interval '1 second'`
  await database.updateTable('leases').set({ expires_at: past }).where('name', '=', name).execute()
}

/** Forwards connections to the database. After a call of `cut`, forwards no data and accepts no connection. */
async function proxyOf(url: string): Promise<{ url: string; cut: () => void }> {
  const target = new URL(url)
  const to = { host: target.hostname, port: Number(target.port) }
  const sockets = new Set<Socket>()
  const proxy = createServer((socket) => {
    const onward = connect(to)
    for (const each of [socket, onward]) {
      sockets.add(each)
      each.on('error', () => each.destroy())
      each.once('close', () => {
        socket.destroy()
        onward.destroy()
      })
    }
    socket.pipe(onward).pipe(socket)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const cut = (): void => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  }
  ends.push(cut)
  target.port = String((proxy.address() as AddressInfo).port)
  return { url: target.href, cut }
}

describe.skipIf(!isOnPostgres)('a lease of a PostgreSQL database', () => {
  it('is held by one process at a time, and passes to the waiting process when its holder releases it', async () => {
    const url = await freshUrl(ends)
    const [first, second] = [await coordinate(url), await coordinate(url)]
    const lease = await first.leases.take('work')
    expect(lease).not.toBeNull()
    expect(await second.leases.take('work')).toBeNull()
    expect(await first.leases.take('work')).toBeNull()
    expect(await second.leases.take('other work')).not.toBeNull()
    const waiting = second.leases.wait('work')
    await lease?.release()
    expect((await waiting)?.name).toBe('work')
    expect(await first.leases.take('work')).toBeNull()
  })

  it('is renewed while its process runs', async () => {
    const url = await freshUrl(ends)
    // The lifetime is long, because a third of it is also the time limit of a statement, and a statement may take more
    // than a second on a busy machine.
    const lifetimeMs = 6_000
    const [first, second] = [await coordinate(url, lifetimeMs), await coordinate(url, lifetimeMs)]
    const lease = await first.leases.take('work')
    await setTimeout(1.25 * lifetimeMs)
    expect(await second.leases.take('work')).toBeNull()
    expect(lease?.lost.aborted).toBe(false)
  })

  it('is lost by a process without a database connection, whose later transactions under the lease fail', async () => {
    const url = await freshUrl(ends)
    const proxy = await proxyOf(url)
    const [cutOff, other] = [await coordinate(proxy.url), await coordinate(url)]
    const heard: News[] = []
    other.listen((news) => heard.push(news))
    const database = await open(url)
    const lease = await cutOff.leases.take('work')
    if (lease === null) throw new Error('The lease was not taken')
    await inTransaction(database, (connection) => lease.confirm(connection))
    proxy.cut()
    expect((await other.leases.wait('work'))?.name).toBe('work')
    await expect.poll(() => lease.lost.aborted).toBe(true)
    const commit = inTransaction(database, (connection) => lease.confirm(connection))
    await expect(commit).rejects.toThrow(LeaseLost)
    expect(heard).toContainEqual({ topic: 'abandoned' })
  })

  it('cannot be taken by a second process during a transaction that confirms the lease', async () => {
    const url = await freshUrl(ends)
    const proxy = await proxyOf(url)
    const [cutOff, other] = [await coordinate(proxy.url), await coordinate(url)]
    const database = await open(url)
    const lease = await cutOff.leases.take('work')
    let isTaken = false
    const taken = other.leases.wait('work').then(() => (isTaken = true))
    await database.transaction().execute(async (connection) => {
      await lease?.confirm(connection)
      proxy.cut()
      await setTimeout(2 * leaseMs)
      expect(isTaken).toBe(false)
    })
    await taken
  })

  it('is reported as lost when its process, which got no notice that the lease had ended, takes a new lease of the same name', async () => {
    const url = await freshUrl(ends)
    const [coordination, database] = [await coordinate(url, 60_000), await open(url)]
    const take = async (): Promise<Lease> => {
      const lease = await coordination.leases.take('work')
      if (lease === null) throw new Error('The lease was not taken')
      return lease
    }
    const confirm = (lease: Lease) => inTransaction(database, (connection) => lease.confirm(connection))
    const ended = await take()
    await endLease(database, 'work')
    const taken = await take()
    expect([ended.lost.aborted, taken.lost.aborted]).toEqual([true, false])
    await expect(confirm(ended)).rejects.toThrow(LeaseLost)
    await ended.release()
    await confirm(taken)
  })

  it('is released when its process stops', async () => {
    const url = await freshUrl(ends)
    const [first, second] = [await coordinate(url), await coordinate(url)]
    await first.leases.take('work')
    const waiting = second.leases.wait('work')
    await first.stop()
    expect(await waiting).not.toBeNull()
  })

  it('is not left in the database by a renewal that is in progress when its process stops', async () => {
    const url = await freshUrl(ends)
    // A statement about leases times out after a third of the lifetime of a lease. The lifetime is so long that the
    // renewal, which waits until the table is no longer locked, does not time out.
    const lifetimeMs = 5000
    const [stopping, database] = [await coordinate(url, lifetimeMs), await open(url)]
    let stopped = Promise.resolve()
    await database.transaction().execute(async (connection) => {
      await sql`lock table leases in exclusive mode`.execute(connection)
      // During this wait the process begins to renew its lease. The renewal waits for the lock on the table.
      await setTimeout(0.4 * lifetimeMs)
      stopped = stopping.stop()
    })
    await stopped
    // Waits, because a statement of the renewal of the lease may still run.
    await setTimeout(200)
    expect(await database.selectFrom('leases').select('name').execute()).toEqual([])
  })
})

describe.skipIf(!isOnPostgres)('the database connection for leases and messages between processes', () => {
  /** Connects to the database without the options that the middleware sets for its own connections. */
  async function connectBeside(url: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    ends.push(() => client.end())
    return client
  }

  const isOfMiddleware = `datname = current_database() and application_name = 'scandesk'`

  async function countConnections(beside: pg.Client): Promise<number | null> {
    return (await beside.query(`select from pg_stat_activity where ${isOfMiddleware}`)).rowCount
  }

  const hideLeases = ['alter table leases rename to hidden', 'alter table hidden rename to leases'] as const
  const lockLeases = ['begin; lock table leases in access exclusive mode', 'commit'] as const

  it.each([
    ['refuses', ...hideLeases],
    ['does not respond to', ...lockLeases],
  ])(
    'is reopened only once, and then receives messages again, after a fault in which the database server %s the first statements of a new connection',
    async (_, disturb, restore) => {
      const url = await freshUrl(ends)
      const beside = await connectBeside(url)
      const failures: string[] = []
      const destination = {
        write: (line: string) => void (line.includes('cannot be opened') && failures.push(line)),
      }
      const coordination = await coordinate(
        url,
        leaseMs,
        createLogger('test', { level: 'warn', destination }),
      )
      const heard: News[] = []
      coordination.listen((news) => heard.push(news))
      expect(await countConnections(beside)).toBe(1)
      await beside.query(disturb)
      await beside.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${isOfMiddleware}`)
      await expect.poll(() => failures.length).toBeGreaterThan(1)
      // a connection whose first statements were refused is closed, so no connection is open in the pause before the
      // next attempt
      if (disturb === hideLeases[0]) await expect.poll(() => countConnections(beside)).toBe(0)
      await beside.query(restore)
      await expect.poll(() => coordination.leases.take('work').catch(() => null)).not.toBeNull()
      // Waits long enough for a second, superfluous reconnection. Such a reconnection would have opened another
      // connection by then.
      await setTimeout(1000)
      await expect.poll(() => countConnections(beside)).toBe(1)
      // the process may have missed messages of other processes while it was disconnected, so it must check for work
      // that another process has not finished
      expect(heard).toContainEqual({ topic: 'abandoned' })
      const other = await coordinate(url)
      other.announce({ topic: 'removed', webhookId: 'first' })
      other.announce({ topic: 'removed', webhookId: 'last' })
      await expect.poll(() => heard).toContainEqual({ topic: 'removed', webhookId: 'last' })
      expect(heard.filter(({ topic }) => topic === 'removed')).toHaveLength(2)
    },
  )

  it('makes the start of a process fail, and is not opened again, if its first statements fail during this start', async () => {
    const url = await freshUrl(ends)
    const beside = await connectBeside(url)
    await beside.query(lockLeases[0])
    await expect(coordinate(url)).rejects.toSatisfy(isStorageFailure)
    await beside.query(lockLeases[1])
    // Waits long enough for a reconnection, which must not happen. A reconnection would have opened a connection by
    // then.
    await setTimeout(600)
    expect(await countConnections(beside)).toBe(0)
  })
})

describe.skipIf(!isOnPostgres)('a reader of rows that transactions with commitInOrder() insert', () => {
  it('misses no row although it always continues after the highest row number that it has read', async () => {
    const url = await freshUrl(ends)
    const [writer, reader] = [await open(url), await open(url)]
    const server = await serve(url)
    await server.call('/wms/customers/')
    const random = randomFrom(seed)
    const written = 60
    const write = async (at: number): Promise<void> => {
      await setTimeout(random() * 200)
      const pauseMs = random() * 20
      await inTransaction(writer, async (connection) => {
        await commitInOrder(connection)
        const created_at = '2026-06-01T12:00:00.000Z'
        await insertWork(connection, {
          kind: 'order',
          customer_id: smallIds.alder,
          entity_id: String(at),
          created_at,
        })
        await setTimeout(pauseMs)
      })
    }
    const found = new Set<string>()
    let cursor = 0
    const ended = new AbortController()
    const all = Promise.all(Array.from({ length: written }, (_, at) => write(at))).then(() => {
      ended.abort()
    })
    const read = async (): Promise<void> => {
      for (const row of await workAfter(reader, cursor, 100)) {
        if (row.created_at === '2026-06-01T12:00:00.000Z') found.add(row.entity_id)
        cursor = row.sequence
      }
    }
    while (!ended.signal.aborted) await read()
    await read()
    await all
    expect(found.size).toBeGreaterThanOrEqual(written)
  })
})

describe.skipIf(!isOnPostgres)('several processes of the middleware', () => {
  it('start together on an empty database, and only one of them fills it', async () => {
    const url = await freshUrl(ends)
    let seeded = 0
    // The lifetime of a lease is long, because a third of it is the time limit of a query, and queries are slow while
    // five servers start in this process.
    const options = { leaseMs: 10_000, onSeeded: () => (seeded += 1) }
    const servers = await Promise.all(Array.from({ length: 5 }, () => serve(url, options)))
    expect(seeded).toBe(1)
    for (const server of servers) expect((await server.call('/wms/orders/')).status).toBe(200)
  })

  it('accept the tokens of each other, and accept a refresh token only once', async () => {
    const url = await freshUrl(ends)
    const servers = [await serve(url), await serve(url), await serve(url)]
    const body = { username: 'everything', password: 'everything-secret-word' }
    const first = servers[0]
    const login = await first?.call('/wms/auth/login/', { method: 'POST', body, token: null })
    const { token, refresh_token } = login?.body as { token: string; refresh_token: string }
    for (const server of servers) expect((await server.call('/wms/orders/', { token })).status).toBe(200)
    const refreshes = await Promise.all(
      servers.map((server) =>
        server.call('/wms/auth/refresh/', {
          method: 'POST',
          body: { refresh_token },
          token: null,
        }),
      ),
    )
    expect(refreshes.map(({ status }) => status).toSorted()).toEqual([200, 401, 401])
  })

  it('share the count of refused logins of a user, and together limit guesses of the password', async () => {
    const url = await freshUrl(ends)
    const options = { sandbox: false }
    const servers = [await serve(url, options), await serve(url, options)]
    const guess = (at: number): Promise<number | undefined> =>
      (servers[at % 2] as TestServer)
        .call('/wms/auth/login/', {
          method: 'POST',
          body: { username: 'everything', password: 'a guess' },
          token: null,
        })
        .then(({ status }) => status)
    const statuses = []
    for (let at = 0; at < 12; at += 1) statuses.push(await guess(at))
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429])
  })

  it('request a label from the carrier only once if clients of two processes request the label', async () => {
    const url = await freshUrl(ends)
    let drawn = 0
    const isAsked = Promise.withResolvers<undefined>()
    const mayAnswer = Promise.withResolvers<undefined>()
    const slowCarrier: MiddlewareOptions['carrierFor'] = (key) => ({
      drawReturnLabel: async (request) => {
        drawn += 1
        isAsked.resolve(undefined)
        await mayAnswer.promise
        return carrierFor(key).drawReturnLabel(request)
      },
    })
    const servers = [
      // The lifetime of the lease is so long that the lease does not end during the request, even on a busy machine.
      await serve(url, { carrierFor: slowCarrier, leaseMs: 10_000 }),
      await serve(url, { carrierFor: slowCarrier, leaseMs: 10_000 }),
    ]
    const path = await newLabel(servers[0] as TestServer)
    const first = servers[0]?.call(`${path}request`, { method: 'POST' })
    await isAsked.promise
    const second = servers[1]?.call(`${path}request`, { method: 'POST' })
    mayAnswer.resolve(undefined)
    expect([(await first)?.status, (await second)?.status]).toEqual([200, 200])
    expect(drawn).toBe(1)
  })

  it('request a label again if the process that requested it has died and the lease of this process has ended', async () => {
    const url = await freshUrl(ends)
    const proxy = await proxyOf(url)
    const isAsked = Promise.withResolvers<undefined>()
    const dying = await startTestServer({
      databaseUrl: proxy.url,
      leaseMs,
      carrierTimeoutMs: 2000,
      carrierFor: () => ({
        drawReturnLabel: () => {
          isAsked.resolve(undefined)
          return new Promise(() => undefined)
        },
      }),
    })
    const other = await serve(url)
    const path = await newLabel(other)
    const lost = dying.call(`${path}request`, { method: 'POST' }).catch(() => null)
    await isAsked.promise
    proxy.cut()
    await expect.poll(async () => (await other.call(`${path}request`, { method: 'POST' })).status).toBe(200)
    await lost
    await dying.close().catch(() => null)
  })

  it('keep the file of an export if a second process tries to begin the export after its completion', async () => {
    const url = await freshUrl(ends)
    const [found, mayTake, released] = Array.from({ length: 3 }, () => Promise.withResolvers<undefined>())
    const late = await serve(url, {
      exportDelayMs: 0,
      leasesBy: (leases) => ({
        ...leases,
        take: async (name) => {
          if (!name.startsWith('exports of')) return leases.take(name)
          found?.resolve(undefined)
          await mayTake?.promise
          const lease = await leases.take(name)
          const release = async (): Promise<void> => {
            await lease?.release()
            released?.resolve(undefined)
          }
          return lease === null ? null : { ...lease, release }
        },
      }),
    })
    const body = { type: 'orders', fields: ['reference'] }
    const made = await late.call('/wms/exports/', { method: 'POST', body })
    const path = `/wms/exports/${(made.body as { id: string }).id}/`
    await found?.promise
    const other = await serve(url, { exportDelayMs: 0 })
    await expect.poll(async () => (await other.call(path)).body).toMatchObject({ ready: true })
    mayTake?.resolve(undefined)
    await released?.promise
    const { status, body: file } = await other.call(`${path}download/`)
    expect(status).toBe(200)
    expect(file).toContain('reference\r\nORD')
  })

  it('keep the file of an export if a suspended process continues this export after another process completed it', async () => {
    const url = await freshUrl(ends)
    const database = await open(url)
    const isBegun = async (): Promise<boolean> =>
      (await database.selectFrom('exports').where('status', '=', 'processing').select('id').execute())
        .length > 0
    const suspended = Promise.withResolvers<Lease>()
    const mayContinue = Promise.withResolvers<undefined>()
    const released = Promise.withResolvers<undefined>()
    let isSuspended = false
    const refusals: unknown[] = []
    const late = await serve(url, {
      exportDelayMs: 0,
      // The lifetime of the lease is so long that the suspended process does not try to renew the lease during the
      // test. So this process does not notice that the test ends the lease.
      leaseMs: 60_000,
      leasesBy: (leases) => ({
        ...leases,
        take: async (name) => {
          const isExport = name.startsWith('exports of')
          // after its suspension, the first process gets no further lease for exports
          const lease = isExport && isSuspended ? null : await leases.take(name)
          if (lease === null || !isExport) return lease
          return {
            ...lease,
            confirm: async (connection) => {
              if (!isSuspended && (await isBegun())) {
                isSuspended = true
                suspended.resolve(lease)
                await mayContinue.promise
              }
              await lease.confirm(connection).catch((error: unknown) => {
                refusals.push(error)
                throw error
              })
            },
            release: async () => {
              await lease.release()
              released.resolve(undefined)
            },
          }
        },
      }),
    })
    const body = { type: 'orders', fields: ['reference'] }
    const made = await late.call('/wms/exports/', { method: 'POST', body })
    const path = `/wms/exports/${(made.body as { id: string }).id}/`
    const lease = await suspended.promise
    await endLease(database, lease.name)
    const other = await serve(url, { exportDelayMs: 0 })
    await expect.poll(async () => (await other.call(path)).body).toMatchObject({ ready: true })
    expect(lease.lost.aborted).toBe(false)
    mayContinue.resolve(undefined)
    await released.promise
    expect(refusals).toEqual([expect.any(LeaseLost)])
    const { status, body: file } = await other.call(`${path}download/`)
    expect(status).toBe(200)
    expect(file).toContain('reference\r\nORD')
  })

  it('run the simulated warehouse in only one process, and in a second process after the first process has stopped', async () => {
    const url = await freshUrl(ends)
    const options = { warehouse: 'auto', paceMs: 20 } as const
    const steps = (server: TestServer): number =>
      server.logLines.filter((line) => line.includes('completed a step')).length
    const first = await startTestServer({ databaseUrl: url, leaseMs, ...options })
    await expect.poll(() => steps(first)).toBeGreaterThan(0)
    const second = await serve(url, options)
    const before = steps(first)
    await expect.poll(() => steps(first)).toBeGreaterThan(before + 3)
    expect(steps(second)).toBe(0)
    await first.close()
    await expect.poll(() => steps(second)).toBeGreaterThan(0)
  })
})

/** Creates a return label and returns its path. */
async function newLabel(server: TestServer): Promise<string> {
  const { body } = await server.call('/wms/shipments/')
  const [shipment] = body as { id: string }[]
  const made = await server.call(`/wms/return-labels/`, {
    method: 'POST',
    body: { shipment_id: shipment?.id },
  })
  return `/wms/return-labels/${(made.body as { id: string }).id}/`
}

describe.skipIf(!isOnPostgres)('the webhooks of several processes', () => {
  it('send one notification of each change, in the order of the changes, if the processes make the changes alternately', async () => {
    const site = await WebhookSite.open({ leaseMs })
    ends.push(() => site.close())
    const receiver = await site.listen(accept)
    const webhook = await site.subscribe(receiver.url(), 'order', 'updated')
    const other = await site.beside({ leaseMs })
    ends.push(() => other.close())
    const order = await site.makeOrder()
    for (let change = 0; change < 20; change += 1) {
      const body = { customer_note: `change ${change}` }
      const server = change % 2 === 0 ? other : site.server
      expect((await server.call(`/wms/orders/${order}/`, { method: 'PATCH', body })).status).toBe(200)
    }
    await site.settled(webhook, 'delivered', 20)
    const notes = receiver.received.map((each) => readSigned(each, hashSecret).body?.['customer_note'])
    expect(notes).toEqual(Array.from({ length: 20 }, (_, change) => `change ${change}`))
  })
})
