/** Statuses of an order (API.md 6.5). A new order has the status `created`. */
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
 * Transitions of an order. The contract shows none, so they are chosen here (API.md 6.5). An order is checked
 * (`created`), can be picked (`plannable`), is scheduled (`planned`), is picked (`processing`) and is then shipped. An
 * order that is stopped before it is shipped can be corrected or given up. From `processing` on, the goods have left
 * their shelves. If such an order is not shipped, its goods must first be returned to their shelves (`restock`); only
 * then may it become a `problem`. An order with the status `problem` has no picked goods, and the customer may change
 * or cancel it.
 */
const orderMoves: Record<OrderStatus, readonly OrderStatus[]> = {
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
  invalid: ['created', 'invalid_address', 'on_hold', 'cancelled'],
  invalid_address: ['created', 'on_hold', 'cancelled'],
  awaiting_documents: ['created', 'plannable', 'invalid_address', 'on_hold', 'cancelled'],
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
  return orderMoves[from].includes(to)
}

/** Statuses in which the customer may still change or cancel an order, because nothing was picked for it. */
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

/** Statuses in which an order's goods are reserved but still in the warehouse. */
export const reservingOrderStatuses = [
  ...changeableOrderStatuses,
  'processing',
  'partially_shipped',
  'shipment_waiting_for_ewh',
] as const satisfies readonly OrderStatus[]

/** Statuses of an order that are not final. */
export const openOrderStatuses: readonly OrderStatus[] = orderStatuses.filter(
  (status) => orderMoves[status].length > 0,
)

/**
 * Statuses of an inbound (API.md 5.2): those of the contract, and others that the service's clients use. The contract
 * shows no transitions, so the transitions are this service's own choice.
 */
export const inboundStatuses = [
  'announced',
  'process_no_announcement',
  'awaiting_transfer',
  'transfer',
  'processing',
  'on_hold',
  'completed',
  'cancelled',
] as const
export type InboundStatus = (typeof inboundStatuses)[number]

/** How the warehouse learned of an inbound: from a file, from a client, or only by its arrival. */
export const inboundTypes = ['import', 'announced', 'unannounced'] as const
export type InboundType = (typeof inboundTypes)[number]

const inboundMoves: Record<InboundStatus, readonly InboundStatus[]> = {
  announced: ['awaiting_transfer', 'processing', 'on_hold', 'cancelled'],
  // unannounced goods are already on the dock, so the inbound is processed or put on hold
  process_no_announcement: ['processing', 'on_hold'],
  // the goods arrived at another site, which will send them to this warehouse
  awaiting_transfer: ['transfer', 'on_hold', 'cancelled'],
  transfer: ['processing', 'on_hold'],
  processing: ['completed', 'on_hold'],
  on_hold: ['announced', 'awaiting_transfer', 'processing', 'cancelled'],
  completed: [],
  cancelled: [],
}

export function canMoveInbound(from: InboundStatus, to: InboundStatus): boolean {
  return inboundMoves[from].includes(to)
}

/**
 * Whether the status of an inbound allows its customer to change the lines and the day of the inbound. Only a status
 * that allows a cancellation allows this. After pieces were received, the customer can no longer change or cancel the
 * inbound (API.md 5.2).
 */
export function isInboundOpen(status: InboundStatus): boolean {
  return canMoveInbound(status, 'cancelled')
}

/** Statuses of an inbound that are not final. */
export const openInboundStatuses: readonly InboundStatus[] = inboundStatuses.filter(
  (status) => inboundMoves[status].length > 0,
)

/** Statuses of a customer-to-customer transfer (API.md 10.2). */
export const transferStatuses = [
  'created',
  'requested',
  'processing',
  'denied',
  'accepted',
  'cancelled',
] as const
export type TransferStatus = (typeof transferStatuses)[number]

/**
 * Transitions of a transfer. A cancellation is possible from any status (API.md 10.2); the transitions by the warehouse
 * are this service's own choice. The goods change owner with `accepted`. The cancellation of an accepted transfer
 * changes only its status: the goods stay with the destination, which returns them by another transfer.
 */
const transferMoves: Record<TransferStatus, readonly TransferStatus[]> = {
  created: ['requested', 'cancelled'],
  requested: ['processing', 'denied', 'cancelled'],
  processing: ['accepted', 'denied', 'cancelled'],
  denied: ['cancelled'],
  accepted: ['cancelled'],
  cancelled: [],
}

export function canMoveTransfer(from: TransferStatus, to: TransferStatus): boolean {
  return transferMoves[from].includes(to)
}

/** Statuses of a transfer whose goods can still pass to the other customer. */
export const openTransferStatuses = [
  'created',
  'requested',
  'processing',
] as const satisfies readonly TransferStatus[]

/**
 * States of a return label (API.md 8.3). `requesting`: the carrier is being called, and no client may change the label.
 */
export const returnLabelStates = ['unrequested', 'requesting', 'requested', 'cancelled'] as const
export type ReturnLabelState = (typeof returnLabelStates)[number]

const returnLabelMoves: Record<ReturnLabelState, readonly ReturnLabelState[]> = {
  unrequested: ['requesting', 'cancelled'],
  // the state becomes `unrequested` again if the call to the carrier failed or the calling process ended
  requesting: ['requested', 'unrequested'],
  requested: [],
  cancelled: [],
}

export function canMoveReturnLabel(from: ReturnLabelState, to: ReturnLabelState): boolean {
  return returnLabelMoves[from].includes(to)
}

/** The kinds of records that the warehouse has to check after a client created or changed one. */
export const warehouseWorkKinds = ['order', 'inbound', 'modification', 'transfer'] as const
export type WarehouseWorkKind = (typeof warehouseWorkKinds)[number]
