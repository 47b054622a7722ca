/** Statuses of an order (api.md, States, Order); a new one is `created`. */
export const orderStatuses = [
  'planned',
  'plannable',
  'invalid_address',
  'backorder',
  'cancelled',
  'created',
  'on_hold',
  'partially_shipped',
  'processing',
  'shipped',
  'problem',
  'awaiting_documents',
  'restock',
  'shipment_waiting_for_ewh',
  'invalid',
] as const
export type OrderStatus = (typeof orderStatuses)[number]

/**
 * api.md shows no transitions, so these are chosen. An order is checked (`created`), can be picked (`plannable`), has
 * its turn (`planned`), is picked (`processing`) and leaves; what stops it on the way can be put right or given up.
 * From `processing` on goods have left their shelves, so every way out but shipping goes by way of `restock`, which says
 * that they lie there again. A picked order that cannot ship, for whatever reason, is therefore restocked first and becomes
 * a `problem` after that: in `problem` nothing is picked, and the customer may change or cancel the order.
 */
const next: Record<OrderStatus, readonly OrderStatus[]> = {
  created: [
    'plannable',
    'invalid',
    'invalid_address',
    'backorder',
    'awaiting_documents',
    'on_hold',
    'problem',
    'cancelled',
  ],
  invalid: ['created', 'on_hold', 'cancelled'],
  invalid_address: ['created', 'on_hold', 'cancelled'],
  awaiting_documents: ['created', 'plannable', 'on_hold', 'cancelled'],
  on_hold: ['created', 'plannable', 'backorder', 'invalid_address', 'cancelled'],
  backorder: ['plannable', 'invalid_address', 'on_hold', 'cancelled'],
  plannable: [
    'planned',
    'backorder',
    'invalid_address',
    'awaiting_documents',
    'on_hold',
    'problem',
    'cancelled',
  ],
  planned: ['processing', 'plannable', 'backorder', 'invalid_address', 'on_hold', 'problem', 'cancelled'],
  problem: ['created', 'plannable', 'invalid_address', 'on_hold', 'restock', 'cancelled'],
  processing: ['partially_shipped', 'shipped', 'shipment_waiting_for_ewh', 'restock'],
  shipment_waiting_for_ewh: ['partially_shipped', 'shipped', 'restock'],
  partially_shipped: ['processing', 'shipped', 'restock'],
  restock: ['plannable', 'problem', 'cancelled'],
  shipped: [],
  cancelled: [],
}

export function canMoveOrder(from: OrderStatus, to: OrderStatus): boolean {
  return next[from].includes(to)
}

/** Statuses in which the customer may still change or cancel an order: nothing was picked for it. */
export const changeableOrderStatuses = [
  'created',
  'invalid',
  'invalid_address',
  'awaiting_documents',
  'on_hold',
  'backorder',
  'plannable',
  'planned',
  'problem',
] as const satisfies readonly OrderStatus[]

/** Statuses in which an order's goods are spoken for, and still lie in the warehouse. */
export const reservingOrderStatuses = [
  ...changeableOrderStatuses,
  'processing',
  'partially_shipped',
  'shipment_waiting_for_ewh',
] as const satisfies readonly OrderStatus[]

/** Statuses that something may still follow. */
export const openOrderStatuses: readonly OrderStatus[] = orderStatuses.filter(
  (status) => next[status].length > 0,
)
