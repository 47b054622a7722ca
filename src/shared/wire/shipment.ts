import { z } from 'zod'
import { shippingAddress } from './address.ts'
import { document } from './document.ts'
import { orderDocument } from './order.ts'
import { dateTime, id, nullableText, serverLabelId } from './primitives.ts'
import { shippingMethod } from './shipping-method.ts'
import { variant } from './variant.ts'

/** One parcel's label: the content of the carrier's barcode and the link to its tracking page. */
export const trackingInformation = z.object({
  label_code: nullableText,
  tracking_code: nullableText,
  tracking_url: nullableText,
})
export type TrackingInformation = z.infer<typeof trackingInformation>

/**
 * One parcel of a shipment, counted from 1. The contract shows no fields of a parcel, so the fields are chosen here
 * (API.md 7.1).
 */
const shipmentColli = trackingInformation.extend({ number: z.number().int() })

/**
 * The variant of a line: with Expand `variant` the whole Variant, otherwise `{id}` (API.md 3.2). Some services return
 * only a few fields of the variant.
 */
const reducedVariant = z.object({
  id,
  article_code: z.string().optional(),
  name: nullableText.optional(),
  ean: nullableText.optional(),
  sku: nullableText.optional(),
})

export const shipmentLine = z.object({
  shipped_quantity: z.number().int(),
  shipped_ean: nullableText,
  shipped_article_code: nullableText,
  shipped_sku: nullableText,
  serial_numbers: z.array(z.string()).optional(),
  variant: z.union([variant, reducedVariant]).nullable(),
})
export type ShipmentLine = z.infer<typeof shipmentLine>

/**
 * The newest return label of a shipment that is not cancelled, without its address: the deprecated paths return this
 * (API.md 7.2).
 */
export const shipmentReturnLabel = z.object({
  id: serverLabelId,
  tracking_information: z.array(trackingInformation),
  external_reference: nullableText,
  url: nullableText,
  created_at: dateTime,
})
export type ShipmentReturnLabel = z.infer<typeof shipmentReturnLabel>

const between = ', '
/** Maximum number of order references in the array that a service may return for a shipment. */
const mostOrders = 250
/**
 * Maximum number of single references that are read from the text of order references, because a search compares each
 * of them.
 */
const mostFound = 100

/**
 * The order references of a shipment as one text. If a service returns an array, its entries are joined to one text
 * (API.md 19).
 */
const orderReferencesText = z.codec(
  z.union([z.string(), z.array(z.string()).max(mostOrders), z.null()]),
  nullableText,
  {
    decode: (said) => (Array.isArray(said) ? said.join(between) || null : said),
    encode: (text) => text,
  },
)

/**
 * Shipment, read only; responses contain the optional fields only if the request names their Expand group (API.md 7.1).
 */
export const shipment = z.object({
  id,
  customer: id,
  reference: z.string(),
  po_number: nullableText,
  order_external_reference: orderReferencesText,
  shipment_external_reference: nullableText,
  created_at: dateTime,
  modified_at: dateTime.optional(),
  shipping_method: shippingMethod.nullable().optional(),
  shipment_labels: z.array(trackingInformation).optional(),
  shipment_colli: z.array(shipmentColli).optional(),
  shipment_lines: z.array(shipmentLine).optional(),
  shipping_address: shippingAddress.nullable().optional(),
  return_label: shipmentReturnLabel.nullable().optional(),
  /** The pickup label. */
  shipment_document: document.nullable().optional(),
  /** The documents of the shipment's order. */
  documents: z.array(orderDocument).optional(),
})
export type Shipment = z.infer<typeof shipment>

/**
 * Returns the references of a shipment's orders, at most `mostFound` single ones. A text with several references is
 * also returned as a whole, because a reference may contain a comma.
 */
export function orderReferences({ order_external_reference: said }: Shipment): readonly string[] {
  return said === null ? [] : [...new Set([said, ...said.split(between, mostFound)])]
}
