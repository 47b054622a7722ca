import { inTransaction, isUniqueViolation } from '../../data/engine/database.ts'
import { readAddress, type StoredAddress } from '../../data/engine/stored-json.ts'
import type { ReturnLabelTable, ShipmentTable } from '../../data/schema/orders.ts'
import {
  changeUnrequested,
  findReturnLabel,
  listReturnLabels as listRows,
  moveReturnLabel,
} from '../../data/shipments/return-labels.ts'
import { findShipments } from '../../data/shipments/shipments.ts'
import { type Customer, type ServiceContext, storedNow, transact } from '../context.ts'
import { type Listing, type ListQuery, toPage } from '../paging.ts'
import { invalidField, Refusal } from '../refusal.ts'
import { bareReference, noteLabelChange, referenceNotUnique, returnMethod } from './create-return-label.ts'

/**
 * The sort order `reference` uses the serial number of a label and not the text of its reference, because a client can
 * choose this text. Default: newest first.
 */
const listing: Listing<'reference' | 'createdAt'> = {
  columns: { reference: 'serial', createdAt: 'created_at' },
  sort: 'reference',
  direction: 'desc',
}

/**
 * A label with its shipment. `shipment` null: the call did not request the shipment, or the label belongs to no
 * shipment.
 */
export interface ReturnLabelRecord {
  readonly label: ReturnLabelTable
  readonly shipment: ShipmentTable | null
}

export async function listReturnLabels(
  context: ServiceContext,
  customer: Customer,
  call: { query: ListQuery<'reference' | 'createdAt'>; withShipment: boolean },
): Promise<ReturnLabelRecord[]> {
  const labels = await listRows(context.database, customer.id, toPage(call.query, listing))
  return call.withShipment
    ? withShipments(context, customer, labels)
    : labels.map((label) => ({ label, shipment: null }))
}

export async function getReturnLabel(
  context: ServiceContext,
  customer: Customer,
  call: { id: string; withShipment: boolean },
): Promise<ReturnLabelRecord> {
  const label = await existingLabel(context, customer, call.id)
  const [record] = call.withShipment ? await withShipments(context, customer, [label]) : []
  return record ?? { label, shipment: null }
}

/** The fields to change. Missing fields stay unchanged, also within the address. */
export interface ReturnLabelChange {
  readonly senderAddress: Partial<StoredAddress> | null
  readonly shippingMethodId: string | null
  readonly externalReference: string | null
}

/**
 * Changes a label that is not yet requested. Refused with 412 after it was requested, with 400 after it was cancelled
 * (API.md 8.3). Also refused with 400: a new external reference for a label of a shipment, an external reference that
 * another label has, and a shipping method that is unknown or does not support return labels.
 */
export async function changeReturnLabel(
  context: ServiceContext,
  customer: Customer,
  call: { id: string; change: ReturnLabelChange },
): Promise<void> {
  const { id, change } = call
  await inTransaction(context.database, async (transaction) => {
    const label = await findReturnLabel(transaction, customer.id, id)
    if (label === null) throw labelNotFound()
    refuseUnlessChangeable(label)
    if (change.externalReference !== null && label.shipment_id !== null)
      throw invalidField('external_reference', 'The reference of a label made from a shipment is derived.')
    const method =
      change.shippingMethodId === null ? null : await returnMethod(transaction, change.shippingMethodId)
    const changes = {
      ...(change.senderAddress && {
        senderAddress: { ...readAddress(label.sender_address), ...change.senderAddress },
      }),
      ...(method && { shippingMethodId: method.id }),
      ...(change.externalReference !== null && {
        externalReference: bareReference(change.externalReference),
      }),
    }
    try {
      if (await changeUnrequested(transaction, id, changes, storedNow(context))) return
    } catch (error) {
      if (isUniqueViolation(error)) throw referenceNotUnique()
      throw error
    }
    throw alreadyRequested()
  })
}

/** Cancels a label that is not requested; a second call changes nothing (API.md 8.3). */
export async function cancelReturnLabel(
  context: ServiceContext,
  customer: Customer,
  id: string,
): Promise<void> {
  const found = await existingLabel(context, customer, id)
  const cancelled = await transact(context, async (unit) => {
    if (!(await moveReturnLabel(unit.connection, id, 'unrequested', 'cancelled', unit.now))) return false
    noteLabelChange(unit, found)
    return true
  })
  if (cancelled) return
  const label = await existingLabel(context, customer, id)
  if (label.state !== 'cancelled') throw alreadyRequested()
}

/** Returns the customer's label. A label of another customer is treated as not found. */
export async function existingLabel(
  context: ServiceContext,
  customer: Customer,
  id: string,
): Promise<ReturnLabelTable> {
  const label = await findReturnLabel(context.database, customer.id, id)
  if (label === null) throw labelNotFound()
  return label
}

export function alreadyCancelled(): Refusal {
  return new Refusal('invalid', 'Return label is cancelled.')
}

function alreadyRequested(): Refusal {
  return new Refusal('already_requested', 'Return label is already requested.')
}

function labelNotFound(): Refusal {
  return new Refusal('not_found', 'Return label not found.')
}

function refuseUnlessChangeable(label: ReturnLabelTable): void {
  if (label.state === 'cancelled') throw alreadyCancelled()
  if (label.state !== 'unrequested') throw alreadyRequested()
}

async function withShipments(
  context: ServiceContext,
  customer: Customer,
  labels: readonly ReturnLabelTable[],
): Promise<ReturnLabelRecord[]> {
  const ids = new Set(labels.flatMap((label) => label.shipment_id ?? []))
  const shipments = await findShipments(context.database, customer.id, [...ids])
  return labels.map((label) => ({
    label,
    shipment: label.shipment_id === null ? null : (shipments.get(label.shipment_id) ?? null),
  }))
}
