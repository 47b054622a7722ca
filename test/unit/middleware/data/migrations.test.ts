import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { describe, expect, it } from 'vitest'
import { nextSerial } from '#middleware/data/counters.ts'
import { openDatabase } from '#middleware/data/database.ts'
import { createDialect } from '#middleware/data/dialect.ts'
import { migrations } from '#middleware/data/migrations.ts'
import { seedWorld } from '#middleware/data/seed.ts'
import { makeDemoWorld } from '#middleware/warehouse/demo/world.ts'

const folder = new URL('../../../../electron/middleware/data/migrations/', import.meta.url)

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
  'inbounds',
  'batches',
  'locations',
  'modifications',
] as const

/** A database as it was before the migration named, with two lots of one inbound and one of another customer's. */
async function databaseBefore(file: string, migration: string): Promise<void> {
  const database = new Kysely<unknown>({ dialect: createDialect(file) })
  const earlier = Object.entries(migrations).filter(([key]) => key < migration)
  const provider = { getMigrations: () => Promise.resolve(Object.fromEntries(earlier)) }
  const { error } = await new Migrator({ db: database, provider }).migrateToLatest()
  expect(error).toBeUndefined()
  for (const statement of [
    ...['c1', 'c2'].flatMap((id) => [
      `INSERT INTO customers VALUES ('${id}', '${id}', '${id}', NULL, '{}', 'then', 'then')`,
      `INSERT INTO articles VALUES ('a${id}', '${id}', 'Article', 'then', 'then')`,
      `INSERT INTO variants (id, article_id, customer_id, article_code, name, expirable, using_serial_numbers, created_at, modified_at)
       VALUES ('v${id}', 'a${id}', '${id}', 'X', 'X', 0, 0, 'then', 'then')`,
    ]),
    `INSERT INTO locations VALUES ('l', 'A-01', 1)`,
    `INSERT INTO batches VALUES ('b1', 'c1', 'vc1', 'l', 1, NULL, 'INB1', '2026-02-02T10:00:00.000Z')`,
    `INSERT INTO batches VALUES ('b2', 'c1', 'vc1', 'l', 2, NULL, 'INB1', '2026-02-01T10:00:00.000Z')`,
    `INSERT INTO batches VALUES ('b3', 'c2', 'vc2', 'l', 3, NULL, 'INB1', '2026-02-03T10:00:00.000Z')`,
  ])
    await sql.raw(statement).execute(database)
  await database.destroy()
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
    await database.destroy()
  })
})
