import type { InboundStatus, OrderStatus } from '#shared/domain/resource-states.ts'
import { findInbound } from '../../data/moves/inbounds.ts'
import { findModification } from '../../data/moves/modifications.ts'
import { findTransfer } from '../../data/moves/transfers.ts'
import { findOrder } from '../../data/orders/orders.ts'
import type { OrderTable } from '../../data/schema/orders.ts'
import type { Floor } from '../../warehouse/simulator/floor.ts'
import { moveInbound } from '../../warehouse/simulator/goods-in.ts'
import { moveOrder } from '../../warehouse/simulator/orders.ts'
import { type Customer, type ServiceContext, transact } from '../context.ts'
import { orderNotFound } from '../orders/orders.ts'
import { Refusal } from '../refusal.ts'
import type { Warehouse } from './calls.ts'
import { hasAddressToCorrect } from './orders.ts'
import type { WarehousePort } from './port.ts'

/**
 * Actions of the simulated warehouse on one resource, which a client of the sandbox requests. The actions run
 * immediately, make only allowed transitions, and ignore the waiting times of the resource. Each action is one
 * transaction: if a step is refused, the resource stays unchanged.
 */

/** Parts of a server that the actions of the sandbox need. */
interface Parts {
  readonly context: ServiceContext
  readonly warehouse: Warehouse
}

type OrderMove = Parameters<WarehousePort['moveOrder']>[1]
type InboundMove = Parameters<WarehousePort['moveInbound']>[1]

/**
 * For each status, the next status on the way to picking. A status without an entry has no next status, or means that
 * the order is already picked.
 */
export const towardsPicking: Readonly<Partial<Record<OrderStatus, OrderMove>>> = {
  created: 'plannable',
  invalid: 'created',
  invalid_address: 'created',
  awaiting_documents: 'plannable',
  on_hold: 'plannable',
  backorder: 'plannable',
  problem: 'plannable',
  restock: 'plannable',
  plannable: 'planned',
  planned: 'processing',
}

/**
 * For each status, the next status on the way to counting. A status without an entry has no next status, or means that
 * the inbound is already counted.
 */
export const towardsCounting: Readonly<Partial<Record<InboundStatus, InboundMove>>> = {
  announced: 'processing',
  process_no_announcement: 'processing',
  awaiting_transfer: 'transfer',
  transfer: 'processing',
  on_hold: 'processing',
}

/**
 * Ships all remaining pieces of an order; a shipped order stays unchanged. Refused with 412 if it is cancelled, with
 * 400 if it has no shipping method, pieces are missing, or one shipment would have too many serial numbers.
 */
export async function shipNow(parts: Parts, customer: Customer, id: string): Promise<void> {
  await inOne(parts, async (floor) => {
    const read = async (): Promise<NonNullable<Awaited<ReturnType<typeof findOrder>>>> => {
      const order = await findOrder(floor.database, customer.id, id)
      if (order === null) throw orderNotFound()
      return order
    }
    const next = (order: OrderTable): OrderMove | undefined =>
      hasAddressToCorrect(order) ? 'invalid_address' : towardsPicking[order.status]
    let order = await read()
    if (order.status === 'cancelled') throw new Refusal('too_late', 'Order is cancelled.')
    for (let to = next(order); to !== undefined; to = next(order)) {
      await floor.port.moveOrder(id, to)
      order = await read()
    }
    for (; order.status !== 'shipped'; order = await read())
      if (order.status === 'restock' || !(await moveOrder(floor, order)))
        throw new Refusal(
          'invalid',
          'The order has no shipping method, pieces are missing, or they need over 10,000 serial numbers.',
        )
  })
}

/**
 * Counts all expected goods of an inbound and completes it; a completed one stays unchanged. Refused with 412 if it is
 * cancelled, with 400 if there is no location for received goods, or the pieces need too many serial numbers.
 */
export async function completeNow(parts: Parts, customer: Customer, id: string): Promise<void> {
  await inOne(parts, async (floor) => {
    const inbound = await findInbound(floor.database, customer.id, id)
    if (inbound === null) throw new Refusal('not_found', 'Inbound not found.')
    if (inbound.status === 'completed') return
    if (inbound.status === 'cancelled') throw new Refusal('too_late', 'Inbound is cancelled.')
    for (let to = towardsCounting[inbound.status]; to !== undefined; to = towardsCounting[to])
      await floor.port.moveInbound(id, to)
    if (!(await moveInbound(floor, { ...inbound, status: 'processing' })))
      throw new Refusal('invalid', 'There is no location for received goods.')
    // the inbound is not completed if it needs too many serial numbers, because the simulated warehouse then puts it on
    // hold
    if ((await findInbound(floor.database, customer.id, id))?.status !== 'completed')
      throw new Refusal('invalid', 'The pieces need over 10,000 serial numbers.')
  })
}

/** Accepts or denies a requested transfer. A transfer that already has this decision stays unchanged. */
export async function decideTransferNow(
  parts: Parts,
  customer: Customer,
  { id, decision }: { readonly id: string; readonly decision: 'accept' | 'deny' },
): Promise<void> {
  await inOne(parts, async ({ database, port }) => {
    const transfer = await findTransfer(database, customer.id, id)
    if (transfer === null) throw new Refusal('not_found', 'Transfer not found.')
    if (decision === 'deny') return port.denyTransfer(id)
    if (transfer.status === 'requested') await port.beginTransfer(id)
    return port.acceptTransfer(id)
  })
}

/** Approves or disapproves a modification. A modification that already has this decision stays unchanged. */
export async function decideModificationNow(
  parts: Parts,
  customer: Customer,
  { id, decision }: { readonly id: string; readonly decision: 'approve' | 'disapprove' },
): Promise<void> {
  await inOne(parts, async ({ database, port }) => {
    if ((await findModification(database, customer.id, id)) === null)
      throw new Refusal('not_found', 'Modification not found.')
    await (decision === 'approve' ? port.approveModification(id) : port.disapproveModification(id))
  })
}

/**
 * Runs rules of the simulated warehouse, and the warehouse commands that they call (`WarehousePort`), in one
 * transaction.
 */
async function inOne({ context, warehouse }: Parts, work: (floor: Floor) => Promise<void>): Promise<void> {
  await transact(context, (unit) =>
    work({
      database: unit.connection,
      clock: context.clock,
      port: warehouse.port((call) => call(unit)),
    }),
  )
}
