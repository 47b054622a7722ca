import { normaliseCode } from '../references.ts'
import { type Carrier, carrierFormats } from './formats.ts'

export interface TrackingReading {
  readonly carrier: Carrier
  /** No article bears such a code. */
  readonly isDistinct: boolean
  /** Its check character is right. */
  readonly isChecked: boolean
  /** Under which the parcel may be known, beside the whole text; in the form of normaliseCode, likeliest first. */
  readonly numbers: readonly string[]
}

/** Longer than any of the codes in which carriers put a tracking number. */
const longestPayload = 2_000
/** Parts of a payload that are looked at; a MaxiCode of UPS has some twenty. */
const mostParts = 64
const mostNumbers = 6

/** What carriers may mean by a text, in the order of their table. Never throws; linear in its length. */
export function trackingReadings(text: string): TrackingReading[] {
  const whole = readingsOf(normaliseCode(text.slice(0, longestPayload)))
  return whole.length > 0 || text.length > longestPayload ? whole : partsOf(text)
}

/** All numbers of all readings, each once. */
export function trackingNumbers(readings: readonly TrackingReading[]): string[] {
  return [...new Set(readings.flatMap(({ numbers }) => numbers))].slice(0, mostNumbers)
}

function readingsOf(code: string): TrackingReading[] {
  return carrierFormats.flatMap(({ carrier, pattern, holds, isDistinct, held }) =>
    pattern.test(code) && (holds?.(code) ?? true)
      ? [{ carrier, isDistinct, isChecked: holds !== undefined, numbers: held?.(code) ?? [] }]
      : [],
  )
}

/**
 * A payload of several parts (MaxiCode of UPS, QR and Data Matrix of PostNL and others): the numbers among its parts,
 * if they are beyond doubt a carrier's.
 */
function partsOf(text: string): TrackingReading[] {
  const parts = text.toUpperCase().split(/[^0-9A-Z%]+/, mostParts)
  if (parts.length < 2) return []
  const readings = parts.flatMap((part) => [
    ...readingsOf(part).flatMap((reading) =>
      reading.isDistinct ? [{ ...reading, numbers: [part, ...reading.numbers] }] : [],
    ),
    ...shortUps(part, parts),
  ])
  return readings.slice(0, mostNumbers)
}

/** The MaxiCode of UPS leaves the account and the service out of the number: `1Z12345675` among fields with `UPSN`. */
function shortUps(part: string, parts: readonly string[]): TrackingReading[] {
  return /^1Z\d{8}$/.test(part) && parts.includes('UPSN')
    ? [{ carrier: 'ups', isDistinct: true, isChecked: false, numbers: [part] }]
    : []
}
