import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '#middleware/data/database.ts'
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

describe('seedWorld', () => {
  it('stores every row of the demo, once', async () => {
    const world = makeDemoWorld({ seed: 1, now: new Date('2026-06-01T12:00:00Z') })
    const database = await openDatabase(':memory:')
    const hashes = new Map(world.users.map(({ id }) => [id, 'hash']))
    expect(await seedWorld(database, world, hashes)).toBe(true)
    expect(await seedWorld(database, world, hashes)).toBe(false)
    const counted = async (
      table: 'customers' | 'variants' | 'shipments' | 'batches' | 'locations',
    ): Promise<number> => {
      const rows = await database.selectFrom(table).select('id').execute()
      return rows.length
    }
    for (const table of ['customers', 'variants', 'shipments', 'batches', 'locations'] as const)
      expect(await counted(table)).toBe(world[table].length)
    await database.destroy()
  })
})
