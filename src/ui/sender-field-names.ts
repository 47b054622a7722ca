import { m } from '#messages/messages.js'
import type { SenderAddress } from '#shared/wire/address.ts'

/** What a form and a refusal call the fields of a sender. */
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

/** The name of a field as a failure carries it, or null where it is no field of a sender. */
export function senderFieldName(field: unknown): string | null {
  return Object.entries(senderFieldNames).find(([name]) => name === field)?.[1]() ?? null
}
