import { m } from '#messages/messages.js'
import type { Role } from '#shared/wire/roles.ts'
import type { SenderAddress } from '#shared/wire/address.ts'
import { formatCountry } from '#ui/format.ts'

const lacks: Partial<Record<Role, () => string>> = {
  RETURN_LABELS_REQUEST: m.lacks_request,
  RETURN_LABELS_UPDATE: m.lacks_update,
  RETURN_LABELS_CANCEL: m.lacks_cancel,
}

/**
 * Returns a text about the roles that the next step of the label needs and the operator's login lacks; empty if the
 * login has all of them.
 */
export function lacksText(missing: readonly Role[]): string {
  return missing.map((role) => lacks[role]?.() ?? m.lacks_create()).join(' ')
}

/** Names of the fields of a sender, for forms and for texts about refusals. */
export const senderFieldNames: Record<keyof SenderAddress, () => string> = {
  addressed_to: m.form_addressed_to,
  contact_person: m.form_contact_person,
  street: m.form_street,
  street_number: m.form_street_number,
  street_number_addition: m.form_street_number_addition,
  street2: m.form_street2,
  zipcode: m.form_zipcode,
  city: m.form_city,
  state: m.form_state,
  country: m.form_country,
  phone_number: m.form_phone_number,
  mobile_number: m.form_mobile_number,
  email_address: m.form_email_address,
  fax_number: m.form_fax_number,
}

/** Returns the name of the field that a failure is about, or null if that field is not one of a sender. */
export function senderFieldName(field: unknown): string | null {
  return Object.entries(senderFieldNames).find(([name]) => name === field)?.[1]() ?? null
}

/** Returns an address on one line: `J. de Vries, Witte de Withstraat 64 b, 3012 BS Rotterdam, Netherlands`. */
export function addressLine(address: SenderAddress): string {
  const { addressed_to, street, street_number, street_number_addition, zipcode, city, country } = address
  return [
    addressed_to,
    joined(street, street_number, street_number_addition),
    joined(zipcode, city),
    country === null ? null : formatCountry(country),
  ]
    .filter((part) => part !== null && part !== '')
    .join(', ')
}

function joined(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(' ')
}
