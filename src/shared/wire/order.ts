import { z } from 'zod'
import { orderStatuses } from '../domain/resource-states.ts'
import { shippingAddress } from './address.ts'
import { metaData } from './loose.ts'
import { dateTime, id, nullableText } from './primitives.ts'
import { shippingMethod } from './shipping-method.ts'
import { variant } from './variant.ts'

/** A document of an order, without its file (API.md 6.4). `order_price` in cents. */
export const orderDocument = z.object({
  id,
  title: z.string(),
  mime_type: z.string(),
  /** Number of prints. */
  quantity: z.number().int(),
  is_shipping_label: z.boolean(),
  order_price: z.number().int().nullable(),
  label_type: id.nullable(),
})
export type OrderDocument = z.output<typeof orderDocument>

/** A line of an order. `processed`: number of pieces that are already shipped (API.md 6.1). */
const orderLine = z.object({
  variant,
  quantity: z.number().int(),
  description: z.string(),
  price: z.number().nullable(),
  processed: z.number().int(),
  packing_slip: z.number().int(),
  serial_numbers: z.array(z.string()).optional(),
  meta_data: metaData.optional(),
})
export type OrderLine = z.output<typeof orderLine>

/**
 * Order. Responses contain the optional fields only if the request names their Expand group; lists never contain them
 * (API.md 6.1).
 */
export const order = z.object({
  id,
  reference: z.string(),
  created_at: dateTime,
  customer: id,
  external_id: nullableText,
  external_reference: z.string(),
  po_number: nullableText,
  /** The value is a day in a request and a datetime in a response. */
  requested_delivery_date: dateTime,
  status: z.enum(orderStatuses),
  partial_delivery: z.boolean(),
  business_to_business: z.boolean(),
  applied_business_rules: z.boolean().nullable(),
  shipping_method: z.union([id, shippingMethod]).nullable(),
  shipping_email: nullableText,
  shipping_contactperson: nullableText,
  inco_terms: nullableText,
  ioss_number: nullableText,
  eori_number: nullableText,
  vat_number: nullableText,
  inbound_vat_number: nullableText,
  inbound_eori_number: nullableText,
  /** Both amounts are in cents: `order_amount` and `assured_amount`. */
  order_amount: z.number().int().nullable(),
  assured_amount: z.number().int().nullable(),
  currency: nullableText,
  note: nullableText,
  customer_note: nullableText,
  language: nullableText,
  shipping_address: shippingAddress.optional(),
  order_lines: z.array(orderLine).optional(),
  documents: z.array(orderDocument).optional(),
  meta_data: metaData.optional(),
})
export type Order = z.output<typeof order>
