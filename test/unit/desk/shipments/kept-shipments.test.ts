import { expect, it } from 'vitest'
import type { IndexReach } from '#desk/shipments/index-reach.ts'
import type { WalkView } from '#desk/shipments/index-walker.ts'
import { KeptShipments } from '#desk/shipments/kept-shipments.ts'
import { failure } from '#shared/errors/catalogue.ts'

const whole: WalkView = {
  rows: 7,
  state: { oldest: 1_000, newest: 9_000, syncedAt: 9_500, complete: true },
  goal: 1_000,
  isWhole: true,
  gapSince: null,
  syncing: false,
  failure: null,
  leftOut: { count: 0, before: null },
}

it('the overview shows the number, age, state and failure of return labels as it shows those of shipments', () => {
  const walker = (view: WalkView, count: number) => ({
    view: () => view,
    skipped: () => ({ count, newest: [] }),
    reachChanged: () => undefined,
  })
  const stopped = { ...whole, rows: 3, isWhole: false, gapSince: 9_000, failure: failure('api.role_missing') }
  const reach = { months: () => 6, days: () => 183, isCut: false } as IndexReach
  const kept = new KeptShipments({ index: walker(whole, 0), labelIndex: walker(stopped, 2), reach })
  expect(kept.view()).toMatchObject({ state: 'ready', count: 7, leftOut: 0, months: 6, failure: null })
  expect(kept.labelView()).toEqual({
    state: 'reading',
    count: 3,
    asOf: '1970-01-01T00:00:09.500Z',
    reachesBackTo: '1970-01-01T00:00:01.000Z',
    goesBackTo: '1970-01-01T00:00:01.000Z',
    gapSince: '1970-01-01T00:00:09.000Z',
    leftOut: 2,
    failure: expect.objectContaining({ code: 'api.role_missing' }) as unknown,
  })
})
