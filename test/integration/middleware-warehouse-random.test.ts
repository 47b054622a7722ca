import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { warehouseCalls } from '#support/warehouse-acts.ts'
import { auditBooks, auditTouched } from '#support/warehouse-books.ts'
import { clientCalls } from '#support/warehouse-clients.ts'
import { type Game, startGame } from '#support/warehouse-game.ts'
import { slowChoice } from '../slow-tests.ts'

/** `npm run test:more`, and therefore continuous integration, makes more calls than a run of this file alone. */
const calls = slowChoice === 'only' ? 50_000 : count(10_000, 200_000)

let game: Game
beforeAll(async () => {
  game = await startGame(seed)
})
afterAll(() => game.bench.close())

/** Calls that are made more often than others, with the factor for each. */
const often = { moveOrder: 12, shipOrder: 12, moveInbound: 2, receive: 4, decideTransfer: 2, moveTransfer: 2 }

/**
 * Removes each finished record from the model with a probability of 0.3, so that later calls rarely choose a finished
 * record.
 */
function forget({ model, chance }: Game): void {
  for (const items of [model.orders, model.inbounds, model.modifications, model.transfers])
    for (const [id, { status }] of items)
      if (/^(shipped|cancelled|completed|approved|disapproved|accepted|denied)$/.test(status) && chance(0.3))
        items.delete(id)
}

describe(`${calls} random calls of clients and the warehouse`, () => {
  it('leave the stock equal to a model of it, and are refused exactly if the model refuses them', async () => {
    const { bench, model, pick } = game
    const all = { ...clientCalls(game), ...warehouseCalls(game) }
    const oftener = Object.entries(often).flatMap(([name, times]) =>
      Array.from({ length: times }, () => name),
    )
    const names = [...Object.keys(all), ...oftener]
    const made = new Map<string, number>()
    for (let call = 0; call < calls;) {
      bench.clock.advance(1)
      const name = pick(names) ?? ''
      const touched = (await all[name]?.()) ?? null
      if (touched === null) continue
      call += 1
      made.set(name, (made.get(name) ?? 0) + 1)
      await auditTouched(bench, model, touched)
      if (call % 50 === 0) forget(game)
      if (call % 500 === 0) await auditBooks(bench, model)
    }
    await auditBooks(bench, model)
    // Checks the test itself: the test has made every kind of call, and each of these queries finds more than two rows.
    expect([...made.keys()].toSorted()).toEqual(Object.keys(all).toSorted())
    for (const query of [
      "select id from orders where status = 'shipped'",
      'select order_id from shipments group by 1 having count(*) > 1',
      "select id from transfers where status = 'accepted'",
      "select id from modifications where status = 'approved'",
      "select id from inbounds where status = 'completed'",
      'select id from variants where deleted_at is not null',
    ])
      expect([query, (await bench.rows(query)).length > 2]).toEqual([query, true])
  }, 3_600_000)
})
