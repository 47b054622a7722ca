import { newestLabelOfShipment } from '../../data/shipments/return-labels.ts'
import type { ReturnLabelTable, ShipmentTable } from '../../data/schema/orders.ts'
import { findShipment } from '../../data/shipments/shipments.ts'
import type { Customer, ServiceContext } from '../context.ts'
import { findOrCreateReturnLabel } from './create-return-label.ts'
import { Refusal } from '../refusal.ts'
import { requestReturnLabel } from './request-return-label.ts'
import { findDefaultReturnMethod, unsupportedMethod } from './return-methods.ts'
import { existingLabel } from './return-labels.ts'

/** The newest label of a shipment that is not cancelled, or null; `shipmentId` is one of the customer's. */
export async function findShipmentReturnLabel(
  context: ServiceContext,
  customer: Customer,
  shipmentId: string,
): Promise<ReturnLabelTable | null> {
  return newestLabelOfShipment(context.database, customer.id, shipmentId)
}

/** The same for a client: 404 when there is none (api.md, Shipments, deprecated). */
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
 * That label; one is made and requested where there is none, and requested where nobody did. Refused with 417
 * when the shipping method makes no return labels, or the carrier fails.
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
