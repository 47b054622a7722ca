import { randomUUID } from 'node:crypto'
import { isUniqueViolation } from '../../data/engine/database.ts'
import { type DocumentRow, storeDocument } from '../../data/documents/documents.ts'
import type { ShipmentTable } from '../../data/schema/orders.ts'
import { findShipmentDocument, insertShipmentDocument } from '../../data/shipments/shipment-documents.ts'
import { findShipment } from '../../data/shipments/shipments.ts'
import { findShippingMethod } from '../../data/shipments/shipping-methods.ts'
import { readAddress, readTracking } from '../../data/engine/stored-json.ts'
import { carrierFor } from '../../warehouse/carriers/carriers.ts'
import { type Customer, type ServiceContext, storedNow } from '../context.ts'

type Drawing = Pick<ServiceContext, 'database' | 'clock' | 'sandbox'>

/**
 * The label under which a shipment was picked up, drawn when somebody first asks for it and kept. It bears the
 * order's po_number, or else its external reference (api.md, Order, po_number). Null for a shipment without parcels.
 */
export async function ensurePickupLabel(
  context: Drawing,
  customer: Customer,
  shipment: ShipmentTable,
): Promise<DocumentRow | null> {
  const known = await findShipmentDocument(context.database, shipment.id)
  if (known !== null) return known
  const content = await draw(context, customer, shipment)
  if (content === null) return null
  const document = {
    id: randomUUID(),
    customer_id: shipment.customer_id,
    content,
    title: `${shipment.reference}.pdf`,
    mime_type: 'application/pdf',
    document_type: 'pickup_label',
    created_at: storedNow(context),
  }
  try {
    const isKept = await context.database.transaction().execute(async (transaction) => {
      const now = await findShipment(transaction, shipment.customer_id, shipment.id)
      // somebody was redacted while it was drawn: what it says must not come back
      if (now?.shipping_address !== shipment.shipping_address) return false
      await storeDocument(transaction, document)
      await insertShipmentDocument(transaction, { shipment_id: shipment.id, document_id: document.id })
      return true
    })
    if (!isKept) return await redrawn(context, customer, shipment)
  } catch (error) {
    // somebody else drew it meanwhile
    if (!isUniqueViolation(error)) throw error
  }
  return findShipmentDocument(context.database, shipment.id)
}

async function redrawn(
  context: Drawing,
  customer: Customer,
  { id }: ShipmentTable,
): Promise<DocumentRow | null> {
  const shipment = await findShipment(context.database, customer.id, id)
  return shipment === null ? null : ensurePickupLabel(context, customer, shipment)
}

async function draw(
  context: Drawing,
  customer: Customer,
  shipment: ShipmentTable,
): Promise<Uint8Array | null> {
  const [parcel] = readTracking(shipment.labels)
  const method = await findShippingMethod(context.database, shipment.shipping_method_id)
  if (parcel === undefined || method === null) return null
  return carrierFor(method.carrier).drawPickupLabel({
    reference: shipment.po_number ?? shipment.order_external_reference,
    sender: readAddress(customer.return_address),
    recipient: readAddress(shipment.shipping_address),
    layout: method.label_layout,
    methodDescription: method.description,
    sandbox: context.sandbox,
    trackingCode: parcel.trackingCode ?? parcel.labelCode ?? shipment.reference,
    trackingUrl: parcel.trackingUrl ?? '',
    shippedAt: new Date(shipment.created_at),
  })
}
