import { documentsOfOrder, type OrderDocumentRow } from '../../data/orders/order-documents.ts'
import { findVariants } from '../../data/goods/variants.ts'
import type { VariantTable } from '../../data/schema/goods.ts'
import type { ShipmentTable, ShippingMethodTable } from '../../data/schema/orders.ts'
import {
  findShipment,
  linesOfShipments,
  listShipments as listRows,
  type ShipmentLineRow,
} from '../../data/shipments/shipments.ts'
import { findShippingMethods } from '../../data/shipments/shipping-methods.ts'
import type { Customer, ServiceContext } from '../context.ts'
import { type Listing, type ListQuery, toPage } from '../paging.ts'
import { Refusal } from '../refusal.ts'

const listing: Listing<'reference' | 'createdAt'> = {
  columns: { reference: 'reference', createdAt: 'created_at' },
  sort: 'reference',
  direction: 'desc',
}

/** A line and, when asked for, its variant. */
export interface ShipmentLineRecord {
  readonly line: ShipmentLineRow
  readonly variant: VariantTable | null
}

/** A shipment with what was asked for beside it; null: not asked for. */
export interface ShipmentRecord {
  readonly shipment: ShipmentTable
  readonly lines: readonly ShipmentLineRecord[] | null
  readonly shippingMethod: ShippingMethodTable | null
}

export interface ShipmentParts {
  readonly lines: boolean
  /** Of the lines. */
  readonly variants: boolean
  readonly shippingMethod: boolean
}

/** `orderReferences` empty: all shipments of the customer. */
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

/** Documents of the order that was shipped. */
export async function documentsOfShipment(
  context: ServiceContext,
  customer: Customer,
  shipment: ShipmentTable,
): Promise<OrderDocumentRow[]> {
  const externalReference = shipment.order_external_reference
  return documentsOfOrder(context.database, customer.id, { externalReference })
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
