import { describe, expect, it } from 'vitest'
import {
  canMoveOrder,
  changeableOrderStatuses,
  type OrderStatus,
  orderStatuses,
  reservingOrderStatuses,
} from '#shared/domain/resource-states.ts'
import { needsPostcode } from '#shared/domain/country.ts'

/** A row is the status before a transition, a column the status after it, in the order of the rows. `x`: allowed. */
const matrix: Readonly<Record<OrderStatus, string>> = {
  created: /*                 */ '. x x x x x x . x . . . . . x',
  invalid: /*                 */ 'x . x . x . . . . . . . . . x',
  invalid_address: /*         */ 'x . . . x . . . . . . . . . x',
  awaiting_documents: /*      */ 'x . x . x . x . . . . . . . x',
  on_hold: /*                 */ 'x . x . . x x . . . . . . . x',
  backorder: /*               */ '. . x . x . x . . . . . . . x',
  plannable: /*               */ '. . x x x x . x x . . . . . x',
  planned: /*                 */ '. . x . x x x . x x . . . . x',
  problem: /*                 */ 'x . x . x . x . . . . . x . x',
  processing: /*              */ '. . . . . . . . . . x x x x .',
  shipment_waiting_for_ewh: /**/ '. . . . . . . . . . . x x x .',
  partially_shipped: /*       */ '. . . . . . . . . x . . x x .',
  restock: /*                 */ '. . . . . . x . x . . . . . x',
  shipped: /*                 */ '. . . . . . . . . . . . . . .',
  cancelled: /*               */ '. . . . . . . . . . . . . . .',
}
const order = Object.keys(matrix) as OrderStatus[]
const allowed = new Set(
  order.flatMap((from) =>
    matrix[from]
      .split(' ')
      .flatMap((mark, column) => (mark === 'x' ? [`${from} ${order[column] ?? ''}`] : [])),
  ),
)

describe('the states of an order', () => {
  it('are exactly the order statuses of section 6.5 of API.md', () => {
    expect([...orderStatuses]).toEqual(
      (
        'planned plannable invalid_address backorder cancelled created on_hold partially_shipped processing shipped ' +
        'problem awaiting_documents restock shipment_waiting_for_ewh invalid'
      ).split(' '),
    )
    expect([...order].sort()).toEqual([...orderStatuses].sort())
  })

  it.each(orderStatuses.flatMap((from) => orderStatuses.map((to) => [from, to] as const)))(
    'allow the transition from %s to %s if, and only if, the table of this test allows it',
    (from, to) => {
      expect(canMoveOrder(from, to)).toBe(allowed.has(`${from} ${to}`))
    },
  )

  it('are all reachable from created, and only cancelled and shipped are final', () => {
    const reached = new Set<OrderStatus>(['created'])
    for (const from of reached) for (const to of orderStatuses) if (canMoveOrder(from, to)) reached.add(to)
    expect(reached.size).toBe(orderStatuses.length)
    const ends = orderStatuses.filter((from) => !orderStatuses.some((to) => canMoveOrder(from, to)))
    expect(ends.sort()).toEqual(['cancelled', 'shipped'])
  })

  it('let an order in processing reach only processing, shipment_waiting_for_ewh, partially_shipped and shipped, unless it goes to restock', () => {
    const picked = new Set<OrderStatus>(['processing'])
    for (const from of picked)
      for (const to of orderStatuses) if (to !== 'restock' && canMoveOrder(from, to)) picked.add(to)
    expect([...picked].sort()).toEqual([
      'partially_shipped',
      'processing',
      'shipment_waiting_for_ewh',
      'shipped',
    ])
  })

  it('allow a cancellation in every state in which the customer may change the order', () => {
    for (const status of changeableOrderStatuses) expect(canMoveOrder(status, 'cancelled')).toBe(true)
    const others = orderStatuses.filter((status) => !changeableOrderStatuses.some((one) => one === status))
    expect(others.sort()).toEqual([
      'cancelled',
      'partially_shipped',
      'processing',
      'restock',
      'shipment_waiting_for_ewh',
      'shipped',
    ])
  })

  it('allow the status invalid_address after every other state in which the customer may change the order', () => {
    for (const status of changeableOrderStatuses)
      expect(canMoveOrder(status, 'invalid_address')).toBe(status !== 'invalid_address')
  })

  it('reserve the goods of an order, except if it is shipped, cancelled or in restock', () => {
    const free = orderStatuses.filter((status) => !reservingOrderStatuses.some((one) => one === status))
    expect(free.sort()).toEqual(['cancelled', 'restock', 'shipped'])
  })
})

describe('needsPostcode()', () => {
  it.each([
    ['HK', false],
    ['AE', false],
    ['ae', false],
    ['NL', true],
    ['GB', true],
    ['XX', true],
  ])('returns for the country %s: %s', (country, needed) => {
    expect(needsPostcode(country)).toBe(needed)
  })
})
