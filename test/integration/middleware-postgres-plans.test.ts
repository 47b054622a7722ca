import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLogger } from '#kit/logger.ts'
import { type Database, type DatabasePlace, openDatabase } from '#middleware/data/engine/database.ts'
import type { Page } from '#middleware/data/engine/listing.ts'
import { exportSources } from '#middleware/data/exports/export-sources.ts'
import { filledTables, fillTables } from '#support/filled-tables.ts'
import { listDirections, listPage, listRanges, lists } from '#support/list-reads.ts'
import { postgresConditions, postgresFaults, postgresIndexes, type Read } from '#support/query-plans.ts'
import { dropTestDatabase, isOnPostgres, testPlace } from '#support/test-database.ts'
import {
  allWorkReads,
  day,
  early,
  exportedRecords,
  filledLotIndexes,
  filledLotReads,
  readLines,
  workReads,
} from '#support/work-reads.ts'

/**
 * The query plans of PostgreSQL depend on the number of rows, so the tables are filled. The unit tests list-plans and
 * work-plans check the query plans of SQLite.
 */
describe.skipIf(!isOnPostgres)('on PostgreSQL with many records', () => {
  let place: DatabasePlace
  let database: Database
  beforeAll(async () => {
    place = await testPlace(':memory:')
    database = await openDatabase(place, createLogger('test', { level: 'silent' }))
    await fillTables(database)
  })
  afterAll(async () => {
    await database.destroy()
    await dropTestDatabase(place)
  })

  const faults = (read: Read): Promise<string[]> => postgresFaults(database, filledTables, read)

  describe.each(lists)('the list of $name', ({ sorts, filters, narrow, read }) => {
    it.each(sorts.map((sort) => ({ sort })))('reads and sorts no whole table: $sort', async ({ sort }) => {
      const check = async (filter: object, rest: Partial<Page>): Promise<void> => {
        const page = listPage(sort, { limit: 50, ...rest })
        expect(await faults((connection) => read(connection, filter, page))).toEqual([])
      }
      for (const range of listRanges) {
        for (const filter of filters)
          for (const direction of listDirections)
            for (const offset of [0, 4000]) await check(filter, { ...range, direction, offset })
        for (const filter of narrow) await check(filter, { ...range, offset: 0 })
      }
    })
  })

  const places: Readonly<Record<string, string | number>> = {
    inbound_date: day,
    requested_delivery_date: day,
    serial: 5,
  }
  it.each(
    lists.flatMap(({ name, sorts, filters, read }) => sorts.map((sort) => ({ name, sort, filters, read }))),
  )(
    'the list of $name reads no whole table for a page at a high offset if row positions are in memory: $sort',
    async ({ sort, filters, read }) => {
      const value = places[sort] ?? (sort.endsWith('_at') ? early : 'x')
      for (const filter of filters)
        for (const direction of listDirections) {
          const page = listPage(sort, { limit: 50, direction, offset: 25_000 })
          const twice: Read = async (connection) => {
            await read(connection, filter, page)
            await read(connection, filter, page)
          }
          const found = [{ id: 'x', state: 's', value }]
          expect(await postgresFaults(database, filledTables, twice, found)).toEqual([])
        }
    },
  )

  it.each(allWorkReads)('the background work %s reads and sorts no whole table', async (_, read) => {
    expect(await faults(read)).toEqual([])
  })

  it.each(filledLotReads)('the read of %s uses only indexes that contain no empty lots', async (_, read) => {
    const found = [{ id: 'x', article_id: 'x' }]
    const all = await postgresIndexes(database, 'batches', read, found)
    // the lots of a page are read by their ids after the page was found
    const names = all.filter((name) => name !== 'batches_pkey')
    expect(names).not.toEqual([])
    for (const name of names) expect(filledLotIndexes).toContain(name)
  })

  const types = Object.entries(exportSources).flatMap(([family, sources]) =>
    Object.entries(sources).map(([type, source]) => ({ family, type, source })),
  )
  it.each(types)('the export $family $type reads and sorts no whole table', async ({ source }) => {
    expect(await postgresFaults(database, filledTables, readLines(source), exportedRecords)).toEqual([])
  })

  it('the export of locations reads only the newest entries of each lot, however many entries the lot has', async () => {
    const read = workReads['lots of locations at a moment']
    const conditions = await postgresConditions(database, 'stock_entries', read)
    expect(conditions).toEqual([expect.stringMatching(/batch_id = .* AND \(id > /) as unknown])
  })

  describe('the check of query plans', () => {
    it.each<[string, Read, RegExp]>([
      [
        'scans a table',
        (connection) => connection.selectFrom('variants').select('id').where('weight', '=', 1).execute(),
        /^scans variants: /,
      ],
      [
        'scans an index',
        (connection) =>
          connection.selectFrom('variants').select(['customer_id', 'id']).where('id', '<>', 'x').execute(),
        /^scans (an index of )?variants: /,
      ],
      [
        'sorts the rows of a customer',
        (connection) =>
          connection
            .selectFrom('variants')
            .select('id')
            .where('customer_id', '=', 'customers-1')
            .orderBy('weight')
            .limit(50)
            .execute(),
        /^sorts \d{4,} rows: /m,
      ],
    ])('reports a statement that %s', async (_, read, fault) => {
      expect((await faults(read)).join('\n')).toMatch(fault)
    })
  })
})
