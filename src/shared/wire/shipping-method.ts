import { z } from 'zod'
import { dateTime, id, nullableText } from './primitives.ts'

/** Shipping method, read only (API.md 7.3). */
export const shippingMethod = z.object({
  id,
  shipper: nullableText,
  shipper_code: nullableText,
  code: z.string(),
  description: nullableText,
  shipping_software: nullableText,
  created_at: dateTime,
  modified_at: dateTime,
  administration_code: nullableText.optional(),
})
export type ShippingMethod = z.infer<typeof shippingMethod>
