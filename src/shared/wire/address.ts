import { z } from 'zod'
import { otherText } from './limits.ts'
import { textWithinOrNumber } from './loose.ts'

/** Longest value of each address field, in characters (API.md 1.11). */
export const addressLimits = {
  addressed_to: 100,
  contact_person: 100,
  street: 100,
  street2: 100,
  street_number: 10,
  street_number_addition: 10,
  city: 100,
  state: 100,
} as const

const text = z.string().nullable()

/** SenderAddress as the service returns it: all fields of ShippingAddress except `invalid` (API.md 1.13). */
export const senderAddress = z.object({
  addressed_to: text,
  contact_person: text,
  street: text,
  street2: text,
  street_number: text,
  street_number_addition: text,
  zipcode: text,
  city: text,
  country: text,
  state: text,
  phone_number: text,
  mobile_number: text,
  fax_number: text,
  email_address: text,
})
export type SenderAddress = z.infer<typeof senderAddress>

/** ShippingAddress of an order or shipment (API.md 1.13). */
export const shippingAddress = senderAddress.extend({ invalid: z.boolean().optional() })
export type ShippingAddress = z.infer<typeof shippingAddress>

/** Some clients send house numbers and postcodes as numbers. The service always returns text. */
const sentText = textWithinOrNumber(otherText)
const required = (max = otherText): z.ZodType<string, string | number> =>
  sentText.pipe(z.string().trim().min(1).max(max))
const optional = (max = otherText): z.ZodType<string | null | undefined> =>
  sentText.pipe(z.string().trim().max(max)).nullish()

/** SenderAddress on create: the required fields of API.md 8.2, the lengths of API.md 1.11. */
export const senderAddressInput = z.object({
  addressed_to: required(100),
  contact_person: optional(100),
  street: required(100),
  street2: optional(100),
  street_number: required(10),
  street_number_addition: optional(10),
  zipcode: required(),
  city: required(100),
  country: required(),
  state: optional(100),
  phone_number: optional(),
  mobile_number: optional(),
  fax_number: optional(),
  email_address: optional(),
})
export type SenderAddressInput = z.infer<typeof senderAddressInput>

/**
 * The sender of a return label for a shipment. Without a country the label keeps the country of the shipment, which may
 * be an id that only the service can resolve.
 */
export const shipmentSenderInput = senderAddressInput.partial({ country: true })
export type ShipmentSenderInput = z.infer<typeof shipmentSenderInput>

/** SenderAddress on patch: only the fields to change. */
export const senderAddressPatch = senderAddressInput.partial()
export type SenderAddressPatch = z.infer<typeof senderAddressPatch>
