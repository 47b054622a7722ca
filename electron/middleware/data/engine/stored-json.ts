import { z } from 'zod'
import { metaData, type MetaData, ownPairs, type OwnPairs } from '#shared/wire/loose.ts'
import { roles, warehouseRoles } from '#shared/wire/roles.ts'

/**
 * Schemas of values that are stored as JSON text in one column. Each value is validated when it is read, so that a
 * damaged row is detected.
 */
const nullableText = z.string().nullable()

const storedAddress = z.object({
  addressedTo: z.string(),
  contactPerson: nullableText,
  street: z.string(),
  street2: nullableText,
  streetNumber: z.string(),
  streetNumberAddition: nullableText,
  zipcode: z.string(),
  city: z.string(),
  country: z.string(),
  state: nullableText,
  phoneNumber: nullableText,
  mobileNumber: nullableText,
  faxNumber: nullableText.default(null),
  emailAddress: nullableText,
})
/** An address in its stored form. routes/wire-values.ts has the field names of the API. */
export type StoredAddress = z.output<typeof storedAddress>

/**
 * The delivery address of an order. Zipcode and house number can be null, because not every country has zipcodes and
 * not every house has a number.
 */
const storedShippingAddress = storedAddress.extend({ streetNumber: nullableText, zipcode: nullableText })
export type StoredShippingAddress = z.output<typeof storedShippingAddress>

const storedTracking = z.array(
  z.object({ labelCode: nullableText, trackingCode: nullableText, trackingUrl: nullableText }),
)
export type StoredTracking = z.output<typeof storedTracking>

const storedRoles = z.array(z.enum([...roles, ...warehouseRoles]))
const storedSerialNumbers = z.array(z.string())

export function readAddress(text: string): StoredAddress {
  return storedAddress.parse(JSON.parse(text))
}

export function readShippingAddress(text: string): StoredShippingAddress {
  return storedShippingAddress.parse(JSON.parse(text))
}

export function readTracking(text: string): StoredTracking {
  return storedTracking.parse(JSON.parse(text))
}

export function readRoles(text: string): z.output<typeof storedRoles> {
  return storedRoles.parse(JSON.parse(text))
}

export function readSerialNumbers(text: string): string[] {
  return storedSerialNumbers.parse(JSON.parse(text))
}

export function readMetaData(text: string): MetaData {
  return metaData.parse(JSON.parse(text))
}

export function readOwnPairs(text: string): OwnPairs {
  return ownPairs.parse(JSON.parse(text))
}
