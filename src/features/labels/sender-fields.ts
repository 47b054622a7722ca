import type { LabelDraft } from '#shared/bridge/label-views.ts'
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
import { otherText } from '#shared/wire/limits.ts'
import { longestAddressField } from '#shared/writes/bounds.ts'
import { countryCodes, isCountryCode, isCountryReference } from '#shared/domain/country.ts'

/** The fields of a sender, in the order of the form. The first invalid field is determined by this order, too. */
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
 * The fields of the form, row by row. The form has no fax number, because the service does not require one and
 * operators do not enter one. If a sender has a fax number, it is kept when another field changes.
 */
export const senderRows: readonly { readonly name: string; readonly fields: readonly SenderField[] }[] = [
  { name: 'two', fields: ['addressed_to', 'contact_person'] },
  { name: 'street', fields: ['street', 'street_number', 'street_number_addition'] },
  { name: 'place', fields: ['zipcode', 'city', 'country'] },
  { name: 'two', fields: ['street2', 'state'] },
  { name: 'reach', fields: ['phone_number', 'mobile_number', 'email_address'] },
]

/** The typed text of each field; empty for an empty field. */
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

/** Returns the maximum number of characters of a field: the limit of API.md 1.11, or otherwise the desk's own limit. */
export function limitOf(field: SenderField): number {
  const limits: Partial<Record<SenderField, number>> = addressLimits
  // for the fax number the desk has no shorter limit than for other texts, because the form does not show the fax
  // number and an operator could not shorten it
  return limits[field] ?? (field === 'fax_number' ? otherText : longestAddressField)
}

/** Returns the length of a value as the service counts it: the number of UTF-16 code units after trimming. */
function lengthOf(value: string): number {
  return value.trim().length
}

export type FieldFault =
  | { readonly kind: 'missing' }
  | { readonly kind: 'too_long'; readonly by: number }
  /** The value is neither a country code of ISO 3166-1 nor the value that the service sent. */
  | { readonly kind: 'country' }
  /** The service refused this value. The fault is shown until the operator changes the value. */
  | { readonly kind: 'refused' }

/**
 * Returns the fault of a single value (missing, too long, or an unknown country), or null. `given` is the value that
 * the service sent for the field. A country equal to `given` is accepted, because the service may accept more countries
 * than ISO 3166-1 has.
 */
export function faultOf(field: SenderField, value: string, given = ''): FieldFault | null {
  const limit = limitOf(field)
  const length = lengthOf(value)
  if (length === 0) return isRequired(field) ? { kind: 'missing' } : null
  if (length > limit) return { kind: 'too_long', by: length - limit }
  if (field !== 'country' || cleaned(field, value) === cleaned(field, given)) return null
  return isCountryCode(value.trim()) ? null : { kind: 'country' }
}

/**
 * If at most three characters, or at most a tenth of the limit, are left, returns the number of characters that may
 * still be typed. Otherwise returns null.
 */
export function charactersLeft(field: SenderField, value: string): number | null {
  const limit = limitOf(field)
  const left = limit - lengthOf(value)
  return left >= 0 && left <= Math.max(3, limit / 10) ? left : null
}

/**
 * Returns the entries of the form for an address. If the country is an id of the service, its field starts empty,
 * because such an id can neither be typed nor sent.
 */
export function typedFrom(sender: SenderAddress | null): TypedSender {
  const typed = {} as TypedSender
  for (const field of senderFields) typed[field] = sender?.[field] ?? ''
  if (isCountryReference(typed.country)) typed.country = ''
  return typed
}

/** Returns the entries of the form for a saved draft, in which fields may be missing. */
export function typedFromDraft(kept: LabelDraft['sender']): TypedSender {
  const typed = typedFrom(null)
  for (const field of senderFields) typed[field] = kept[field] ?? ''
  return typed
}

function cleaned(field: SenderField, value: string): string {
  return field === 'country' ? value.trim().toUpperCase() : value.trim()
}

/** Returns the typed address in the form that the service accepts. Throws (ZodError) if a value is invalid. */
export function toSenderInput(typed: TypedSender): SenderAddressInput {
  return senderAddressInput.parse(filledFields(typed))
}

function filledFields(typed: TypedSender): Partial<TypedSender> {
  const filled = senderFields.filter((field) => typed[field].trim() !== '')
  return Object.fromEntries(filled.map((field) => [field, cleaned(field, typed[field])]))
}

/**
 * Returns the typed address for the label of a shipment. If the country is left out, the service keeps the country of
 * the shipment. Throws (ZodError) if a value is invalid.
 */
export function toShipmentSender(typed: TypedSender): ShipmentSenderInput {
  return shipmentSenderInput.parse(filledFields(typed))
}

/**
 * Returns only the fields that differ from `before`. An optional field that was emptied is null. Throws (ZodError) if a
 * value is invalid.
 */
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

/** Returns the countries of ISO 3166-1, sorted by name. The names are those of the browser in the language `region`. */
export function countries(region: string): readonly Country[] {
  const names = new Intl.DisplayNames([region], { type: 'region', fallback: 'none' })
  return countryCodes
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .toSorted((a, b) => a.name.localeCompare(b.name, region))
}

/** Returns the code of the country with the typed name, or the typed text if no country has that name. */
export function countryCode(typed: string, known: readonly Country[]): string {
  const wanted = typed.trim().toLowerCase()
  return known.find(({ name }) => name.toLowerCase() === wanted)?.code ?? typed
}
