import { randomUUID } from 'node:crypto'
import { storeDocument } from '../../data/documents/documents.ts'
import { inTransactionOf, type Lease, LeaseLost, withLease } from '../../data/engine/coordination.ts'
import { isStorageFailure } from '../../data/engine/database.ts'
import { readAddress } from '../../data/engine/stored-json.ts'
import type { ReturnLabelTable, ShipmentTable } from '../../data/schema/orders.ts'
import {
  completeReturnLabel,
  labelsBeingRequested,
  moveReturnLabel,
  newestLabelOfShipment,
} from '../../data/shipments/return-labels.ts'
import { findShipment, findShippingMethod } from '../../data/shipments/shipments.ts'
import type { ReturnLabelResult } from '../../warehouse/carriers/carrier.ts'
import { type Customer, type ServiceContext, storedNow, transact } from '../context.ts'
import { Refusal } from '../refusal.ts'
import { outOfTurn } from '../turns.ts'
import {
  findDefaultReturnMethod,
  findOrCreateReturnLabel,
  noteLabelChange,
  shownReference,
  unsupportedMethod,
} from './create-return-label.ts'
import { alreadyCancelled, existingLabel } from './return-labels.ts'

/** The lease of the process that requests a label. */
export function leaseOfRequest(labelId: string): string {
  return `request of ${labelId}`
}

/**
 * Requests the label from the carrier, once. A simultaneous caller, even in another process, gets the same outcome, and
 * a later caller gets the existing label. Refused: the label is cancelled (400); the carrier failed or did not respond
 * in time (417, the label becomes unrequested and can be requested again).
 */
export async function requestReturnLabel(
  context: ServiceContext,
  customer: Customer,
  id: string,
): Promise<void> {
  if (await isRequested(context, customer, id)) return
  const lease = await context.leases.take(leaseOfRequest(id))
  if (lease === null) await awaitOtherRequest(context, customer, id)
  else await withLease(lease, () => claimAndAsk(context, customer, { id, lease }))
}

/** Returns whether the label is requested. Refused if it is cancelled. */
async function isRequested(context: ServiceContext, customer: Customer, id: string): Promise<boolean> {
  const { state } = await existingLabel(context, customer, id)
  if (state === 'cancelled') throw alreadyCancelled()
  return state === 'requested'
}

/**
 * Waits until the request of the label by another call has ended. This call gives up its turn to run while it waits,
 * because the other request needs turns to finish. If the process of the other request crashes, its lease ends, and
 * this call requests the label.
 */
async function awaitOtherRequest(context: ServiceContext, customer: Customer, id: string): Promise<void> {
  const { database, leases } = context
  await withLease(await outOfTurn(() => leases.wait(leaseOfRequest(id))), async (lease) => {
    if (await isRequested(context, customer, id)) return
    if ((await labelsBeingRequested(database, [id])).length === 0) throw noLabel()
    await claimAndAsk(context, customer, { id, lease })
  })
}

function noLabel(cause?: unknown): Refusal {
  return new Refusal('failed', 'The carrier did not make the return label.', { cause })
}

async function claimAndAsk(
  context: ServiceContext,
  customer: Customer,
  { id, lease }: { readonly id: string; readonly lease: Lease },
): Promise<void> {
  if (!(await claim(context, id, lease))) {
    if (await isRequested(context, customer, id)) return
    throw new Error(`The label ${id} cannot be claimed`)
  }
  try {
    // the label is read after it was marked as being requested, because it must contain every change that was accepted
    // before the mark
    const label = await existingLabel(context, customer, id)
    const result = await outOfTurn(() => withinTime(draw(context, customer, label), context.carrierTimeoutMs))
    await complete(context, label, { result, lease })
  } catch (error) {
    context.logger.warn({ returnLabel: id, err: error }, 'the carrier created no label')
    await release(context, id, lease)
    // the outcome is unknown, so the client receives 503; if the label was stored, the client's next call returns it
    if (isStorageFailure(error)) throw error
    throw noLabel(error)
  }
}

/** Marks the label as being requested. Returns false if the label is already requested or cancelled. */
async function claim(context: ServiceContext, id: string, lease: Lease): Promise<boolean> {
  return inTransactionOf(lease, context.database, async (connection) => {
    if (await moveReturnLabel(connection, id, 'unrequested', 'requesting', storedNow(context))) return true
    // this call has the lease, so a label in the state `requesting` was left by a process that ended
    return (await labelsBeingRequested(connection, [id])).length > 0
  })
}

/** Makes the label requestable again, unless another process may be requesting it. */
async function release(context: ServiceContext, id: string, lease: Lease): Promise<void> {
  try {
    await inTransactionOf(lease, context.database, (connection) =>
      moveReturnLabel(connection, id, 'requesting', 'unrequested', storedNow(context)),
    )
  } catch (error) {
    if (error instanceof LeaseLost) return
    if (!isStorageFailure(error)) throw error
    // the change of the label to `unrequested` is repeated until the database can store it
    const { database, leases, afterwards } = context
    afterwards.start(leaseOfRequest(id), async () => {
      await withLease(await leases.wait(leaseOfRequest(id), afterwards.ending), () =>
        moveReturnLabel(database, id, 'requesting', 'unrequested', storedNow(context)),
      )
    })
  }
}

async function draw(
  context: ServiceContext,
  customer: Customer,
  label: ReturnLabelTable,
): Promise<ReturnLabelResult> {
  const method = await findShippingMethod(context.database, label.shipping_method_id)
  if (method === null) throw new Error(`Shipping method ${label.shipping_method_id} does not exist`)
  return context.carrierFor(method.carrier).drawReturnLabel({
    reference: shownReference({ ...label, state: 'requested' }),
    sender: readAddress(label.sender_address),
    recipient: readAddress(customer.return_address),
    layout: method.label_layout,
    methodDescription: method.description,
    sandbox: context.sandbox,
    serial: label.serial,
    requestedAt: new Date(context.clock.now()),
  })
}

/** Writes document and label in one transaction, so that a requested label always has its PDF. */
async function complete(
  context: ServiceContext,
  label: ReturnLabelTable,
  { result, lease }: { readonly result: ReturnLabelResult; readonly lease: Lease },
): Promise<void> {
  const { pdf, labelCode, trackingCode, trackingUrl } = result
  await transact(context, async (unit) => {
    const { connection: transaction } = unit
    await lease.confirm(transaction)
    const document = {
      id: randomUUID(),
      customer_id: label.customer_id,
      content: pdf,
      title: `${shownReference({ ...label, state: 'requested' })}.pdf`,
      mime_type: 'application/pdf',
      document_type: 'return_label',
      created_at: unit.now,
    }
    await storeDocument(transaction, document)
    const tracking = [{ labelCode, trackingCode, trackingUrl }]
    const answer = { documentId: document.id, tracking }
    if (!(await completeReturnLabel(transaction, label.id, answer, document.created_at)))
      throw new Error('The label is no longer in the state requesting')
    noteLabelChange(unit, label)
  })
}

async function withinTime<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(new Error(`No response within ${timeoutMs} ms`))
  }, timeoutMs)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Returns the newest uncancelled label of a shipment; null if there is none. `shipmentId` must be the id of a shipment
 * of the customer.
 */
export async function findShipmentReturnLabel(
  context: ServiceContext,
  customer: Customer,
  shipmentId: string,
): Promise<ReturnLabelTable | null> {
  return newestLabelOfShipment(context.database, customer.id, shipmentId)
}

/** Returns the newest label of the shipment for a client, or refuses with 404 if there is none (API.md 7.2). */
export async function getShipmentReturnLabel(
  context: ServiceContext,
  customer: Customer,
  shipmentId: string,
): Promise<ReturnLabelTable> {
  await customersShipment(context, customer, shipmentId)
  const label = await newestLabelOfShipment(context.database, customer.id, shipmentId)
  if (label === null) throw new Refusal('not_found', 'Return label not found.')
  return label
}

/**
 * Returns the shipment's label in the state `requested`. First creates a label if there is none, and requests a label
 * that is unrequested. Refused with 417 when the shipping method does not support return labels, or the carrier fails.
 */
export async function ensureShipmentReturnLabel(
  context: ServiceContext,
  customer: Customer,
  shipmentId: string,
): Promise<ReturnLabelTable> {
  const shipment = await customersShipment(context, customer, shipmentId)
  const known = await newestLabelOfShipment(context.database, customer.id, shipmentId)
  if (known?.state === 'requested') return known
  if (known === null && (await findDefaultReturnMethod(context.database, customer, shipment)) === null)
    throw new Refusal('failed', unsupportedMethod)
  const id = known?.id ?? (await findOrCreateReturnLabel(context, customer, shipmentId))
  await requestReturnLabel(context, customer, id)
  return existingLabel(context, customer, id)
}

async function customersShipment(
  context: ServiceContext,
  customer: Customer,
  shipmentId: string,
): Promise<ShipmentTable> {
  const shipment = await findShipment(context.database, customer.id, shipmentId)
  if (shipment === null) throw new Refusal('not_found', 'Shipment not found.')
  return shipment
}
