import { isoTime } from '#kit/clock.ts'
import type { SenderAddress } from '#shared/wire/address.ts'
import { nearestMoment } from '#shared/wire/primitives.ts'
import type { TrackingInformation } from '#shared/wire/shipment.ts'
import { readTracking, type StoredAddress, type StoredShippingAddress } from '../data/engine/stored-json.ts'
import type { Flag } from '../data/schema/table.ts'

/** Conversions between the stored form and the API's form of values, for values that several resources contain. */

/**
 * Returns a stored time or day in the format of the API: `2026-03-01T12:00:00+00:00`. Databases of earlier versions may
 * contain implausible days; they must not make a list fail.
 */
export function toWireTime(stored: string): string {
  // Replaces only the end of the text, because a stored time differs from the format of the API only there. Parsing the
  // time as a Date takes twenty times as long, and the response to a list can contain thousands of timestamps.
  const isInstant = stored.length === instantLength && stored[secondsLength] === '.' && stored.endsWith('Z')
  if (isInstant && stored >= '1970' && stored < '2100') return `${stored.slice(0, secondsLength)}+00:00`
  return isoTime(nearestMoment(Date.parse(stored)))
}

const instantLength = 'YYYY-MM-DDTHH:MM:SS.mmmZ'.length
const secondsLength = 'YYYY-MM-DDTHH:MM:SS'.length

/**
 * The conversions of one field: from a request to the column with the same name, and from that column to a response.
 */
export interface WireField<Sent, Stored, Shown> {
  readonly fromWire: (sent: Sent) => Stored
  readonly toWire: (stored: Stored) => Shown
}
type FromWire = Pick<WireField<never, unknown, unknown>, 'fromWire'>
type ToWire = Pick<WireField<unknown, never, unknown>, 'toWire'>

/** A field that is stored in the form in which it is sent. */
export const asSent: Record<'fromWire' | 'toWire', <Value>(value: Value) => Value> = {
  fromWire: (sent) => sent,
  toWire: (stored) => stored,
}

/** A boolean field, which is stored as 0 or 1. */
export const flagField: WireField<boolean, Flag, boolean> = {
  fromWire: (sent) => (sent ? 1 : 0),
  toWire: (stored) => stored === 1,
}

/** Returns the columns of the fields that the client sent. Null clears an optional field. */
export function columnsIn<Table extends Readonly<Record<string, FromWire>>>(
  table: Table,
  body: { readonly [Name in keyof Table]?: unknown },
): { [Name in keyof Table]?: ReturnType<Table[Name]['fromWire']> } {
  const columns: Record<string, unknown> = {}
  for (const [name, { fromWire }] of Object.entries(table))
    if (body[name] !== undefined) columns[name] = fromWire(body[name] as never)
  return columns as ReturnType<typeof columnsIn<Table>>
}

/**
 * Returns a function that converts stored records by a table of their fields. The result has the fields in the order of
 * the table.
 */
export function toWireBy<Table extends Readonly<Record<string, ToWire>>>(
  table: Table,
): (row: { readonly [Name in keyof Table]: Parameters<Table[Name]['toWire']>[0] }) => {
  [Name in keyof Table]: ReturnType<Table[Name]['toWire']>
} {
  // the table is read once and not for each record, because a list may have a thousand records
  const entries = Object.entries(table)
  return (row) => {
    const fields: Record<string, unknown> = {}
    for (const [name, { toWire }] of entries) fields[name] = toWire(row[name] as never)
    return fields as ReturnType<ReturnType<typeof toWireBy<Table>>>
  }
}

/**
 * Returns a function that converts each record only once. The lines of a list often refer to the same records: each
 * line of a bundle has its whole variant, and each batch has the lines of its inbound.
 */
export function oncePerRecord<Row extends object, Shown>(convert: (row: Row) => Shown): (row: Row) => Shown {
  const shown = new WeakMap<Row, { readonly value: Shown }>()
  return (row) => {
    const known = shown.get(row) ?? { value: convert(row) }
    shown.set(row, known)
    return known.value
  }
}

/** The names that the stored fields of an address have in the API (API.md 1.13). */
const addressNames = {
  addressedTo: 'addressed_to',
  contactPerson: 'contact_person',
  street: 'street',
  street2: 'street2',
  streetNumber: 'street_number',
  streetNumberAddition: 'street_number_addition',
  zipcode: 'zipcode',
  city: 'city',
  country: 'country',
  state: 'state',
  phoneNumber: 'phone_number',
  mobileNumber: 'mobile_number',
  faxNumber: 'fax_number',
  emailAddress: 'email_address',
} as const satisfies Record<keyof StoredAddress, keyof SenderAddress>
type AddressNames = typeof addressNames
const addressEntries = Object.entries(addressNames) as [
  keyof AddressNames,
  AddressNames[keyof AddressNames],
][]

/** A required field of an address is a text, an optional one may be null or missing. */
type SentAddress = { readonly [Name in AddressNames[keyof AddressNames]]?: string | null | undefined }
type Stored<Sent> = Sent extends undefined ? null : Sent

/** Returns an address with the field names of API.md 1.13. */
export function toWireAddress(address: StoredShippingAddress): SenderAddress {
  type Shown = { [Name in keyof AddressNames as AddressNames[Name]]: StoredShippingAddress[Name] }
  return Object.fromEntries(addressEntries.map(([name, wireName]) => [wireName, address[name]])) as Shown
}

/** Converts the whole address of a request. A missing field becomes null. */
export function fromWireAddress<Sent extends SentAddress>(
  address: Sent,
): { [Name in keyof AddressNames]: Stored<Sent[AddressNames[Name]]> } {
  const stored = addressEntries.map(([name, wireName]) => [name, address[wireName] ?? null])
  return Object.fromEntries(stored) as ReturnType<typeof fromWireAddress<Sent>>
}

/** Converts the changes of an address: returns only the fields that the client sent. Null clears an optional field. */
export function fromWireAddressPatch<Sent extends SentAddress>(
  patch: Sent,
): { [Name in keyof AddressNames]?: Exclude<Sent[AddressNames[Name]], undefined> } {
  const sent = addressEntries.filter(([, wireName]) => patch[wireName] !== undefined)
  const stored = sent.map(([name, wireName]) => [name, patch[wireName]])
  return Object.fromEntries(stored) as ReturnType<typeof fromWireAddressPatch<Sent>>
}

/** Returns stored tracking data with the field names of API.md 7.1. */
export function toWireTracking(stored: string): TrackingInformation[] {
  return readTracking(stored).map((parcel) => ({
    label_code: parcel.labelCode,
    tracking_code: parcel.trackingCode,
    tracking_url: parcel.trackingUrl,
  }))
}
