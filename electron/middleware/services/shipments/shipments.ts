import { randomUUID } from 'node:crypto'
import { type DocumentRow, storeDocument } from '../../data/documents/documents.ts'
import { inTransaction, isUniqueViolation } from '../../data/engine/database.ts'
import { readAddress, readTracking } from '../../data/engine/stored-json.ts'
import { findVariants } from '../../data/goods/variants.ts'
import { documentsOfOrder, type OrderDocumentRow } from '../../data/orders/orders.ts'
import type { VariantTable } from '../../data/schema/goods.ts'
import type { ShipmentLineTable, ShipmentTable, ShippingMethodTable } from '../../data/schema/orders.ts'
import {
  findShipment,
  findShipmentDocument,
  findShippingMethod,
  findShippingMethods,
  insertShipmentDocument,
  linesOfShipments,
  listShipments as listRows,
  listShippingMethods as listMethodRows,
  type ShippingMethodFilters,
} from '../../data/shipments/shipments.ts'
import { carrierFor } from '../../warehouse/carriers/carriers.ts'
import { type Customer, type ServiceContext, storedNow } from '../context.ts'
import { type Listing, type ListQuery, toPage } from '../paging.ts'
import { Refusal } from '../refusal.ts'

const listing: Listing<'reference' | 'createdAt'> = {
  columns: { reference: 'reference', createdAt: 'created_at' },
  sort: 'reference',
  direction: 'desc',
}

/** A line and, if requested, its variant. */
export interface ShipmentLineRecord {
  readonly line: ShipmentLineTable
  readonly variant: VariantTable | null
}

/** A shipment with the requested related records. A related record is null if the call did not request it. */
export interface ShipmentRecord {
  readonly shipment: ShipmentTable
  readonly lines: readonly ShipmentLineRecord[] | null
  readonly shippingMethod: ShippingMethodTable | null
}

export interface ShipmentParts {
  readonly lines: boolean
  /** Whether the lines include their variants. */
  readonly variants: boolean
  readonly shippingMethod: boolean
}

/**
 * Returns a page of the customer's shipments with the requested related records. `orderReferences`: only shipments with
 * one of these order references. Empty: with any.
 */
export async function listShipments(
  context: ServiceContext,
  customer: Customer,
  call: {
    orderReferences: readonly string[]
    query: ListQuery<'reference' | 'createdAt'>
    parts: ShipmentParts
  },
): Promise<ShipmentRecord[]> {
  const wanted = call.orderReferences.length === 0 ? null : call.orderReferences
  const rows = await listRows(context.database, customer.id, wanted, toPage(call.query, listing))
  return withParts(context, customer, rows, call.parts)
}

export async function getShipment(
  context: ServiceContext,
  customer: Customer,
  id: string,
  parts: ShipmentParts,
): Promise<ShipmentRecord> {
  const row = await findShipment(context.database, customer.id, id)
  const [record] = row === null ? [] : await withParts(context, customer, [row], parts)
  if (record === undefined) throw new Refusal('not_found', 'Shipment not found.')
  return record
}

/** Lists the documents of the shipped order. */
export async function documentsOfShipment(
  context: ServiceContext,
  customer: Customer,
  shipment: ShipmentTable,
): Promise<OrderDocumentRow[]> {
  const { order_id: id, order_external_reference: externalReference } = shipment
  return documentsOfOrder(context.database, customer.id, id === null ? { externalReference } : { id })
}

async function withParts(
  context: ServiceContext,
  customer: Customer,
  rows: readonly ShipmentTable[],
  parts: ShipmentParts,
): Promise<ShipmentRecord[]> {
  const ids = rows.map((row) => row.id)
  const lines = parts.lines ? await linesOfShipments(context.database, ids) : []
  const variantIds = new Set(parts.variants ? lines.map((line) => line.variant_id) : [])
  const variants = await findVariants(context.database, customer.id, [...variantIds])
  const grouped = Map.groupBy(lines, (line) => line.shipment_id)
  const methods = parts.shippingMethod
    ? await findShippingMethods(context.database, [...new Set(rows.map((row) => row.shipping_method_id))])
    : null
  return rows.map((shipment) => ({
    shipment,
    lines: parts.lines
      ? (grouped.get(shipment.id) ?? []).map((line) => ({
          line,
          variant: variants.get(line.variant_id) ?? null,
        }))
      : null,
    shippingMethod: methods?.get(shipment.shipping_method_id) ?? null,
  }))
}

type Drawing = Pick<ServiceContext, 'database' | 'clock' | 'sandbox'>

/**
 * Returns the label under which a carrier picked up the shipment. The first call draws and stores it. The label shows
 * the order's po_number, otherwise its external reference (API.md 6.1). Null for a shipment without parcels.
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
    const isKept = await inTransaction(context.database, async (transaction) => {
      const now = await findShipment(transaction, shipment.customer_id, shipment.id)
      // the person was redacted, or the carrier's codes were replaced, while the label was drawn: a label with the old
      // address or code must not be stored
      if (now?.shipping_address !== shipment.shipping_address || now.labels !== shipment.labels) return false
      await storeDocument(transaction, document)
      await insertShipmentDocument(transaction, { shipment_id: shipment.id, document_id: document.id })
      return true
    })
    if (!isKept) return await redrawn(context, customer, shipment)
  } catch (error) {
    // another call has stored the label of this shipment meanwhile; this function returns that label
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

const methodListing: Listing<'createdAt' | 'code'> = {
  columns: { createdAt: 'created_at', code: 'code' },
  sort: 'createdAt',
  direction: 'desc',
}

/**
 * Returns a page of the shipping methods that match the filters. They belong to the WMS, so every customer sees the
 * same ones.
 */
export async function listShippingMethods(
  context: ServiceContext,
  filters: ShippingMethodFilters,
  query: ListQuery<'createdAt' | 'code'>,
): Promise<ShippingMethodTable[]> {
  return listMethodRows(context.database, filters, toPage(query, methodListing))
}

export async function getShippingMethod(context: ServiceContext, id: string): Promise<ShippingMethodTable> {
  const method = await findShippingMethod(context.database, id)
  if (method === null) throw new Refusal('not_found', 'Shipping method not found.')
  return method
}
