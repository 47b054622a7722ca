import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Database,
  inTransaction,
  isShortage,
  isStorageFailure,
  openDatabase,
  rowsWithPart,
} from '#middleware/data/engine/database.ts'
import { openSqliteDatabase } from '#middleware/data/engine/sqlite.ts'
import { nextSerial } from '#middleware/data/engine/meta.ts'
import { insertVariants } from '#middleware/data/goods/variants.ts'
import { schemaVersion } from '#middleware/data/schema/schema.ts'
import { seedWorld } from '#middleware/data/seeds/seed.ts'
import { openSerials } from '#middleware/data/seeds/seed.ts'
import { variantRow } from '#middleware/services/goods/variants.ts'
import { makeDemoWorld } from '#middleware/warehouse/demo/world.ts'
import { randomFrom } from '#support/random.ts'
import { smallGoods } from '#support/small-goods.ts'
import { canMount, mountSmallDisk } from '#support/small-disk.ts'
import { makeSmallWorld, smallId, smallIds } from '#support/small-world.ts'
import { dropTestDatabase, isOnPostgres, testPlace } from '#support/test-database.ts'

describe('openSqliteDatabase', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'scandesk-database-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('keeps the content of a database that is closed and opened again', async () => {
    const file = join(folder, 'middleware.db')
    const first = openSqliteDatabase(file)
    await first.insertInto('meta').values({ key: 'k', value: 'v' }).execute()
    await first.destroy()
    const second = openSqliteDatabase(file)
    expect(await second.selectFrom('meta').selectAll().execute()).toEqual([{ key: 'k', value: 'v' }])
    await second.destroy()
  })

  it.each([
    ['a later version', `pragma user_version = ${schemaVersion + 1}`],
    ['no version', 'pragma user_version = 0'],
  ])('refuses a database with %s, and leaves the file unchanged', async (_, statement) => {
    const file = join(folder, 'middleware.db')
    await openSqliteDatabase(file).destroy()
    const raw = new BetterSqlite(file)
    raw.exec(statement)
    raw.exec("insert into meta values ('k', 'v')")
    raw.pragma('wal_checkpoint(truncate)')
    raw.close()
    const before = readFileSync(file)
    expect(() => openSqliteDatabase(file)).toThrow(
      `The database ${file} was made by another version of the middleware, and stays unchanged`,
    )
    expect(readFileSync(file)).toEqual(before)
  })
})

describe('the index of text parts', () => {
  it('returns records that have all pieces of a text, even if no record contains the text itself', async () => {
    const place = await testPlace(':memory:')
    const database = await openDatabase(place, { warn: () => undefined })
    const world = makeSmallWorld()
    const [pattern] = world.variants
    if (pattern === undefined) throw new Error('The small world has variants')
    // the names of these variants contain all pieces of the searched text, but not the text itself
    const variants = Array.from({ length: 20 }, (_, index) => ({
      ...{ ...pattern, id: smallId(1000 + index), articleCode: `R-${index}`, name: `aab ${'a'.repeat(400)}` },
    }))
    await seedWorld(
      database,
      { ...world, variants: [...world.variants, ...variants] },
      new Map(world.users.map(({ id }) => [id, 'hash'])),
    )
    for (const length of [2, 400]) {
      const { rows } = await sql`${rowsWithPart(database, `${'a'.repeat(length)}b`)} limit 5`.execute(
        database,
      )
      expect(rows).toHaveLength(5)
    }
    await database.destroy()
    await dropTestDatabase(place)
  })

  it.skipIf(!isOnPostgres)('gets the texts of a large insertion in one pass on PostgreSQL', async () => {
    const place = await testPlace(':memory:')
    const database = await openDatabase(place, { warn: () => undefined })
    const world = makeSmallWorld()
    await seedWorld(database, world, new Map(world.users.map(({ id }) => [id, 'hash'])))
    await sql`create extension pgstattuple`.execute(database)
    /** Inserts variants in a transaction. Returns the number of blocks of the index that the transaction accessed. */
    const insert = (code: string, count: number, name: string): Promise<number> =>
      database.transaction().execute(async (connection) => {
        const owner = { articleId: smallGoods.shirt, articleName: name, customerId: smallIds.alder }
        const rows = Array.from({ length: count }, (_, index) =>
          variantRow({ article_code: `${code}-${index}` }, { ...owner, now: '2026-06-01T12:00:00.000Z' }),
        )
        await insertVariants(connection, rows)
        const accessed = sql<{
          blocks: number
        }>`select pg_stat_get_xact_blocks_fetched('searched_texts_parts'::regclass) as blocks`
        return (await accessed.execute(connection)).rows[0]?.blocks ?? 0
      })
    const waitingPages = async (): Promise<number | undefined> => {
      const index = sql<{
        pages: number
      }>`select pending_pages as pages from pgstatginindex('searched_texts_parts')`
      return (await index.execute(database)).rows[0]?.pages
    }
    // the index needs an entry for nearly every character of this text; if PostgreSQL added each entry separately, it
    // would access at least two blocks for each
    const random = randomFrom(1)
    const name = Array.from(
      { length: 490 },
      () => 'abcdefghijklmnopqrstuvwxyz'[Math.floor(random() * 26)],
    ).join('')
    const blocks = await insert('LARGE', 300, name)
    expect(blocks).toBeLessThan(300 * 100)
    expect(await waitingPages()).toBe(0)
    // a search also reads the new entries that PostgreSQL has not yet added to the index; these are at most 64 kB (8
    // pages) and the entries of the last insertion
    for (let at = 0; at < 100; at += 1)
      await insert(`SMALL-${at}`, 1, 'Linen shirt with a small collar and two pockets')
    expect(await waitingPages()).toBeLessThanOrEqual(10)
    await database.destroy()
    await dropTestDatabase(place)
  })

  it('is searched on PostgreSQL only for the ASCII letters and digits of a text, and on SQLite for every text', async () => {
    const place = await testPlace(':memory:')
    const database = await openDatabase(place, { warn: () => undefined })
    const looked = ['---', '…—–', 'a-b-c', 'öäü', '漢字漢', 'a-1234', '漢字漢 box'].map(
      (part) => rowsWithPart(database, part)?.compile(database).parameters ?? null,
    )
    // PostgreSQL searches its index only for sequences of three ASCII letters or digits
    if (isOnPostgres) expect(looked).toEqual([null, null, null, null, null, ['%123%', '%234%'], ['%box%']])
    else expect(looked).not.toContain(null)
    await database.destroy()
    await dropTestDatabase(place)
  })
})

describe('a failed statement', () => {
  it('counts as a storage failure if the database is full, but not if the data violate a constraint', async () => {
    const database = openSqliteDatabase(':memory:')
    const insert = (key: string, value: string): Promise<unknown> =>
      database
        .insertInto('meta')
        .values({ key, value })
        .execute()
        .catch((error: unknown) => error)
    await insert('k', 'v')
    expect(isStorageFailure(await insert('k', 'v'))).toBe(false)
    await sql`pragma max_page_count = 1`.execute(database)
    expect(isStorageFailure(await insert('large', 'v'.repeat(1_000_000)))).toBe(true)
    expect(isStorageFailure(new Error('other'))).toBe(false)
    await database.destroy()
  })
})

describe('a transaction that SQLite itself has ended', () => {
  /** Adds a row in a transaction. Returns the error, or null. */
  const add = (database: Database, key: string, value: string): Promise<unknown> =>
    inTransaction(database, (connection) =>
      connection.insertInto('meta').values({ key, value }).execute(),
    ).then(
      () => null,
      (error: unknown) => error,
    )

  it('fails with the error for which SQLite ended it, and the next transaction runs', async () => {
    const database = openSqliteDatabase(':memory:')
    await sql`create trigger ends before insert on meta when new.key = 'bad'
      begin select raise(rollback, 'ended by SQLite'); end`.execute(database)
    expect(await add(database, 'bad', 'v')).toMatchObject({ message: 'ended by SQLite' })
    expect(await add(database, 'good', 'v')).toBeNull()
    await database.destroy()
  })

  it.skipIf(!canMount())(
    'on a full disk fails because of the lack of space, and the next transaction runs when there is space',
    async () => {
      const disk = mountSmallDisk(16)
      if (disk === null) throw new Error('mounting is not allowed')
      const database = openSqliteDatabase(join(disk.folder, 'middleware.db'))
      try {
        disk.fill(0)
        const error = await add(database, 'large', 'v'.repeat(1_000_000))
        expect(error).toMatchObject({ code: 'SQLITE_FULL' })
        expect([isStorageFailure(error), isShortage(error)]).toEqual([true, true])
        disk.empty()
        expect(await add(database, 'large', 'v'.repeat(1_000_000))).toBeNull()
      } finally {
        await database.destroy()
        disk.unmount()
      }
    },
  )
})

describe('seedWorld', () => {
  const tables = [
    'customers',
    'articles',
    'variants',
    'shipments',
    'orders',
    'inbounds',
    'batches',
    'locations',
    'modifications',
    'transfers',
  ] as const

  it('stores every row of the demo once', async () => {
    const world = makeDemoWorld({ seed: 1, now: new Date('2026-06-01T12:00:00Z') })
    const database = openSqliteDatabase(':memory:')
    const hashes = new Map(world.users.map(({ id }) => [id, 'hash']))
    expect(await seedWorld(database, world, hashes)).toBe(true)
    expect(await seedWorld(database, world, hashes)).toBe(false)
    const counted = async (table: (typeof tables)[number]): Promise<number> => {
      const rows = await database.selectFrom(table).select('id').execute()
      return rows.length
    }
    for (const table of tables) expect(await counted(table)).toBe(world[table].length)
    expect(await database.selectFrom('location_types').select('id').execute()).toHaveLength(8)
    // the numbers of new records continue after those of the initial records (`world`)
    expect(await nextSerial(database, 'modification')).toBe(world.modifications.length + 1)
    expect(await nextSerial(database, 'order')).toBe(world.orders.length + 1)
    expect(await nextSerial(database, 'inbound')).toBe(world.inbounds.length + 1)
    expect(await nextSerial(database, 'transfer')).toBe(world.transfers.length + 1)
    expect(await database.selectFrom('variant_bundles').select('id').execute()).toHaveLength(
      world.bundles.length,
    )
    await database.destroy()
  })
})

describe('the schema of the middleware', () => {
  let database: Database
  const run = (statement: string): Promise<{ rows: unknown[] }> => sql.raw(statement).execute(database)
  const insertVariant = (id: string): Promise<unknown> =>
    run(`INSERT INTO variants (id, article_id, customer_id, article_code, name, expirable, using_serial_numbers,
      created_at, modified_at, stock_modified_at) VALUES ('${id}', 'a', 'c1', 'X', 'X', 0, 0, '', '', '')`)
  beforeEach(async () => {
    database = openSqliteDatabase(':memory:')
    for (const statement of [
      ...['c1', 'c2'].map(
        (id) => `INSERT INTO customers (id, code, name, return_address, created_at, modified_at)
          VALUES ('${id}', '${id}', '${id}', '{}', 'then', 'then')`,
      ),
      `INSERT INTO users (id, username, password_hash, user_type, roles, transfers_granted)
        VALUES ('u', 'sam', 'x', 'api', '[]', 0)`,
      `INSERT INTO articles (id, customer_id, name, created_at, modified_at)
        VALUES ('a', 'c1', 'Article', 'then', 'then')`,
      `INSERT INTO locations VALUES ('l', 'A-01', 1, null)`,
      `INSERT INTO shipping_methods (id, code, description, shipper, shipper_code, shipping_software, carrier,
        supports_return_labels, label_layout, created_at, modified_at) VALUES ('m', '', '', '', '', '', '', 1, '', '', '')`,
    ])
      await run(statement)
    await insertVariant('v')
  })
  afterEach(() => database.destroy())

  it('deletes the logins of a deleted user, and the refresh tokens of a deleted login', async () => {
    const login = { hash: 'l', user_id: 'u', expires_at: 'then' }
    await database.insertInto('logins').values(login).execute()
    await run(`INSERT INTO refresh_tokens VALUES ('h', 'u', 'l', 'then', NULL)`)
    await database.deleteFrom('logins').execute()
    expect(await database.selectFrom('refresh_tokens').selectAll().execute()).toEqual([])
    await database.insertInto('logins').values(login).execute()
    await database.deleteFrom('users').execute()
    expect(await database.selectFrom('logins').selectAll().execute()).toEqual([])
  })

  it('stores a weight with a fraction, such as 1.5, unchanged', async () => {
    await database.updateTable('variants').set({ height: 12, weight: 1.5 }).execute()
    const sizes = database.selectFrom('variants').select(['height', 'width', 'weight'])
    expect(await sizes.executeTakeFirst()).toEqual({ height: 12, width: null, weight: 1.5 })
  })

  it('keeps variants to which a lot refers, and frees a code only when its variant is deleted', async () => {
    expect((await run('PRAGMA foreign_keys')).rows).toEqual([{ foreign_keys: 1 }])
    await run(`INSERT INTO batches (id, customer_id, variant_id, location_id, quantity, created_at)
      VALUES ('b', 'c1', 'v', 'l', 0, 'then')`)
    await expect(run("DELETE FROM variants WHERE id = 'v'")).rejects.toThrow('FOREIGN KEY')
    await expect(insertVariant('next')).rejects.toThrow('UNIQUE')
    await run("UPDATE variants SET deleted_at = 'then' WHERE id = 'v'")
    await insertVariant('next')
  })

  it('frees the reference of a return label only when the label is cancelled', async () => {
    const label = (id: string, serial: number, reference: string, state: string): string =>
      `INSERT INTO return_labels (id, serial, customer_id, external_reference, state, shipment_id, shipping_method_id,
         sender_address, tracking, document_id, created_at, modified_at)
       VALUES ('${id}', ${serial}, 'c1', '${reference}', '${state}', NULL, 'm', '{"a":1}', '[]', NULL, 'then', 'later')`
    await run(label('gone', 1, 'AG1', 'cancelled'))
    await run(label('kept', 2, 'AG2', 'requested'))
    await run(label('again', 3, 'AG1', 'unrequested'))
    for (const reference of ['AG1', 'AG2'])
      await expect(run(label('third', 4, reference, 'unrequested'))).rejects.toThrow('UNIQUE')
    await expect(run(`UPDATE return_labels SET document_id = 'none' WHERE id = 'kept'`)).rejects.toThrow(
      'FOREIGN KEY',
    )
  })

  it('counts the bytes of a customer’s events', async () => {
    for (const [id, customer, content] of [
      ['1', 'c1', 'four'],
      ['2', 'c1', 'é'],
      ['3', 'c2', ''],
    ])
      await run(`INSERT INTO events (id, customer_id, topic_group, topic_action, entity_id, content, created_at, deliveries)
        VALUES ('${id}', '${customer}', 'order', 'updated', 'o', '${content}', 'then', 1)`)
    const stored = (): Promise<unknown> =>
      database.selectFrom('event_storage').selectAll().orderBy('customer_id').execute()
    expect(await stored()).toEqual([
      { customer_id: 'c1', bytes: 606 + 600 },
      { customer_id: 'c2', bytes: 600 },
    ])
    await database.deleteFrom('events').where('id', 'in', ['2', '3']).execute()
    expect(await stored()).toEqual([
      { customer_id: 'c1', bytes: 604 },
      { customer_id: 'c2', bytes: 0 },
    ])
  })

  it('counts the bytes of an export file', async () => {
    for (const id of ['e1', 'e2'])
      await run(`INSERT INTO exports (id, customer_id, family, type, filters, fields, status, created_at, modified_at)
        VALUES ('${id}', 'c1', 'standard', 'stock', '{}', '[]', 'completed', 'then', 'then')`)
    await run(`INSERT INTO export_parts VALUES ('e1', 0, 'four'), ('e1', 1, 'é')`)
    const stored = (): Promise<unknown> =>
      database.selectFrom('exports').select(['id', 'bytes', 'failure']).orderBy('id').execute()
    expect(await stored()).toEqual([
      { id: 'e1', bytes: 6, failure: null },
      { id: 'e2', bytes: 0, failure: null },
    ])
    await database
      .insertInto('export_parts')
      .values({ export_id: 'e2', position: 0, content: 'é€' })
      .execute()
    await database.deleteFrom('export_parts').where('position', '=', 1).execute()
    expect(await stored()).toMatchObject([{ bytes: 4 }, { bytes: 5 }])
  })

  it('counts the bytes of documents that clients sent with orders', async () => {
    const add = (id: string, type: string, hex: string): Promise<unknown> =>
      run(`INSERT INTO documents (id, customer_id, content, title, mime_type, document_type, created_at)
        VALUES ('${id}', 'c1', x'${hex}', '', '', '${type}', '')`)
    const stored = (): Promise<unknown> => database.selectFrom('document_storage').selectAll().execute()
    await add('1', 'order_document', '0000')
    await add('2', 'return_label', '000000')
    expect(await stored()).toEqual([{ customer_id: 'c1', bytes: 2 }])
    await add('3', 'shipping_label', '00')
    await add('4', 'pickup_label', '00')
    expect(await stored()).toEqual([{ customer_id: 'c1', bytes: 3 }])
    await database.deleteFrom('documents').where('id', 'in', ['1', '2', '4']).execute()
    expect(await stored()).toEqual([{ customer_id: 'c1', bytes: 1 }])
  })

  it('has a table of shipped serial numbers, which openSerials() fills with those that were shipped more often than returned', async () => {
    for (const [id, serials] of Object.entries({ s1: '["A","B","C"]', s2: '["B"]', s3: '["C"]' })) {
      await run(`INSERT INTO shipments (id, customer_id, reference, order_external_reference, shipping_method_id,
        shipping_address, labels, created_at, modified_at) VALUES ('${id}', 'c1', '${id}', '', 'm', '{}', '[]', '', '')`)
      await run(`INSERT INTO shipment_lines VALUES ('${id}', 0, 'v', 1, 'A', null, null, '${serials}')`)
    }
    // the serial number A was shipped once, B and C twice; A and B were received in a return once, C twice
    for (const [id, isReturn, serials] of [
      ['i1', 1, '["A","C"]'],
      ['i2', 1, '["B","C"]'],
      ['i3', 0, '["A","B"]'],
    ] as const) {
      await run(`INSERT INTO inbounds (id, customer_id, reference, is_return, status, type, inbound_date, meta_data,
        created_at, modified_at) VALUES ('${id}', 'c1', '${id}', ${isReturn}, '', '', '', '{}', '', '')`)
      await run(`INSERT INTO inbound_lines (inbound_id, position, variant_id, quantity, serial_numbers, meta_data)
        VALUES ('${id}', 0, 'v', 1, '${serials}', '{}')`)
    }
    await openSerials(database)
    expect(await database.selectFrom('shipped_serials').selectAll().execute()).toEqual([
      { variant_id: 'v', serial: 'B', shipment_id: 's2' },
    ])
  })
})
