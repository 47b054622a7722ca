import { z } from 'zod'
import { needsPostcode } from '../domain/country.ts'
import {
  countryCode,
  looseAmount,
  looseFlag,
  metaDataInput,
  longestReference,
  neededText,
  optionalText,
  orEmptyArray,
  sentList,
  wholeFrom,
} from './loose.ts'
import { orderDocumentInput } from './order-document-input.ts'
import { id, sentDay } from './primitives.ts'

/**
 * ShippingAddress with the required fields and lengths of API.md 6.2 and 1.11; the country determines the check of
 * `zipcode`.
 */
const addressFields = z.object({
  addressed_to: neededText(100),
  contact_person: optionalText(100),
  street: neededText(100),
  street2: optionalText(100),
  street_number: optionalText(10),
  street_number_addition: optionalText(10),
  zipcode: optionalText(),
  city: neededText(100),
  country: countryCode,
  state: optionalText(100),
  phone_number: optionalText(),
  mobile_number: optionalText(),
  fax_number: optionalText(),
  email_address: optionalText(),
  invalid: looseFlag.nullish(),
})

const wholeAddress = addressFields.refine((address) => address.zipcode ?? !needsPostcode(address.country), {
  path: ['zipcode'],
  message: 'This value should not be blank.',
})

const line = z.object({
  article_code: neededText(),
  quantity: wholeFrom(1),
  description: neededText(),
  price: looseAmount.nullish(),
  packing_slip: wholeFrom(0).nullish(),
  meta_data: metaDataInput.nullish(),
})

/**
 * Maximum length of all lines of an order as JSON, in characters. A thousand usual lines have a twentieth of this
 * length.
 */
const longestLines = 4 * 1024 * 1024

const lines = sentList(line)
  .min(1, 'An order has at least one line.')
  .max(1000)
  .refine(
    (all) => JSON.stringify(all).length <= longestLines,
    `These lines should have ${longestLines} characters of JSON or less in all.`,
  )

const word = (pattern: RegExp, message: string): z.ZodType<string | null | undefined> =>
  z.union([z.literal('').transform(() => null), z.string().trim().regex(pattern, message)]).nullish()
const term = z.union([z.enum(['DAP', 'DDP']), z.literal('').transform(() => null)]).nullish()

const fields = z.object({
  /**
   * Clients written for the older API reference send this field. It is ignored, because the header determines the
   * customer.
   */
  customer: id.nullish(),
  external_id: optionalText(longestReference),
  external_reference: neededText(longestReference),
  po_number: optionalText(),
  order_lines: lines,
  documents: sentList(orderDocumentInput).max(100).nullish(),
  requested_delivery_date: sentDay,
  shipping_method: z.union([id, z.literal('').transform(() => null)]).nullish(),
  shipping_email: optionalText(),
  shipping_contactperson: optionalText(),
  shipping_address: orEmptyArray(wholeAddress),
  inco_terms: term,
  incoterms: term,
  ioss_number: optionalText(),
  eori_number: optionalText(),
  vat_number: optionalText(),
  inbound_vat_number: optionalText(),
  inbound_eori_number: optionalText(),
  order_amount: wholeFrom(0).nullish(),
  assured_amount: wholeFrom(0).nullish(),
  currency: word(/^[A-Za-z]{3}$/, 'This value should be a currency code of three letters.'),
  note: optionalText(),
  customer_note: optionalText(),
  language: word(/^[A-Za-z]{2,3}([-_][A-Za-z0-9]+)*$/, 'This value should be a language code.'),
  meta_data: metaDataInput.nullish(),
})

const sameTerms = {
  check: (body: { inco_terms?: unknown; incoterms?: unknown }): boolean =>
    (body.inco_terms ?? null) === null ||
    (body.incoterms ?? null) === null ||
    body.inco_terms === body.incoterms,
  otherwise: { path: ['incoterms'], message: 'Both spellings were sent, and they differ.' },
}

/**
 * Body of POST /wms/orders/. The newer API reference requires a contact person. The older API reference requires
 * `customer` and `shipping_method` instead. An order that satisfies one of the two references is accepted (API.md 6.2).
 */
export const orderCreate = fields
  .refine(sameTerms.check, sameTerms.otherwise)
  .refine((body) => body.shipping_contactperson ?? (body.customer && body.shipping_method), {
    path: ['shipping_contactperson'],
    message: 'This value should not be blank.',
  })
export type OrderCreate = z.output<typeof orderCreate>

/**
 * Body of PATCH /wms/orders/:id/: any of the fields of a POST. The address contains only the fields to change; the
 * stored address with these changes must be complete. Documents have separate paths, so they are ignored here.
 */
export const orderPatch = fields
  .omit({ documents: true, shipping_address: true })
  .partial()
  .extend({ shipping_address: orEmptyArray(addressFields.partial()).nullish() })
  .refine(sameTerms.check, sameTerms.otherwise)
export type OrderPatch = z.output<typeof orderPatch>
