import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLogger } from '#kit/logger.ts'
import type { Database } from '#middleware/data/engine/database.ts'
import { SingleProcess } from '#middleware/data/engine/open-coordination.ts'
import { openSqliteDatabase } from '#middleware/data/engine/sqlite.ts'
import type { ExportRow } from '#middleware/data/schema/exports.ts'
import { seedWorld } from '#middleware/data/seeds/seed.ts'
import {
  createExportRunner,
  type ExportRunner,
  usualExportLimits,
} from '#middleware/services/exports/runner.ts'
import { Turns, usualWaitingLimits } from '#middleware/services/turns.ts'
import { type TestClock, testClock } from '#support/middleware-server.ts'
import { makeSmallWorld, smallIds } from '#support/small-world.ts'

let database: Database
let clock: TestClock
let runner: ExportRunner
beforeEach(async () => {
  database = openSqliteDatabase(':memory:')
  const world = makeSmallWorld()
  await seedWorld(database, world, new Map(world.users.map(({ id }) => [id, 'no hash'])))
  await database.deleteFrom('exports').execute()
  await sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 3000)
    insert into variants (id, article_id, customer_id, article_code, name, expirable, using_serial_numbers, value,
      created_at, modified_at, stock_modified_at)
    select 'many-' || n, article_id, customer_id, 'many-' || n, printf('%0400d', n), 0, 0, 1, '2026-01-01T00:00:00.000Z',
      '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'
    from numbers, (select article_id, customer_id from variants where customer_id = ${smallIds.alder} limit 1)
  `.execute(database)
  clock = testClock()
  runner = createExportRunner({
    database,
    clock,
    logger: createLogger('test', { level: 'silent' }),
    turns: new Turns(usualWaitingLimits),
    leases: new SingleProcess().leases,
    limits: usualExportLimits,
    delayMs: 0,
  })
})
afterEach(async () => {
  await runner.stop()
  await database.destroy()
})

/** Stores an export of the stock. */
async function request(fields: readonly string[], second: number): Promise<string> {
  const id = randomUUID()
  const at = `2026-06-01T11:00:0${second}.000Z`
  const request = { id, customer_id: smallIds.alder, family: 'standard', type: 'stock' } as const
  const filters = JSON.stringify({ search: null, from: null, to: null })
  await database
    .insertInto('exports')
    .values({
      ...request,
      filters,
      fields: JSON.stringify(fields),
      status: 'created',
      created_at: at,
      modified_at: at,
    })
    .execute()
  return id
}

async function stored(id: string): Promise<ExportRow | undefined> {
  return database.selectFrom('exports').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Limits the size of the database, so that it has no space for the file of all fields. */
async function limitSpace(): Promise<void> {
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(database)
  await sql.raw(`pragma max_page_count = ${Number(rows[0]?.page_count) + 200}`).execute(database)
}

describe('an export whose file does not fit into the storage', () => {
  it('is written again only after the other exports of its customer, fails at the third refusal, and keeps no parts', async () => {
    const large = await request([], 1)
    const small = await request(['ean'], 2)
    await limitSpace()
    runner.wake()
    await expect.poll(() => stored(small), { timeout: 20_000 }).toMatchObject({ status: 'completed' })
    expect(await stored(large)).toMatchObject({ status: 'created', refusals: 1, bytes: 0 })
    for (const [refusals, status] of [
      [2, 'created'],
      [3, 'failed'],
    ] as const) {
      clock.advance(4 * 60_000)
      runner.wake()
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(await stored(large)).toMatchObject({ status: 'created', refusals: refusals - 1 })
      clock.advance(2 * 60_000)
      runner.wake()
      await expect.poll(() => stored(large), { timeout: 20_000 }).toMatchObject({ status, refusals })
    }
    await expect.poll(() => stored(large), { timeout: 20_000 }).toMatchObject({ bytes: 0 })
    const parts = database.selectFrom('export_parts').select('export_id').where('export_id', '=', large)
    expect(await parts.execute()).toEqual([])
  })
  it('is written again if the clock was ahead at the refusal, but not if the clock of a process is slightly ahead', async () => {
    const large = await request([], 1)
    await limitSpace()
    runner.wake()
    await expect
      .poll(() => stored(large), { timeout: 20_000 })
      .toMatchObject({ status: 'created', refusals: 1, bytes: 0 })
    clock.advance(-4 * 60_000)
    runner.wake()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await stored(large)).toMatchObject({ status: 'created', refusals: 1 })
    clock.advance(-3 * 24 * 3600_000)
    await sql`pragma max_page_count = 1000000`.execute(database)
    runner.wake()
    await expect.poll(() => stored(large), { timeout: 10_000 }).toMatchObject({ status: 'completed' })
  })
})
