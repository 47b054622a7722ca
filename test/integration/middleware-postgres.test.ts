import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { createLogger } from '#kit/logger.ts'
import { TooLongAlone } from '#middleware/data/engine/conflicts.ts'
import {
  type Connection,
  type Database,
  inTransaction,
  isStorageFailure,
  isUniqueViolation,
  openDatabase,
} from '#middleware/data/engine/database.ts'
import { anyContains, readPage } from '#middleware/data/engine/listing.ts'
import { nextSerial } from '#middleware/data/engine/meta.ts'
import { readingAtMost, TooMuchToRead } from '#middleware/data/engine/reading-limit.ts'
import type { MiddlewareOptions } from '#middleware/app.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { newOrder } from '#support/order-payloads.ts'
import { TcpProxy } from '#support/tcp-proxy.ts'
import { freshUrl, isOnPostgres } from '#support/test-database.ts'

const silent = createLogger('test', { level: 'silent' })
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function open(url: string): Promise<Database> {
  const database = await openDatabase({ databaseFile: '', databaseUrl: url }, silent)
  ends.push(() => database.destroy())
  return database
}

/** Runs statements on a separate connection, and returns the rows of the last one. */
async function run(url: string, ...statements: string[]): Promise<object[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  let rows: object[] = []
  try {
    for (const statement of statements) rows = (await client.query<object>(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

/** Returns the columns and indexes of a database. */
async function schemaOf(url: string): Promise<object[][]> {
  const columns = `select table_name, column_name, data_type from information_schema.columns
    where table_schema = 'public' order by 1, 2`
  const indexes = `select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1`
  return [await run(url, columns), await run(url, indexes)]
}

const customer = { return_shipping_method_id: null, name: 'Name', return_address: '{}' }
const instant = '2026-06-01T12:00:00.000Z'

async function insertCustomer(
  database: Database,
  code: string,
  more: { created_at?: string } = {},
): Promise<string> {
  const id = randomUUID()
  const times = { created_at: instant, modified_at: instant }
  await database
    .insertInto('customers')
    .values({ ...customer, ...times, ...more, id, code })
    .execute()
  return id
}

describe.skipIf(!isOnPostgres)('a PostgreSQL database', () => {
  it('gets its tables only once although ten connections open it at the same time', async () => {
    const url = await freshUrl(ends)
    await run(url, 'drop schema public cascade', 'create schema public')
    const databases = await Promise.all(Array.from({ length: 10 }, () => open(url)))
    for (const [at, database] of databases.entries()) await insertCustomer(database, `C${at}`)
    const [first] = databases
    expect(await first?.selectFrom('customers').select('code').execute()).toHaveLength(10)
  })

  it('is refused and stays unchanged if another version of the middleware created it', async () => {
    const url = await freshUrl(ends)
    const [version] = await run(url, 'update schema_version set version = version + 1 returning version')
    const before = await schemaOf(url)
    await expect(open(url)).rejects.toThrow('was made by another version')
    expect(await schemaOf(url)).toEqual(before)
    expect(await run(url, 'select version from schema_version')).toEqual([version])
    await run(url, 'drop table schema_version')
    const without = await schemaOf(url)
    await expect(open(url)).rejects.toThrow('was made by another version')
    expect(await schemaOf(url)).toEqual(without)
  })

  it('is refused if it lacks the extension pg_trgm and the role of the middleware may not create it', async () => {
    const url = await freshUrl(ends)
    const name = new URL(url).pathname.slice(1)
    const role = `role_${randomUUID().slice(0, 8)}`
    await run(
      url,
      ...['drop schema public cascade', 'create schema public', `create role ${role} login password 'role'`],
      `grant all on schema public to ${role}`,
      `revoke create on database ${name} from public`,
    )
    ends.push(() => run(url, `drop owned by ${role}`, `drop role ${role}`))
    const asRole = new URL(url)
    asRole.username = role
    asRole.password = 'role'
    await expect(open(asRole.href)).rejects.toThrow('needs the extension pg_trgm')
    await run(url, 'create extension pg_trgm')
    const database = await open(asRole.href)
    await insertCustomer(database, 'A')
    await database.destroy()
  })

  it('returns values in the same form as SQLite in any time zone of the server', async () => {
    const database = await open(await freshUrl(ends))
    const address = '{"b": 1,  "a":"\\u0000"}'
    const id = randomUUID()
    const row = {
      ...customer,
      id,
      code: 'A',
      return_address: address,
      created_at: instant,
      modified_at: instant,
    }
    await database.insertInto('customers').values(row).execute()
    expect(await database.selectFrom('customers').selectAll().executeTakeFirst()).toEqual(row)
    const { rows } = await sql<
      Record<string, unknown>
    >`select count(*) as count, sum(1::bigint) as sum, true as flag,
      date '2026-03-29' as day, timestamptz '2026-03-29 02:30:00.5+02' as instant`.execute(database)
    expect(rows).toEqual([
      { count: 1, sum: 1, flag: 1, day: '2026-03-29', instant: '2026-03-29T00:30:00.500Z' },
    ])
  })

  it('uses the options of its URL, except those that contradict the settings of the middleware', async () => {
    const url = new URL(await freshUrl(ends))
    await run(url.href, 'create schema branch')
    const kept = ['search_path=branch,public', 'work_mem=8MB']
    const replaced = [
      String.raw`default_transaction_isolation=read\ committed`,
      ...['timezone=Asia/Tokyo', 'statement_timeout=0', 'idle_in_transaction_session_timeout=0'],
    ]
    const options = [...kept, ...replaced].map((option) => `-c ${option}`).join(' ')
    url.searchParams.set('options', options)
    const database = await open(url.href)
    const { rows } = await sql`select current_schema() as schema, current_setting('work_mem') as memory,
      current_setting('transaction_isolation') as isolation, current_setting('timezone') as zone,
      current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as silence`.execute(database)
    const ours = { isolation: 'serializable', zone: 'UTC', statement: '50s', silence: '15s' }
    expect(rows).toEqual([{ schema: 'branch', memory: '8MB', ...ours }])
    await insertCustomer(database, 'A')
    expect((await sql`select code from branch.customers`.execute(database)).rows).toEqual([{ code: 'A' }])
  })

  it('sorts texts by their bytes and folds only ASCII letters in searches', async () => {
    const database = await open(await freshUrl(ends))
    for (const code of ['b', 'A', 'a', 'B', 'É', 'é', 'Z']) await insertCustomer(database, code)
    const rows = await database.selectFrom('customers').select('code').orderBy('code').execute()
    expect(rows.map(({ code }) => code)).toEqual(['A', 'B', 'Z', 'a', 'b', 'É', 'é'])
    const found = await database
      .selectFrom('customers')
      .select('code')
      .where(anyContains(['code'], 'É'))
      .execute()
    expect(found.map(({ code }) => code)).toEqual(['É'])
    expect(
      await database
        .selectFrom('customers')
        .select('code')
        .where(anyContains(['code'], 'A'))
        .execute(),
    ).toHaveLength(2)
  })

  it('reports a unique violation for a row that already exists, and not for an invalid statement', async () => {
    const database = await open(await freshUrl(ends))
    await insertCustomer(database, 'A')
    const again = await insertCustomer(database, 'A').catch((error: unknown) => error)
    expect(isUniqueViolation(again)).toBe(true)
    expect(isStorageFailure(again)).toBe(false)
    const wrong = await sql`select * from nothing`.execute(database).catch((error: unknown) => error)
    expect([isUniqueViolation(wrong), isStorageFailure(wrong)]).toEqual([false, false])
  })

  it('returns no row for a condition with an empty list of values', async () => {
    const database = await open(await freshUrl(ends))
    await insertCustomer(database, 'A')
    expect(await database.selectFrom('customers').select('id').where('id', 'in', []).execute()).toEqual([])
  })

  it('stops a read that exceeds the limit of bytes that is set for it', async () => {
    const database = await open(await freshUrl(ends))
    for (let at = 0; at < 500; at += 1) await insertCustomer(database, `C${at}`)
    const read = () => database.selectFrom('customers').selectAll().execute()
    expect(await readingAtMost(10_000_000, read)).toHaveLength(500)
    await expect(readingAtMost(100_000, read)).rejects.toThrow(TooMuchToRead)
    // after the refused read, the connection can be used again
    expect(await read()).toHaveLength(500)
  })

  it('reports a storage failure if the connection ends during a read for which a limit of bytes is set', async () => {
    const url = await freshUrl(ends)
    const database = await open(url)
    const read = () => sql`select pg_sleep(600)`.execute(database)
    const ended = expect(readingAtMost(10_000_000, read)).rejects.toSatisfy(isStorageFailure)
    const end = `select pg_terminate_backend(pid) as done from pg_stat_activity
      where datname = current_database() and query like 'select pg_sleep%'`
    await expect.poll(async () => (await sql`${sql.raw(end)}`.execute(database)).rows).toHaveLength(1)
    await ended
  })

  it('returns each row of a table on exactly one page', async () => {
    const database = await open(await freshUrl(ends))
    for (let at = 0; at < 25; at += 1) await insertCustomer(database, `C${at}`)
    const page = { from: null, to: null, sort: 'created_at', direction: 'desc' as const, limit: 10 }
    const all = []
    for (const offset of [0, 10, 20]) {
      const query = database.selectFrom('customers').selectAll()
      all.push(...(await readPage(database, query, { ...page, offset })).map(({ id }) => id))
    }
    expect(new Set(all).size).toBe(25)
  })
})

describe.skipIf(!isOnPostgres)('transactions on PostgreSQL', () => {
  it('that conflict are repeated until each has succeeded, and no increment is lost', async () => {
    const database = await open(await freshUrl(ends))
    let runs = 0
    // each transaction adds one to the counter that it has read; no increment may be lost
    const add = () =>
      inTransaction(database, async (connection) => {
        runs += 1
        const rows = await connection
          .selectFrom('counters')
          .select('value')
          .where('name', '=', 'order')
          .execute()
        const value = rows[0]?.value ?? 0
        if (value === 0) await connection.insertInto('counters').values({ name: 'order', value: 1 }).execute()
        else
          await connection
            .updateTable('counters')
            .set({ value: value + 1 })
            .where('name', '=', 'order')
            .execute()
      })
    await add()
    await Promise.all(Array.from({ length: 12 }, add))
    expect((await database.selectFrom('counters').selectAll().executeTakeFirstOrThrow()).value).toBe(13)
    expect(runs).toBeGreaterThan(13)
  })

  it('that block each other (a deadlock) are repeated', async () => {
    const database = await open(await freshUrl(ends))
    await database
      .insertInto('counters')
      .values([
        { name: 'a', value: 0 },
        { name: 'b', value: 0 },
      ])
      .execute()
    const both = (names: readonly string[], met: Promise<unknown>, meet: () => void) =>
      inTransaction(database, async (connection) => {
        for (const name of names) {
          await connection
            .updateTable('counters')
            .set(({ eb }) => ({ value: eb('value', '+', 1) }))
            .where('name', '=', name)
            .execute()
          meet()
          await met
        }
      })
    const first = Promise.withResolvers<undefined>()
    const second = Promise.withResolvers<undefined>()
    await Promise.all([
      both(['a', 'b'], second.promise, () => first.resolve(undefined)),
      both(['b', 'a'], first.promise, () => second.resolve(undefined)),
    ])
    const rows = await database.selectFrom('counters').select('value').execute()
    expect(rows).toEqual([{ value: 2 }, { value: 2 }])
  })

  it('fail if their connection breaks between two statements, and the next statement succeeds', async () => {
    const url = await freshUrl(ends)
    const database = await open(url)
    const broken = inTransaction(database, async (connection) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection)
      await run(url, `select pg_terminate_backend(${rows[0]?.pid ?? 0})`)
      // waits for the server's message that it has closed the connection
      await setTimeout(100)
      await sql`select 1`.execute(connection)
    })
    const error: unknown = await broken.catch((reason: unknown) => reason)
    expect(isStorageFailure(error)).toBe(true)
    expect((await sql`select 1`.execute(database)).rows).toHaveLength(1)
  })

  it('that stay idle are ended by PostgreSQL, so that transactions that wait for them continue', async () => {
    const url = await freshUrl(ends)
    const [frozen, other] = [await open(url), await open(url)]
    await frozen.insertInto('counters').values({ name: 'order', value: 1 }).execute()
    const add = (connection: Connection, count: number) =>
      connection
        .updateTable('counters')
        .set(({ eb }) => ({ value: eb('value', '+', count) }))
        .where('name', '=', 'order')
        .execute()
    const isSilent = Promise.withResolvers<undefined>()
    const mayContinue = Promise.withResolvers<undefined>()
    const broken = frozen.transaction().execute(async (connection) => {
      await add(connection, 10)
      // Checks the timeout for idle transactions that the middleware sets, and then sets a shorter timeout, because 15
      // seconds are too long for a test.
      const shown = await sql`show idle_in_transaction_session_timeout`.execute(connection)
      expect(shown.rows).toEqual([{ idle_in_transaction_session_timeout: '15s' }])
      await sql`set local idle_in_transaction_session_timeout = 200`.execute(connection)
      isSilent.resolve(undefined)
      await mayContinue.promise
      await add(connection, 100)
    })
    const error = broken.catch((reason: unknown) => reason)
    await Promise.race([isSilent.promise, broken])
    // this transaction waits until PostgreSQL ends the idle transaction, which has locked the same row
    await inTransaction(other, (connection) => add(connection, 1000))
    mayContinue.resolve(undefined)
    expect(await error).toSatisfy(isStorageFailure)
    await inTransaction(frozen, (connection) => add(connection, 10_000))
    const rows = await other.selectFrom('counters').select('value').execute()
    expect(rows).toEqual([{ value: 11_001 }])
  })

  it('never return a number of a sequence twice', async () => {
    const database = await open(await freshUrl(ends))
    const numbers = await Promise.all(
      Array.from({ length: 40 }, () =>
        inTransaction(database, (connection) => nextSerial(connection, 'order')),
      ),
    )
    expect(new Set(numbers).size).toBe(40)
  })
})

async function startProxy({ port }: URL): Promise<TcpProxy> {
  const proxy = await TcpProxy.start([Number(port)])
  ends.push(async () => (proxy.isListening ? proxy.stop() : undefined))
  return proxy
}

describe.skipIf(!isOnPostgres)('the middleware on PostgreSQL', () => {
  async function behindProxy(): Promise<{
    server: TestServer
    proxy: TcpProxy
  }> {
    const url = new URL(await freshUrl(ends))
    const proxy = await startProxy(url)
    url.port = String(proxy.port)
    const server = await startTestServer({ databaseUrl: url.href })
    ends.push(() => server.close())
    return { server, proxy }
  }

  it('returns 503 with Retry-After while its database cannot be reached, and continues afterwards', async () => {
    const { server, proxy } = await behindProxy()
    const token = await server.logIn()
    expect((await server.call('/wms/orders/', { token })).status).toBe(200)
    await proxy.stop()
    const refused = await server.call('/wms/orders/', { token })
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    await proxy.resume()
    expect((await server.call('/wms/orders/', { token })).status).toBe(200)
  })

  it('continues after all its connections have broken at the same time', async () => {
    const { server, proxy } = await behindProxy()
    expect((await server.call('/wms/orders/')).status).toBe(200)
    proxy.cut()
    await expect.poll(async () => (await server.call('/wms/orders/')).status).toBe(200)
  })
})

/**
 * Makes the server end the connection at the first change (`act`) of a row of the table that meets the SQL condition
 * `row`. Returns a function that returns the number of such changes until now, including those that were rolled back.
 */
async function breakFirst(
  url: string,
  when: { act: 'insert' | 'update' | 'delete'; table: string; row: string },
): Promise<() => Promise<number>> {
  const name = `break_${randomUUID().slice(0, 8)}`
  await run(
    url,
    // The changes are counted with a sequence, because a rollback does not reset a sequence.
    `create sequence ${name}`,
    `create function ${name}() returns trigger language plpgsql as $$ begin
      if nextval('${name}') = 1 then perform pg_terminate_backend(pg_backend_pid()); end if;
      return case when tg_op = 'DELETE' then old else new end;
    end $$`,
    `create trigger ${name} before ${when.act} on ${when.table}
      for each row when (${when.row}) execute function ${name}()`,
  )
  const database = await open(url)
  return async () => {
    const { rows } = await sql<{
      count: number
    }>`select case when is_called then last_value else 0 end as count
      from ${sql.table(name)}`.execute(database)
    return rows[0]?.count ?? 0
  }
}

describe.skipIf(!isOnPostgres)('the middleware after a break of its database connection', () => {
  const post = (server: TestServer, path: string, body?: unknown) =>
    server.call(path, { method: 'POST', ...(body !== undefined && { body }) })

  async function serve(
    options: Partial<MiddlewareOptions> = {},
  ): Promise<{ url: string; server: TestServer }> {
    const url = await freshUrl(ends)
    const server = await startTestServer({ databaseUrl: url, ...options })
    ends.push(() => server.close())
    return { url, server }
  }

  it('completes a redaction of personal data without a second call of the client', async () => {
    const { url, server } = await serve()
    const email = 'kim@example.org'
    const lines = [{ article_code: 'A-1', quantity: 1, description: 'x' }]
    const made = await post(server, '/wms/orders/', newOrder({ order_lines: lines, shipping_email: email }))
    const { id } = made.body as { id: string }
    const changes = await breakFirst(url, {
      ...{ act: 'update', table: 'orders' },
      row: `new.shipping_email = '-redacted-'`,
    })
    const ending = await breakFirst(url, { act: 'delete', table: 'redactions', row: 'true' })
    const database = await open(url)
    expect((await post(server, '/wms/gdpr/redact-person-data/', { email })).status).toBe(200)
    await expect.poll(() => database.selectFrom('redactions').select('id').execute()).toEqual([])
    const { body } = await server.call(`/wms/orders/${id}/`)
    expect(body).toMatchObject({ shipping_email: '-redacted-' })
    expect(await changes()).toBeGreaterThan(1)
    expect(await ending()).toBeGreaterThan(1)
  })

  it('completes an export, even if the connection also breaks while the state of the export is reset', async () => {
    const { url, server } = await serve({ exportDelayMs: 0 })
    const parts = await breakFirst(url, { act: 'insert', table: 'export_parts', row: 'true' })
    const states = await breakFirst(url, {
      ...{ act: 'update', table: 'exports' },
      row: `old.status = 'processing' and new.status = 'created'`,
    })
    const made = await post(server, '/wms/exports/', { type: 'orders', fields: ['reference'] })
    const path = `/wms/exports/${(made.body as { id: string }).id}/`
    await expect.poll(async () => (await server.call(path)).body).toMatchObject({ ready: true })
    expect((await server.call(`${path}download/`)).body).toContain('reference\r\nORD')
    expect(await parts()).toBeGreaterThan(1)
    expect(await states()).toBeGreaterThan(1)
  })

  it('resets a label whose request was interrupted, so that it can be requested again, even if the connection also breaks during the reset', async () => {
    const { url, server } = await serve()
    const shipments = (await server.call('/wms/shipments/')).body as { id: string }[]
    const made = await post(server, '/wms/return-labels/', { shipment_id: shipments[0]?.id })
    const { id } = made.body as { id: string }
    const documents = await breakFirst(url, { act: 'insert', table: 'documents', row: 'true' })
    const states = await breakFirst(url, {
      ...{ act: 'update', table: 'return_labels' },
      row: `old.state = 'requesting' and new.state = 'unrequested'`,
    })
    const database = await open(url)
    const stateOf = async (): Promise<unknown> =>
      (await database.selectFrom('return_labels').select('state').where('id', '=', id).execute())[0]?.state
    // a client that gets a 503 does not know the outcome and repeats its call
    expect((await post(server, `/wms/return-labels/${id}/request`)).status).toBe(503)
    await expect.poll(stateOf).toBe('unrequested')
    expect((await post(server, `/wms/return-labels/${id}/request`)).status).toBe(200)
    expect(await stateOf()).toBe('requested')
    expect(await documents()).toBeGreaterThan(1)
    expect(await states()).toBeGreaterThan(1)
  })
})

describe.skipIf(!isOnPostgres)('a transaction that PostgreSQL refuses because of other transactions', () => {
  const valueOf = async (connection: Connection, key: string): Promise<number> => {
    const row = await connection.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst()
    return Number(row?.value)
  }
  const store = (connection: Connection, key: string, value: number): Promise<unknown> =>
    connection
      .updateTable('meta')
      .set({ value: String(value) })
      .where('key', '=', key)
      .execute()

  it('runs alone after several refusals, so that it ends although the other transactions never pause', async () => {
    const url = await freshUrl(ends)
    const [one, other] = await Promise.all([open(url), open(url)])
    await one.insertInto('meta').values({ key: 'sum', value: '0' }).execute()
    const addTo = (database: Database): Promise<void> =>
      inTransaction(database, async (connection) => {
        await store(connection, 'sum', (await valueOf(connection, 'sum')) + 1)
      })
    const others: Promise<void>[] = []
    await inTransaction(one, async (connection) => {
      const sum = await valueOf(connection, 'sum')
      const adding = addTo(other)
      others.push(adding)
      // in each try, the other transaction commits first, unless it has to wait for the end of this transaction
      await Promise.race([adding, setTimeout(500)])
      await store(connection, 'sum', sum + 1)
    })
    await Promise.all(others)
    expect(others.length).toBeGreaterThan(1)
    expect(await valueOf(one, 'sum')).toBe(others.length + 1)
  })

  it('fails if it runs alone for too long; the other transactions, which wait for its end, then continue', async () => {
    const url = await freshUrl(ends)
    const [one, other] = await Promise.all([open(url), open(url)])
    let tries = 0
    let statements = 0
    const long = inTransaction(one, async (connection) => {
      tries += 1
      await store(connection, 'sum', tries)
      // the first eight tries are refused, so the ninth runs alone: other transactions wait until it has ended
      if (tries <= 8) throw Object.assign(new Error('refused by the test'), { code: '40001' })
      for (statements = 0; statements < 100; statements += 1)
        await sql`select pg_sleep(0.2)`.execute(connection)
    })
    const error: unknown = await long.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(TooLongAlone)
    expect(isStorageFailure(error)).toBe(true)
    expect(tries).toBe(9)
    expect(statements).toBeLessThan(20)
    for (const database of [one, other])
      await inTransaction(database, (connection) =>
        connection.insertInto('meta').values({ key: randomUUID(), value: '0' }).execute(),
      )
    // The transaction for which the others had to wait had a shorter statement_timeout. After this transaction the
    // connections have the usual statement_timeout again.
    const { rows } = await sql`select current_setting('statement_timeout') as limit`.execute(one)
    expect(rows).toEqual([{ limit: '50s' }])
  })

  it('makes its call return 503 with Retry-After if it is repeated alone and one of its statements takes too long', async () => {
    const url = await freshUrl(ends)
    const server = await startTestServer({ databaseUrl: url })
    ends.push(() => server.close())
    await run(
      url,
      // The changes are counted with a sequence, because a rollback does not reset a sequence.
      'create sequence tries',
      `create function hinder() returns trigger language plpgsql as $$ begin
        if nextval('tries') <= 8 then raise exception 'refused by the test' using errcode = '40001'; end if;
        perform pg_sleep(5);
        return new;
      end $$`,
      'create trigger hinder before insert on articles for each row execute function hinder()',
    )
    const create = (name: string) => server.call('/wms/articles/', { method: 'POST', body: { name } })
    const refused = await create('Lamp')
    expect(refused).toMatchObject({ status: 503, body: { code: 503, message: new TooLongAlone().message } })
    expect(refused.headers.get('retry-after')).toBe('5')
    await run(url, 'drop trigger hinder on articles')
    expect(await create('Vase')).toMatchObject({ status: 201 })
    const { body } = await server.call('/wms/articles/')
    expect((body as { name: string }[]).map(({ name }) => name)).not.toContain('Lamp')
  })

  it('leaves its connection usable if it cannot get its lock in time', async () => {
    const url = new URL(await freshUrl(ends))
    const holder = new pg.Client({ connectionString: url.href })
    await holder.connect()
    ends.push(() => holder.end())
    url.searchParams.set('options', '-c lock_timeout=100')
    const database = await open(url.href)
    await holder.query('begin; lock table schema_version in exclusive mode')
    const begin = (): Promise<string> => database.transaction().execute(() => Promise.resolve('done'))
    await expect(begin()).rejects.toMatchObject({ code: '55P03' })
    await holder.query('rollback')
    expect(await begin()).toBe('done')
  })
})
