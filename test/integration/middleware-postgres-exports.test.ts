import type { Transaction } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { createLogger } from '#kit/logger.ts'
import { type Database, openDatabase } from '#middleware/data/engine/database.ts'
import { lotsAfter } from '#middleware/data/exports/stock.ts'
import { postPieces, presentMoment } from '#middleware/data/goods/ledger.ts'
import type { Schema } from '#middleware/data/schema/schema.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallIds } from '#support/small-world.ts'
import { freshUrl, isOnPostgres } from '#support/test-database.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function serve(): Promise<{ server: TestServer; database: Database }> {
  const databaseUrl = await freshUrl(ends)
  const server = await startTestServer({ databaseUrl, exportDelayMs: 0 })
  ends.push(() => server.close())
  const logger = createLogger('test', { level: 'silent' })
  const database = await openDatabase({ databaseFile: '', databaseUrl }, logger)
  ends.push(() => database.destroy())
  return { server, database }
}

const [first, second] = [smallGoods.batches[0] ?? '', smallGoods.batches[1] ?? '']

/** Moves a piece from a lot to another one, with two entries of the ledger. `between` runs between them. */
async function movePiece(
  connection: Transaction<Schema>,
  [from, to]: readonly [string, string],
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const posting = { kind: 'move', causeId: null, now: '2026-06-01T12:00:00.000Z' } as const
  const lots = await connection
    .selectFrom('batches')
    .select(['id', 'variant_id'])
    .where('id', 'in', [from, to])
    .execute()
  const variantOf = (id: string): string => lots.find((lot) => lot.id === id)?.variant_id ?? ''
  expect(await postPieces(connection, { id: from, variant_id: variantOf(from) }, -1, posting)).toBe(true)
  await between()
  expect(await postPieces(connection, { id: to, variant_id: variantOf(to) }, 1, posting)).toBe(true)
}

/**
 * Moves a piece in one transaction. Runs `during` between the two entries of this move in the ledger, before the
 * transaction is committed.
 */
async function duringMove(database: Database, during: () => Promise<unknown>): Promise<void> {
  await database
    .transaction()
    .setIsolationLevel('read committed')
    .execute((connection) => movePiece(connection, [first, second], during))
}

describe.skipIf(!isOnPostgres)('an export of locations on PostgreSQL', () => {
  it('is written while a transaction that has changed the stock is open', async () => {
    const { server, database } = await serve()
    await duringMove(database, async () => {
      const body = { type: 'fillings', fields: ['pieces'] }
      const made = await server.call('/wms/exports/financial/', { method: 'POST', body })
      const path = `/wms/exports/${(made.body as { id: string }).id}/`
      await expect
        .poll(async () => (await server.call(path)).body, { timeout: 5000 })
        .toMatchObject({ ready: true })
    })
  })

  it('contains no part of a move that was committed after the moment of the export, even if an entry of the move has an earlier id', async () => {
    const { database } = await serve()
    const lots = async (moment = presentMoment(database)): Promise<[string, number][]> => {
      const from = { after: { location_id: '', id: '' }, moment: await moment }
      return (await lotsAfter(database, smallIds.alder, from)).map(({ id, quantity }) => [id, quantity])
    }
    const other = smallGoods.batches[2] ?? ''
    const before = await lots()
    let moment: ReturnType<typeof presentMoment> | undefined
    let atMoment: [string, number][] = []
    await duringMove(database, async () => {
      // Commits an entry of another lot while the move is open. This entry has a higher id than the first entry of the
      // move.
      await database
        .transaction()
        .setIsolationLevel('read committed')
        .execute((connection) =>
          postPieces(connection, { id: other, variant_id: smallGoods.teaBox }, 3, {
            ...{ kind: 'correction', causeId: null, now: '2026-06-01T12:00:00.000Z' },
          }),
        )
      atMoment = await lots()
      moment = presentMoment(database)
      await moment
    })
    expect(atMoment).not.toEqual(before)
    expect(await lots(moment)).toEqual(atMoment)
    expect(await lots()).not.toEqual(atMoment)
  })
})
