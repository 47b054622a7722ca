import { randomUUID } from 'node:crypto'
import { nextSerial } from '../../data/engine/meta.ts'
import { type Connection, isUniqueViolation } from '../../data/engine/database.ts'
import { insertReturnLabel, newestLabelOfShipment } from '../../data/shipments/return-labels.ts'
import type { ReturnLabelTable } from '../../data/schema/orders.ts'
import { findShipment } from '../../data/shipments/shipments.ts'
import { readAddress, type StoredAddress } from '../../data/engine/stored-json.ts'
import type { Customer, ServiceContext } from '../context.ts'
import {
  bareReference,
  referenceFromShipment,
  referenceNotUnique,
  serialReference,
} from '../orders/external-references.ts'
import { Refusal } from '../refusal.ts'
import { transact } from '../transact.ts'
import type { Unit } from '../unit.ts'
import { defaultReturnMethod, returnMethod } from './return-methods.ts'

/** The three modes of api.md (Return labels); `shippingMethodId` null takes the default. */
export type NewReturnLabel =
  | { readonly shipmentId: string; readonly shippingMethodId: string | null }
  | {
      readonly shippingMethodId: string
      readonly senderAddress: StoredAddress
      readonly externalReference: string | null
    }

type Origin = Pick<
  ReturnLabelTable,
  'shipment_id' | 'shipping_method_id' | 'sender_address' | 'external_reference'
>

/**
 * Makes an unrequested label and answers its id. Refused: a shipment that the customer does not have (404), a method
 * that is unknown or makes no return labels (400), an external reference that a label has which is not cancelled (400).
 */
export async function createReturnLabel(
  context: ServiceContext,
  customer: Customer,
  input: NewReturnLabel,
): Promise<string> {
  return transact(context, async (unit) => {
    const serial = await nextSerial(unit.connection, 'return_label')
    return add(unit, customer, { ...input, serial })
  })
}

/**
 * The id of the shipment's newest label that is not cancelled; an unrequested one by the default method is made
 * where there is none. Of several simultaneous callers one makes it.
 */
export async function findOrCreateReturnLabel(
  context: ServiceContext,
  customer: Customer,
  shipmentId: string,
): Promise<string> {
  return transact(context, async (unit) => {
    const { connection: transaction } = unit
    // Written to first: from here on no other process can make one. Where one is found, a number goes unused.
    const serial = await nextSerial(transaction, 'return_label')
    const existing = await newestLabelOfShipment(transaction, customer.id, shipmentId)
    if (existing !== null) return existing.id
    return add(unit, customer, { shipmentId, shippingMethodId: null, serial })
  })
}

async function add(
  unit: Unit,
  customer: Customer,
  input: NewReturnLabel & { readonly serial: number },
): Promise<string> {
  const { serial } = input
  const { connection, now } = unit
  const origin =
    'shipmentId' in input
      ? await fromShipment(connection, customer, input)
      : await fromAddress(connection, customer, input)
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

/** A shipment shows its return label, so that it changes with it. */
export function noteLabelChange(
  unit: Unit,
  label: Pick<ReturnLabelTable, 'customer_id' | 'shipment_id'>,
): void {
  if (label.shipment_id !== null)
    unit.changed('shipment', 'updated', { customerId: label.customer_id, id: label.shipment_id })
}

/** The goods come back from where they went: the shipment's address is the sender's. */
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
    sender_address: JSON.stringify(input.senderAddress),
    external_reference: bareReference(input.externalReference ?? serialReference(input.serial)),
  }
}
