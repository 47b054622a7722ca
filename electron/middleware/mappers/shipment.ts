import type { Shipment, ShipmentLine } from '#shared/wire/shipment.ts'
import type { ShipmentTable } from '../data/schema/orders.ts'
import { readAddress, readSerialNumbers } from '../data/engine/stored-json.ts'
import type { ShipmentLineRecord, ShipmentRecord } from '../services/shipments/shipments.ts'
import { toWireAddress } from './address.ts'
import { toWireShippingMethod } from './shipping-method.ts'
import { toWireTime } from './time.ts'
import { toWireTracking } from './tracking.ts'
import { toWireVariant } from './variant.ts'

/** Expand groups of any shipment (api.md, Shipments). */
export const shipmentGroups = [
  'shipment_lines',
  'shipment_colli',
  'shipment_labels',
  'shipping_address',
  'shipping_method',
  'serial_numbers',
  'variant',
  'administration_code',
] as const
export type ShipmentGroup = (typeof shipmentGroups)[number]

/** The fields every answer has, and a list's only ones without Expand (api.md, Shipments). */
export function toWireShipmentBase(row: ShipmentTable): Shipment {
  return {
    id: row.id,
    customer: row.customer_id,
    reference: row.reference,
    po_number: row.po_number,
    order_external_reference: row.order_external_reference,
    shipment_external_reference: row.shipment_external_reference,
    created_at: toWireTime(row.created_at),
  }
}

/** A shipment with the groups that were asked for. */
export function toWireShipment(record: ShipmentRecord, expand: ReadonlySet<ShipmentGroup>): Shipment {
  const { shipment, lines, shippingMethod } = record
  const method = shippingMethod === null ? null : toWireShippingMethod(shippingMethod, administration(expand))
  return {
    ...toWireShipmentBase(shipment),
    ...(expand.has('shipping_method') && { shipping_method: method }),
    ...(expand.has('shipment_labels') && { shipment_labels: toWireTracking(shipment.labels) }),
    ...(expand.has('shipment_colli') && {
      shipment_colli: toWireTracking(shipment.labels).map((parcel, index) => ({
        number: index + 1,
        ...parcel,
      })),
    }),
    ...(expand.has('shipment_lines') && {
      shipment_lines: (lines ?? []).map((line) => toLine(line, expand)),
    }),
    ...(expand.has('shipping_address') && {
      shipping_address: toWireAddress(readAddress(shipment.shipping_address)),
    }),
  }
}

/** One shipment by itself also says when it last changed, and so does a list with Expand `shipments`. */
export function toWireShipmentDetail(record: ShipmentRecord, expand: ReadonlySet<ShipmentGroup>): Shipment {
  return { ...toWireShipment(record, expand), modified_at: toWireTime(record.shipment.modified_at) }
}

function administration(expand: ReadonlySet<ShipmentGroup>): ReadonlySet<'administration_code'> {
  return new Set(expand.has('administration_code') ? (['administration_code'] as const) : [])
}

function toLine({ line, variant }: ShipmentLineRecord, expand: ReadonlySet<ShipmentGroup>): ShipmentLine {
  return {
    shipped_quantity: line.quantity,
    shipped_ean: line.ean,
    shipped_article_code: line.article_code,
    shipped_sku: line.sku,
    ...(expand.has('serial_numbers') && { serial_numbers: readSerialNumbers(line.serial_numbers) }),
    variant: variant === null ? { id: line.variant_id } : toWireVariant(variant),
  }
}
