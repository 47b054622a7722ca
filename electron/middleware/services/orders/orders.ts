import { changeableOrderStatuses } from '#shared/domain/resource-states.ts'
import { settleReservation } from '../../data/goods/ledger.ts'
import { findVariants } from '../../data/goods/variants.ts'
import {
  changeOrderIn,
  documentsOfOrder,
  findOrder,
  linesOfOrder,
  type ListedOrder,
  listOrders as listRows,
  type OrderDocumentRow,
  type OrderFilters,
} from '../../data/orders/orders.ts'
import type { VariantTable } from '../../data/schema/goods.ts'
import type { OrderLineTable, OrderTable } from '../../data/schema/orders.ts'
import { type Customer, type ServiceContext, transact } from '../context.ts'
import { type Listing, type ListQuery, toPage } from '../paging.ts'
import { Refusal } from '../refusal.ts'
import type { Subject, Unit } from '../unit.ts'

type OrderSort = 'createdAt' | 'status' | 'modifiedAt' | 'requestedDeliveryDate'

const listing: Listing<OrderSort> = {
  columns: {
    createdAt: 'created_at',
    status: 'status',
    modifiedAt: 'modified_at',
    requestedDeliveryDate: 'requested_delivery_date',
  },
  sort: 'createdAt',
  direction: 'desc',
}

/** An order with the requested related records. `lines` and `documents` are null if they were not requested. */
export interface OrderRecord {
  readonly order: OrderTable
  readonly lines: readonly { readonly line: OrderLineTable; readonly variant: VariantTable }[] | null
  readonly documents: readonly OrderDocumentRow[] | null
}

interface OrderParts {
  readonly lines: boolean
  readonly documents: boolean
}

/** Lists orders without related records (API.md 6.1). */
export async function listOrders(
  context: ServiceContext,
  customer: Customer,
  call: { filters: OrderFilters; query: ListQuery<OrderSort> },
): Promise<ListedOrder[]> {
  return listRows(context.database, customer.id, call.filters, toPage(call.query, listing))
}

export async function getOrder(
  context: ServiceContext,
  customer: Customer,
  id: string,
  parts: OrderParts,
): Promise<OrderRecord> {
  const { database } = context
  const order = await existingOrder(context, customer, id)
  return {
    order,
    lines: parts.lines ? await linesWithVariants(context, customer, id) : null,
    documents: parts.documents ? await documentsOfOrder(database, customer.id, { id }) : null,
  }
}

/**
 * Cancels an order of which nothing was picked; a second call changes nothing. Refused with 412 once the warehouse
 * works on it, or after it was shipped (shared/domain/resource-states.ts).
 */
export async function cancelOrder(context: ServiceContext, customer: Customer, id: string): Promise<void> {
  await existingOrder(context, customer, id)
  const cancelled = await transact(context, async (unit) => {
    const changes = { status: 'cancelled', modified_at: unit.now } as const
    if (!(await changeOrderIn(unit.connection, changeableOrderStatuses, id, changes))) return false
    const order = { customerId: customer.id, id }
    await orderChanged(unit, order)
    unit.forWarehouse('order', order)
    return true
  })
  if (cancelled) return
  const { status } = await existingOrder(context, customer, id)
  if (status !== 'cancelled') throw notChangeable(status)
}

/** Returns the customer's order. An order of another customer is treated as not found. */
export async function existingOrder(
  context: ServiceContext,
  customer: Customer,
  id: string,
): Promise<OrderTable> {
  const order = await findOrder(context.database, customer.id, id)
  if (order === null) throw orderNotFound()
  return order
}

/**
 * Returns the refusal if an order can no longer be changed: 400 after it was cancelled, 412 once the warehouse works on
 * it or after it was shipped.
 */
export function notChangeable(status: OrderTable['status']): Refusal {
  return status === 'cancelled'
    ? new Refusal('invalid', 'Order is cancelled.')
    : new Refusal('too_late', `Order is ${status}.`)
}

export function orderNotFound(): Refusal {
  return new Refusal('not_found', 'Order not found.')
}

async function linesWithVariants(
  context: ServiceContext,
  customer: Customer,
  id: string,
): Promise<OrderRecord['lines']> {
  const lines = await linesOfOrder(context.database, id)
  const ids = new Set(lines.map((line) => line.variant_id))
  const variants = await findVariants(context.database, customer.id, [...ids])
  return lines.map((line) => {
    const variant = variants.get(line.variant_id)
    if (variant === undefined) throw new Error(`A line of order ${id} names a record that does not exist`)
    return { line, variant }
  })
}

/**
 * Records that an order was created, or that its status or lines changed. Updates the reserved stock and notifies
 * webhooks.
 */
export async function orderChanged(
  unit: Unit,
  order: Subject,
  happened: 'created' | 'updated' = 'updated',
): Promise<void> {
  const posting = { kind: 'order', causeId: order.id, now: unit.now } as const
  const variants = await settleReservation(unit.connection, order.id, posting)
  unit.changed('order', happened, order)
  await unit.stockChanged(order.customerId, variants)
}
