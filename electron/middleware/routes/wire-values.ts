import { isoTime } from '#kit/clock.ts'
import type { SenderAddress, SenderAddressInput, SenderAddressPatch } from '#shared/wire/address.ts'
import type { TrackingInformation } from '#shared/wire/shipment.ts'
import { readTracking, type StoredAddress, type StoredShippingAddress } from '../data/engine/stored-json.ts'

/** Conversions of values that several resources share, between their stored form and that of the API. */

/** Returns a stored time in the format of the API: `2026-03-01T12:00:00+00:00`. */
export function toWireTime(stored: string): string {
  return isoTime(Date.parse(stored))
}

/** Returns an address with the field names of API.md 1.13. */
export function toWireAddress(address: StoredShippingAddress): SenderAddress {
  return {
    addressed_to: address.addressedTo,
    contact_person: address.contactPerson,
    street: address.street,
    street2: address.street2,
    street_number: address.streetNumber,
    street_number_addition: address.streetNumberAddition,
    zipcode: address.zipcode,
    city: address.city,
    country: address.country,
    state: address.state,
    phone_number: address.phoneNumber,
    mobile_number: address.mobileNumber,
    fax_number: address.faxNumber,
    email_address: address.emailAddress,
  }
}

/** Converts a whole address of a request. A missing field becomes null. */
export function fromWireAddress(address: SenderAddressInput): StoredAddress {
  return {
    addressedTo: address.addressed_to,
    contactPerson: address.contact_person ?? null,
    street: address.street,
    street2: address.street2 ?? null,
    streetNumber: address.street_number,
    streetNumberAddition: address.street_number_addition ?? null,
    zipcode: address.zipcode,
    city: address.city,
    country: address.country,
    state: address.state ?? null,
    phoneNumber: address.phone_number ?? null,
    mobileNumber: address.mobile_number ?? null,
    faxNumber: address.fax_number ?? null,
    emailAddress: address.email_address ?? null,
  }
}

/** Returns only the sent fields; an explicit null clears an optional one. */
export function fromWireAddressPatch(patch: SenderAddressPatch): Partial<StoredAddress> {
  const changed: Partial<StoredAddress> = {}
  if (patch.addressed_to !== undefined) changed.addressedTo = patch.addressed_to
  if (patch.contact_person !== undefined) changed.contactPerson = patch.contact_person
  if (patch.street !== undefined) changed.street = patch.street
  if (patch.street2 !== undefined) changed.street2 = patch.street2
  if (patch.street_number !== undefined) changed.streetNumber = patch.street_number
  if (patch.street_number_addition !== undefined) changed.streetNumberAddition = patch.street_number_addition
  if (patch.zipcode !== undefined) changed.zipcode = patch.zipcode
  if (patch.city !== undefined) changed.city = patch.city
  if (patch.country !== undefined) changed.country = patch.country
  if (patch.state !== undefined) changed.state = patch.state
  if (patch.phone_number !== undefined) changed.phoneNumber = patch.phone_number
  if (patch.mobile_number !== undefined) changed.mobileNumber = patch.mobile_number
  if (patch.fax_number !== undefined) changed.faxNumber = patch.fax_number
  if (patch.email_address !== undefined) changed.emailAddress = patch.email_address
  return changed
}

/** Returns stored tracking data with the field names of API.md 7.1. */
export function toWireTracking(stored: string): TrackingInformation[] {
  return readTracking(stored).map((parcel) => ({
    label_code: parcel.labelCode,
    tracking_code: parcel.trackingCode,
    tracking_url: parcel.trackingUrl,
  }))
}
