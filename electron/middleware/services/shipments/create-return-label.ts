import { randomInt, randomUUID } from 'node:crypto'
import { type Connection, isUniqueViolation } from '../../data/engine/database.ts'
import { nextSerial } from '../../data/engine/meta.ts'
import { readAddress, type StoredAddress } from '../../data/engine/stored-json.ts'
import type { ReturnLabelTable, ShipmentTable, ShippingMethodTable } from '../../data/schema/orders.ts'
import {
  insertReturnLabel,
  newestLabelOfShipment,
  takenLabelReferences,
} from '../../data/shipments/return-labels.ts'
import { findShipment, findShippingMethod } from '../../data/shipments/shipments.ts'
import { type Customer, type ServiceContext, transact } from '../context.ts'
import { invalidField, Refusal } from '../refusal.ts'
import type { Unit } from '../unit.ts'

/** The three forms of a creation in API.md 8.2. `shippingMethodId` null: the default method. */
export type NewReturnLabel =
  | { readonly shipmentId: string; readonly shippingMethodId: string | null }
  | {
      readonly shippingMethodId: string
      readonly senderAddress: StoredAddress
      readonly externalReference: string | null
    }

type Origin = Pick<
  ReturnLabelTable,
  'shipment_id' | 'shipping_method_id' | 'sender_email' | 'sender_address' | 'external_reference'
>

/**
 * Creates an unrequested label and returns its id. Refused: a shipment that the customer does not have (404), a method
 * that is unknown or does not support return labels (400), an external reference that another label has, unless that
 * label is cancelled (400).
 */
export async function createReturnLabel(
  context: ServiceContext,
  customer: Customer,
  input: NewReturnLabel,
): Promise<string> {
  return transact(context, (unit) => add(unit, customer, input))
}

/**
 * Returns the id of the shipment's newest label that is not cancelled. If there is none, creates an unrequested label
 * with the default method. Of several simultaneous calls only one creates it.
 */
export async function findOrCreateReturnLabel(
  context: ServiceContext,
  customer: Customer,
  shipmentId: string,
): Promise<string> {
  return transact(context, async (unit) => {
    const { connection: transaction } = unit
    const existing = await newestLabelOfShipment(transaction, customer.id, shipmentId)
    if (existing !== null) return existing.id
    return add(unit, customer, { shipmentId, shippingMethodId: null })
  })
}

async function add(unit: Unit, customer: Customer, input: NewReturnLabel): Promise<string> {
  const { connection, now } = unit
  const serial = await nextSerial(connection, 'return_label')
  const origin =
    'shipmentId' in input
      ? await fromShipment(connection, customer, input)
      : await fromAddress(connection, customer, { ...input, serial })
  const id = randomUUID()
  const row: ReturnLabelTable = {
    id,
    serial,
    customer_id: customer.id,
    state: 'unrequested',
    tracking: '[]',
    document_id: null,
    created_at: now,
    modified_at: now,
    ...origin,
  }
  try {
    await insertReturnLabel(connection, row)
  } catch (error) {
    throw isUniqueViolation(error) ? referenceNotUnique() : error
  }
  noteLabelChange(unit, row)
  return id
}

/** Records a change of the label's shipment, if it has one, because a shipment shows its return label. */
export function noteLabelChange(
  unit: Unit,
  label: Pick<ReturnLabelTable, 'customer_id' | 'shipment_id'>,
): void {
  if (label.shipment_id !== null)
    unit.changed('shipment', 'updated', { customerId: label.customer_id, id: label.shipment_id })
}

/**
 * Returns the columns of a label that is created from a shipment. The sender of the return is the address of the
 * shipment. Refused with 404 if the customer does not have the shipment.
 */
async function fromShipment(
  connection: Connection,
  customer: Customer,
  input: { shipmentId: string; shippingMethodId: string | null },
): Promise<Origin> {
  const shipment = await findShipment(connection, customer.id, input.shipmentId)
  if (shipment === null) throw new Refusal('not_found', 'Shipment not found.')
  const method =
    input.shippingMethodId === null
      ? await defaultReturnMethod(connection, customer, shipment)
      : await returnMethod(connection, input.shippingMethodId)
  return {
    shipment_id: shipment.id,
    shipping_method_id: method.id,
    sender_email: shipment.shipping_email,
    sender_address: JSON.stringify(readAddress(shipment.shipping_address)),
    external_reference: await referenceFromShipment(connection, shipment),
  }
}

async function fromAddress(
  connection: Connection,
  customer: Customer,
  input: {
    shippingMethodId: string
    senderAddress: StoredAddress
    externalReference: string | null
    serial: number
  },
): Promise<Origin> {
  const method = await returnMethod(connection, input.shippingMethodId)
  return {
    shipment_id: null,
    shipping_method_id: method.id,
    sender_email: null,
    sender_address: JSON.stringify(input.senderAddress),
    external_reference:
      input.externalReference === null
        ? await freeReference(connection, customer.id, [serialReference(input.serial)])
        : bareReference(input.externalReference),
  }
}

/**
 * Returns the shipping method that the client named. Refused with 400 under `shipping_method` if it does not support
 * return labels.
 */
export async function returnMethod(connection: Connection, id: string): Promise<ShippingMethodTable> {
  const method = await findShippingMethod(connection, id)
  if (method === null) throw invalidField('shipping_method', 'Shipping method not found.')
  if (method.supports_return_labels === 0) throw invalidField('shipping_method', unsupportedMethod)
  return method
}

/**
 * Returns the shipping method of a label for which the client named none: the customer's default for returns, otherwise
 * the method of the shipment. Refused with 400 if this method does not support return labels.
 */
async function defaultReturnMethod(
  connection: Connection,
  customer: Customer,
  shipment: ShipmentTable,
): Promise<ShippingMethodTable> {
  const method = await findDefaultReturnMethod(connection, customer, shipment)
  if (method === null) throw new Refusal('invalid', unsupportedMethod)
  return method
}

/**
 * Returns the shipping method for a return label of the shipment: the customer's method for returns, or else the method
 * of the shipment. Null: this shipping method does not exist or does not support return labels.
 */
export async function findDefaultReturnMethod(
  connection: Connection,
  customer: Customer,
  shipment: ShipmentTable,
): Promise<ShippingMethodTable | null> {
  const id = customer.return_shipping_method_id ?? shipment.shipping_method_id
  const method = await findShippingMethod(connection, id)
  return method === null || method.supports_return_labels === 0 ? null : method
}

export const unsupportedMethod = 'Shipping method does not support return labels.'

const requestedSuffix = '.R'

/**
 * Returns the reference without the suffixes `.R` that requests add. This reference identifies a label to its customer.
 */
export function bareReference(reference: string): string {
  let bare = reference
  while (bare.endsWith(requestedSuffix) && bare.length > requestedSuffix.length)
    bare = bare.slice(0, -requestedSuffix.length)
  return bare
}

/** Returns the displayed reference: with `.R` after the label was requested (API.md 8.4). */
export function shownReference(label: Pick<ReturnLabelTable, 'external_reference' | 'state'>): string {
  return label.state === 'requested' ? label.external_reference + requestedSuffix : label.external_reference
}

/**
 * Returns the usual reference of a label that was created without one: `RTL` and eleven digits, like the service's
 * other references.
 */
export function serialReference(serial: number): string {
  return `RTL${String(serial).padStart(11, '0')}`
}

/** Highest number that is appended to the reference of an order, as in `-2`. */
const highestNumber = 100

/**
 * Returns the order's reference. If a label that is not cancelled already has this reference, adds `-2`, `-3` and so
 * on, or a random number after the highest number.
 */
async function referenceFromShipment(connection: Connection, shipment: ShipmentTable): Promise<string> {
  const base = bareReference(shipment.order_external_reference)
  const numbered = Array.from({ length: highestNumber - 1 }, (_, index) => `${base}-${index + 2}`)
  return freeReference(connection, shipment.customer_id, [base, ...numbered])
}

/**
 * Returns the first candidate that is not the reference of one of the customer's labels. Cancelled labels do not count.
 * A client can use all candidates in advance. In this case a random number, which a client cannot predict, is added to
 * the first candidate.
 */
async function freeReference(
  connection: Connection,
  customerId: string,
  candidates: readonly [string, ...string[]],
): Promise<string> {
  const taken = await takenLabelReferences(connection, customerId, candidates)
  return candidates.find((each) => !taken.has(each)) ?? `${candidates[0]}-${randomInt(1e11, 1e12)}`
}

/**
 * Returns the refusal (400) of a reference that is already in use. It contains the message twice, for the whole call
 * and for the field, because existing clients expect both.
 */
export function referenceNotUnique(): Refusal {
  const message = 'Reference is not unique'
  return new Refusal('invalid', message, { fields: { '': [message], external_reference: [message] } })
}
