import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { describe, expect, it } from 'vitest'
import { nextSerial } from '#middleware/data/engine/counters.ts'
import { openDatabase } from '#middleware/data/engine/database.ts'
import { createDialect } from '#middleware/data/engine/dialect.ts'
import { migrations } from '#middleware/data/engine/migrations.ts'
import { seedWorld } from '#middleware/data/seeds/seed.ts'
import { makeDemoWorld } from '#middleware/warehouse/demo/world.ts'

const folder = new URL('../../../../../electron/middleware/data/migrations', import.meta.url)

describe('migrations', () => {
  it('are in the static map, one per file', () => {
    const files = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''))
    expect(Object.keys(migrations).sort()).toEqual(files.sort())
  })
})

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

/** A database as it was before the migration named; before 0005 with two lots of one inbound and one of another customer's. */
async function databaseBefore(file: string, migration: string, inbound = 'INB1'): Promise<void> {
  const database = await emptyBefore(file, migration)
  for (const statement of [
    ...['c1', 'c2'].flatMap((id) => [
      `INSERT INTO customers VALUES ('${id}', '${id}', '${id}', NULL, '{}', 'then', 'then')`,
      `INSERT INTO articles VALUES ('a${id}', '${id}', 'Article', 'then', 'then')`,
      `INSERT INTO variants (id, article_id, customer_id, article_code, name, expirable, using_serial_numbers, created_at, modified_at)
       VALUES ('v${id}', 'a${id}', '${id}', 'X', 'X', 0, 0, 'then', 'then')`,
    ]),
    `INSERT INTO locations VALUES ('l', 'A-01', 1)`,
    ...(migration === '0005-inbounds'
      ? [
          `INSERT INTO batches VALUES ('b1', 'c1', 'vc1', 'l', 1, NULL, '${inbound}', '2026-02-02T10:00:00.000Z')`,
          `INSERT INTO batches VALUES ('b2', 'c1', 'vc1', 'l', 2, NULL, '${inbound}', '2026-02-01T10:00:00.000Z')`,
          `INSERT INTO batches VALUES ('b3', 'c2', 'vc2', 'l', 3, NULL, '${inbound}', '2026-02-03T10:00:00.000Z')`,
        ]
      : []),
  ])
    await sql.raw(statement).execute(database)
  await database.destroy()
}

/** An open database without a row, with all migrations before the one named. */
async function emptyBefore(file: string, migration: string): Promise<Kysely<unknown>> {
  const database = new Kysely<unknown>({ dialect: createDialect(file) })
  const earlier = Object.entries(migrations).filter(([key]) => key < migration)
  const provider = { getMigrations: () => Promise.resolve(Object.fromEntries(earlier)) }
  const { error } = await new Migrator({ db: database, provider }).migrateToLatest()
  expect(error).toBeUndefined()
  return database
}

describe('0005-inbounds', () => {
  it('makes a row of each inbound that batches only named, once and for good', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-migrations-'))
    const file = join(folder, 'middleware.db')
    try {
      await databaseBefore(file, '0005-inbounds')
      const read = async (): Promise<{ batch: string; inbound: string; reference: string }[]> => {
        const database = await openDatabase(file)
        const rows = await database
          .selectFrom('batches')
          .innerJoin('inbounds', 'inbounds.id', 'batches.inbound_id')
          .select(['batches.id as batch', 'inbounds.id as inbound', 'reference', 'inbounds.created_at'])
          .whereRef('inbounds.customer_id', '=', 'batches.customer_id')
          .orderBy('batches.id')
          .execute()
        await database.destroy()
        return rows
      }
      const rows = await read()
      const ofTwo = { reference: 'INB1', created_at: '2026-02-01T10:00:00.000Z' }
      expect(rows).toMatchObject([
        { batch: 'b1', ...ofTwo },
        { batch: 'b2', ...ofTwo },
        { batch: 'b3', reference: 'INB1', created_at: '2026-02-03T10:00:00.000Z' },
      ])
      const [first, second, third] = rows.map(({ inbound }) => inbound)
      expect(second).toBe(first)
      expect(third).not.toBe(first)
      expect(await read()).toEqual(rows)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('0011-inbounds-whole', () => {
  it('goes on counting after the references that are there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-migrations-'))
    try {
      for (const [file, reference, next] of [
        ['numbered.db', 'INB00000000041', 42],
        ['odd.db', 'INB1', 1],
      ] as const) {
        const path = join(folder, file)
        await databaseBefore(path, '0005-inbounds', reference)
        const database = await openDatabase(path)
        expect(await nextSerial(database, 'inbound')).toBe(next)
        const [row] = await database.selectFrom('inbounds').selectAll().execute()
        expect(row).toMatchObject({ reference, type: 'announced', meta_data: '{}' })
        await database.destroy()
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('0019-event-limits', () => {
  it('counts the events that are there, and goes on counting', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-migrations-'))
    const file = join(folder, 'middleware.db')
    try {
      const old = await emptyBefore(file, '0019-event-limits')
      for (const id of ['c1', 'c2'])
        await sql
          .raw(`INSERT INTO customers VALUES ('${id}', '${id}', '${id}', NULL, '{}', 'then', 'then')`)
          .execute(old)
      for (const [id, customer, content] of [
        ['1', 'c1', 'four'],
        ['2', 'c1', 'é'],
        ['3', 'c2', ''],
      ])
        await sql
          .raw(
            `INSERT INTO events VALUES ('${id}', '${customer}', 'order', 'updated', 'o', '${content}', 'then')`,
          )
          .execute(old)
      await old.destroy()
      const database = await openDatabase(file)
      const stored = async (): Promise<unknown> =>
        database.selectFrom('event_storage').selectAll().orderBy('customer_id').execute()
      const [c1, c2] = [506 + 500, 500]
      expect(await stored()).toEqual([
        { customer_id: 'c1', bytes: c1 },
        { customer_id: 'c2', bytes: c2 },
      ])
      await database.deleteFrom('events').where('id', 'in', ['2', '3']).execute()
      expect(await stored()).toEqual([
        { customer_id: 'c1', bytes: 504 },
        { customer_id: 'c2', bytes: 0 },
      ])
      await database.destroy()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('0012-bundles', () => {
  it('keeps the sizes that were measured, and takes fractions from then on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-migrations-'))
    const file = join(folder, 'middleware.db')
    try {
      await databaseBefore(file, '0012-bundles')
      const old = new Kysely<unknown>({ dialect: createDialect(file) })
      await sql.raw(`UPDATE variants SET height = 12, weight = NULL WHERE id = 'vc1'`).execute(old)
      await old.destroy()
      const database = await openDatabase(file)
      const read = (): Promise<unknown> =>
        database
          .selectFrom('variants')
          .select(['height', 'width', 'weight'])
          .where('id', '=', 'vc1')
          .executeTakeFirst()
      expect(await read()).toEqual({ height: 12, width: null, weight: null })
      await database.updateTable('variants').set({ weight: 1.5 }).where('id', '=', 'vc1').execute()
      expect(await read()).toMatchObject({ weight: 1.5 })
      await database.destroy()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('0010-stock-and-persons', () => {
  it('dates the stock of each variant by its newest lot', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-migrations-'))
    const file = join(folder, 'middleware.db')
    try {
      await databaseBefore(file, '0005-inbounds')
      const bare = new Kysely<unknown>({ dialect: createDialect(file) })
      await sql.raw(`DELETE FROM batches WHERE id = 'b3'`).execute(bare)
      await bare.destroy()
      const database = await openDatabase(file)
      const rows = await database
        .selectFrom('variants')
        .select(['id', 'stock_modified_at'])
        .orderBy('id')
        .execute()
      await database.destroy()
      expect(rows).toEqual([
        { id: 'vc1', stock_modified_at: '2026-02-02T10:00:00.000Z' },
        { id: 'vc2', stock_modified_at: 'then' },
      ])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('0017-living-references', () => {
  it('keeps every label, and gives the references of cancelled ones back', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-migrations-'))
    const file = join(folder, 'middleware.db')
    try {
      await databaseBefore(file, '0017-living-references')
      const old = new Kysely<unknown>({ dialect: createDialect(file) })
      const label = (id: string, serial: number, reference: string, state: string): string =>
        `INSERT INTO return_labels (id, serial, customer_id, external_reference, state, shipment_id, shipping_method_id,
           sender_address, tracking, document_id, created_at, modified_at)
         VALUES ('${id}', ${serial}, 'c1', '${reference}', '${state}', NULL, 'm', '{"a":1}', '[]', 'd', 'then', 'later')`
      for (const statement of [
        `INSERT INTO shipping_methods (id, code, description, shipper, shipper_code, shipping_software, carrier,
           supports_return_labels, label_layout, created_at, modified_at)
         VALUES ('m', 'M', 'M', 'M', 'M', 'M', 'polder-post', 1, 'portrait', 'then', 'then')`,
        `INSERT INTO documents (id, customer_id, content, created_at) VALUES ('d', 'c1', X'25', 'then')`,
        label('gone', 1, 'AG1', 'cancelled'),
        label('kept', 2, 'AG2', 'requested'),
      ])
        await sql.raw(statement).execute(old)
      await old.destroy()
      const database = await openDatabase(file)
      const rows = await database.selectFrom('return_labels').selectAll().orderBy('serial').execute()
      expect(rows).toEqual([
        {
          id: 'gone',
          serial: 1,
          customer_id: 'c1',
          external_reference: 'AG1',
          state: 'cancelled',
          shipment_id: null,
          shipping_method_id: 'm',
          sender_address: '{"a":1}',
          tracking: '[]',
          document_id: 'd',
          created_at: 'then',
          modified_at: 'later',
        },
        expect.objectContaining({ id: 'kept', external_reference: 'AG2' }),
      ])
      await sql.raw(label('again', 3, 'AG1', 'unrequested')).execute(database)
      for (const reference of ['AG1', 'AG2'])
        await expect(sql.raw(label('third', 4, reference, 'unrequested')).execute(database)).rejects.toThrow(
          'UNIQUE',
        )
      await expect(
        sql.raw(`UPDATE return_labels SET document_id = 'none' WHERE id = 'kept'`).execute(database),
      ).rejects.toThrow('FOREIGN KEY')
      await database.destroy()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('seedWorld', () => {
  it('stores every row of the demo, once', async () => {
    const world = makeDemoWorld({ seed: 1, now: new Date('2026-06-01T12:00:00Z') })
    const database = await openDatabase(':memory:')
    const hashes = new Map(world.users.map(({ id }) => [id, 'hash']))
    expect(await seedWorld(database, world, hashes)).toBe(true)
    expect(await seedWorld(database, world, hashes)).toBe(false)
    const counted = async (table: (typeof tables)[number]): Promise<number> => {
      const rows = await database.selectFrom(table).select('id').execute()
      return rows.length
    }
    for (const table of tables) expect(await counted(table)).toBe(world[table].length)
    expect(await database.selectFrom('location_types').select('id').execute()).toHaveLength(8)
    // the sequence goes on where the world's own references end
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

describe('0016-logins', () => {
  it('keeps refresh tokens of earlier versions unused, and a login ends together with its user', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-migrations-'))
    const file = join(folder, 'middleware.db')
    try {
      await databaseBefore(file, '0016-logins')
      const old = new Kysely<unknown>({ dialect: createDialect(file) })
      for (const statement of [
        `INSERT INTO users (id, username, password_hash, user_type, roles) VALUES ('u', 'sam', 'x', 'api', '[]')`,
        `INSERT INTO refresh_tokens VALUES ('h', 'u', 'then')`,
      ])
        await sql.raw(statement).execute(old)
      await old.destroy()
      const database = await openDatabase(file)
      const tokens = (): Promise<unknown> => database.selectFrom('refresh_tokens').selectAll().execute()
      expect(await tokens()).toEqual([
        { hash: 'h', user_id: 'u', expires_at: 'then', login: null, used_at: null },
      ])
      await database.insertInto('logins').values({ hash: 'l', user_id: 'u', expires_at: 'then' }).execute()
      await database.updateTable('refresh_tokens').set({ login: 'l' }).execute()
      await database.deleteFrom('logins').execute()
      expect(await tokens()).toEqual([])
      await database.insertInto('logins').values({ hash: 'l', user_id: 'u', expires_at: 'then' }).execute()
      await database.deleteFrom('users').execute()
      expect(await database.selectFrom('logins').selectAll().execute()).toEqual([])
      await database.destroy()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('0018-warehouse', () => {
  it('keeps the variants and what refers to them, and frees the codes of deleted ones alone', async () => {
    const place = mkdtempSync(join(tmpdir(), 'scandesk-warehouse-'))
    try {
      const file = join(place, 'middleware.db')
      await databaseBefore(file, '0018-warehouse')
      const database = await openDatabase(file)
      const run = (statement: string): Promise<{ rows: unknown[] }> => sql.raw(statement).execute(database)
      const insert = (id: string): Promise<unknown> =>
        run(`INSERT INTO variants (id, article_id, customer_id, article_code, name, expirable, using_serial_numbers,
          created_at, modified_at, stock_modified_at) VALUES ('${id}', 'ac1', 'c1', 'X', 'X', 0, 0, '', '', '')`)
      expect((await run('SELECT id, article_code, deleted_at FROM variants ORDER BY id')).rows).toEqual([
        { id: 'vc1', article_code: 'X', deleted_at: null },
        { id: 'vc2', article_code: 'X', deleted_at: null },
      ])
      expect((await run('PRAGMA foreign_key_check')).rows).toEqual([])
      expect((await run('PRAGMA foreign_keys')).rows).toEqual([{ foreign_keys: 1 }])
      await run(`INSERT INTO batches (id, customer_id, variant_id, location_id, quantity, created_at)
        VALUES ('b', 'c1', 'vc1', 'l', 0, 'then')`)
      await expect(run("DELETE FROM variants WHERE id = 'vc1'")).rejects.toThrow('FOREIGN KEY')
      await expect(insert('next')).rejects.toThrow('UNIQUE')
      await run("UPDATE variants SET deleted_at = 'then' WHERE id = 'vc1'")
      await insert('next')
      await database.destroy()
    } finally {
      rmSync(place, { recursive: true })
    }
  })
})

describe('0020-shipped-serials', () => {
  it('notes what left in shipments and did not come back in returns', async () => {
    const place = mkdtempSync(join(tmpdir(), 'scandesk-serials-'))
    try {
      const file = join(place, 'middleware.db')
      // an older one too: nothing in between concerns shipments
      await databaseBefore(file, '0018-warehouse')
      const before = new Kysely<unknown>({ dialect: createDialect(file) })
      const run = (statement: string): Promise<unknown> => sql.raw(statement).execute(before)
      await run(`INSERT INTO shipping_methods (id, code, description, shipper, shipper_code, shipping_software, carrier,
        supports_return_labels, label_layout, created_at, modified_at) VALUES ('m', '', '', '', '', '', '', 1, '', '', '')`)
      for (const [id, serials] of Object.entries({ s1: '["A","B","C"]', s2: '["B"]', s3: '["C"]' })) {
        await run(`INSERT INTO shipments (id, customer_id, reference, order_external_reference, shipping_method_id,
          shipping_address, labels, created_at, modified_at) VALUES ('${id}', 'c1', '${id}', '', 'm', '{}', '[]', '', '')`)
        await run(`INSERT INTO shipment_lines VALUES ('${id}', 0, 'vc1', 1, '${serials}')`)
      }
      // B and C left twice; C came back twice, A and B once
      for (const [id, isReturn, serials] of [
        ['i1', 1, '["A","C"]'],
        ['i2', 1, '["B","C"]'],
        ['i3', 0, '["A","B"]'],
      ] as const) {
        await run(`INSERT INTO inbounds (id, customer_id, reference, is_return, status, type, inbound_date, meta_data,
          created_at, modified_at) VALUES ('${id}', 'c1', '${id}', ${isReturn}, '', '', '', '{}', '', '')`)
        await run(`INSERT INTO inbound_lines (inbound_id, position, variant_id, quantity, serial_numbers, meta_data)
          VALUES ('${id}', 0, 'vc1', 1, '${serials}', '{}')`)
      }
      await before.destroy()
      const database = await openDatabase(file)
      expect(await database.selectFrom('shipped_serials').selectAll().execute()).toEqual([
        { variant_id: 'vc1', serial: 'B', shipment_id: 's2' },
      ])
      await database.destroy()
    } finally {
      rmSync(place, { recursive: true })
    }
  })
})

describe('0021-export-limits', () => {
  it('measures the files that are there, and follows what is added and deleted', async () => {
    const place = mkdtempSync(join(tmpdir(), 'scandesk-migrations-'))
    const file = join(place, 'middleware.db')
    try {
      const old = await emptyBefore(file, '0021-export-limits')
      const run = (statement: string): Promise<unknown> => sql.raw(statement).execute(old)
      await run(`INSERT INTO customers VALUES ('c1', 'c1', 'c1', NULL, '{}', 'then', 'then')`)
      for (const id of ['e1', 'e2'])
        await run(
          `INSERT INTO exports VALUES ('${id}', 'c1', 'standard', 'stock', '{}', '[]', 'completed', 'then', 'then')`,
        )
      await run(`INSERT INTO export_parts VALUES ('e1', 0, 'four'), ('e1', 1, 'é')`)
      await old.destroy()
      const database = await openDatabase(file)
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
      await database.destroy()
    } finally {
      rmSync(place, { recursive: true })
    }
  })
})

describe('0022-document-limits', () => {
  it('counts the documents that clients sent with orders, and goes on counting', async () => {
    const place = mkdtempSync(join(tmpdir(), 'scandesk-migrations-'))
    const file = join(place, 'middleware.db')
    try {
      const old = await emptyBefore(file, '0022-document-limits')
      const run = (statement: string): Promise<unknown> => sql.raw(statement).execute(old)
      await run(`INSERT INTO customers VALUES ('c1', 'c1', 'c1', NULL, '{}', 'then', 'then')`)
      const add = (id: string, type: string, hex: string): string =>
        `INSERT INTO documents (id, customer_id, content, title, mime_type, document_type, created_at)
          VALUES ('${id}', 'c1', x'${hex}', '', '', '${type}', '')`
      await run(add('1', 'order_document', '0000'))
      await run(add('2', 'return_label', '000000'))
      await old.destroy()
      const database = await openDatabase(file)
      const stored = (): Promise<unknown> => database.selectFrom('document_storage').selectAll().execute()
      expect(await stored()).toEqual([{ customer_id: 'c1', bytes: 2 }])
      for (const statement of [add('3', 'shipping_label', '00'), add('4', 'pickup_label', '00')])
        await sql.raw(statement).execute(database)
      expect(await stored()).toEqual([{ customer_id: 'c1', bytes: 3 }])
      await database.deleteFrom('documents').where('id', 'in', ['1', '2', '4']).execute()
      expect(await stored()).toEqual([{ customer_id: 'c1', bytes: 1 }])
      await database.destroy()
    } finally {
      rmSync(place, { recursive: true })
    }
  })
})
