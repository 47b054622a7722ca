import {
  addressLimits,
  type SenderAddress,
  senderAddressInput,
  type SenderAddressInput,
  senderAddressPatch,
  type SenderAddressPatch,
  shipmentSenderInput,
  type ShipmentSenderInput,
} from '#shared/wire/address.ts'
import { countryCodes, isCountryCode, isCountryReference } from '#shared/domain/country.ts'

/** The fields of a sender in the order in which the form asks for them, and in which a wrong one is looked for. */
export const senderFields = [
  'addressed_to',
  'contact_person',
  'street',
  'street_number',
  'street_number_addition',
  'street2',
  'zipcode',
  'city',
  'state',
  'country',
  'phone_number',
  'mobile_number',
  'email_address',
  'fax_number',
] as const satisfies readonly (keyof SenderAddress)[]
export type SenderField = (typeof senderFields)[number]

/**
 * The fields that the form offers, row by row. The fax number is not among them: the service takes a sender without one,
 * and nobody types one at a returns desk. A sender that came with one keeps it when something else is changed.
 */
export const senderRows: readonly { readonly name: string; readonly fields: readonly SenderField[] }[] = [
  { name: 'two', fields: ['addressed_to', 'contact_person'] },
  { name: 'street', fields: ['street', 'street_number', 'street_number_addition'] },
  { name: 'place', fields: ['zipcode', 'city', 'country'] },
  { name: 'two', fields: ['street2', 'state'] },
  { name: 'reach', fields: ['phone_number', 'mobile_number', 'email_address'] },
]

/** What was typed, field by field; nothing typed is an empty text. */
export type TypedSender = Record<SenderField, string>

const requiredFields: readonly SenderField[] = [
  'addressed_to',
  'street',
  'street_number',
  'zipcode',
  'city',
  'country',
]

export function isRequired(field: SenderField): boolean {
  return requiredFields.includes(field)
}

/** Longest value of a field in characters (API.md 1.11), or null where the service names none. */
export function limitOf(field: SenderField): number | null {
  const limits: Partial<Record<SenderField, number>> = addressLimits
  return limits[field] ?? null
}

/** How long a value is for the service, which counts UTF-16 units after trimming. */
function lengthOf(value: string): number {
  return value.trim().length
}

export type FieldFault =
  | { readonly kind: 'missing' }
  | { readonly kind: 'too_long'; readonly by: number }
  /** No country has this code (ISO 3166-1). */
  | { readonly kind: 'country' }
  /** The service said no to this value; stands until it is typed over. */
  | { readonly kind: 'refused' }

/**
 * What is wrong with a value by itself, or null. A wrong length is said at once, a missing value once it is due. `given`:
 * what the service says there; a country that it gave itself is not judged, because it may know more of them.
 */
export function faultOf(field: SenderField, value: string, given = ''): FieldFault | null {
  const limit = limitOf(field)
  const length = lengthOf(value)
  if (length === 0) return isRequired(field) ? { kind: 'missing' } : null
  if (limit !== null && length > limit) return { kind: 'too_long', by: length - limit }
  if (field !== 'country' || cleaned(field, value) === cleaned(field, given)) return null
  return isCountryCode(value.trim()) ? null : { kind: 'country' }
}

/** How many characters are left where few are: within a tenth of the limit, and at least three. Else null. */
export function charactersLeft(field: SenderField, value: string): number | null {
  const limit = limitOf(field)
  if (limit === null) return null
  const left = limit - lengthOf(value)
  return left >= 0 && left <= Math.max(3, limit / 10) ? left : null
}

/** A country that the service names by an id is nobody's to type or to send back: its field begins empty. */
export function typedFrom(sender: SenderAddress | null): TypedSender {
  const typed = {} as TypedSender
  for (const field of senderFields) typed[field] = sender?.[field] ?? ''
  if (isCountryReference(typed.country)) typed.country = ''
  return typed
}

/** The fields of a draft, which may lack some. */
export function typedFromDraft(kept: Readonly<Record<string, string>>): TypedSender {
  const typed = typedFrom(null)
  for (const field of senderFields) typed[field] = kept[field] ?? ''
  return typed
}

function cleaned(field: SenderField, value: string): string {
  return field === 'country' ? value.trim().toUpperCase() : value.trim()
}

/** The address as the service takes it. Throws (ZodError) where a fault was let through. */
export function toSenderInput(typed: TypedSender): SenderAddressInput {
  return senderAddressInput.parse(filledFields(typed))
}

function filledFields(typed: TypedSender): Partial<TypedSender> {
  const filled = senderFields.filter((field) => typed[field].trim() !== '')
  return Object.fromEntries(filled.map((field) => [field, cleaned(field, typed[field])]))
}

/** The same for a shipment, whose country may stay as it is. Throws (ZodError) like the above. */
export function toShipmentSender(typed: TypedSender): ShipmentSenderInput {
  return shipmentSenderInput.parse(filledFields(typed))
}

/** Only what differs from `before`; an emptied optional field is sent as null. Throws (ZodError) like the above. */
export function toSenderPatch(before: TypedSender, typed: TypedSender): SenderAddressPatch {
  const changed = senderFields.filter(
    (field) => cleaned(field, typed[field]) !== cleaned(field, before[field]),
  )
  const values = changed.map((field) => [field, cleaned(field, typed[field]) || null] as const)
  return senderAddressPatch.parse(Object.fromEntries(values))
}

export function isChanged(before: TypedSender, typed: TypedSender): boolean {
  return senderFields.some((field) => cleaned(field, typed[field]) !== cleaned(field, before[field]))
}

export interface Country {
  readonly code: string
  readonly name: string
}

/** The countries of ISO 3166-1 by the names that the browser's own tables give them. */
export function countries(region: string): readonly Country[] {
  const names = new Intl.DisplayNames([region], { type: 'region', fallback: 'none' })
  return countryCodes
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .toSorted((a, b) => a.name.localeCompare(b.name, region))
}

/** The code of a country written out, or what was typed. */
export function countryCode(typed: string, known: readonly Country[]): string {
  const wanted = typed.trim().toLowerCase()
  return known.find(({ name }) => name.toLowerCase() === wanted)?.code ?? typed
}
