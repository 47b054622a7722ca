import { normaliseCode } from '../references.ts'
import { hasValidCheckDigit } from '../gtin.ts'

export interface TrackingReading {
  readonly carrier: Carrier
  /** Whether no article code has the form of this text. */
  readonly isDistinct: boolean
  /** Whether the number has a check character, and it is right. */
  readonly isChecked: boolean
  /**
   * Numbers under which the parcel may be recorded, in addition to the whole text. They are in the form of
   * normaliseCode, the likeliest first.
   */
  readonly numbers: readonly string[]
}

/** Maximum length of a text that is read, in characters. Carriers' barcodes with tracking numbers are shorter. */
const longestPayload = 2_000
/** Maximum number of parts of a text that are read; a MaxiCode of UPS has about twenty. */
const mostParts = 64
const mostNumbers = 6

/**
 * Reads a text as a carrier's number. Returns a reading for each of `carrierFormats` that the text matches, in this
 * order. If the whole text matches none, returns the readings of those parts that are certainly numbers of a carrier,
 * in the order of the parts. Never throws; its time is linear in the text's length.
 */
export function trackingReadings(text: string): TrackingReading[] {
  const whole = readingsOf(normaliseCode(text.slice(0, longestPayload)))
  return whole.length > 0 || text.length > longestPayload ? whole : partsOf(text)
}

/** Returns the numbers of all given readings, each once, at most `mostNumbers`. */
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
 * Reads a text of several parts (MaxiCode of UPS, QR and Data Matrix of PostNL and others). Returns the parts that are
 * certainly numbers of a carrier.
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

/**
 * Recognises the number in a MaxiCode of UPS, which omits the account and the service: `1Z12345675` among fields with
 * `UPSN`. Returns the number in this short form.
 */
function shortUps(part: string, parts: readonly string[]): TrackingReading[] {
  return /^1Z\d{8}$/.test(part) && parts.includes('UPSN')
    ? [{ carrier: 'ups', isDistinct: true, isChecked: false, numbers: [part] }]
    : []
}

/**
 * The carrier of a number. `post`: any postal service (UPU S10); `sscc`: any carrier that prints GS1 transport labels.
 */
export type Carrier =
  'bpost' | 'colissimo' | 'dhl' | 'dpd' | 'fedex' | 'hermes' | 'post' | 'postnl' | 'sscc' | 'ups' | 'usps'

/** Names of the carriers, the same in every language. For `post` and `sscc`, the name of the number's format. */
export const carrierNames: Readonly<Record<Carrier, string>> = {
  bpost: 'bpost',
  colissimo: 'Colissimo',
  dhl: 'DHL',
  dpd: 'DPD',
  fedex: 'FedEx',
  hermes: 'Hermes',
  post: 'UPU S10',
  postnl: 'PostNL',
  sscc: 'SSCC',
  ups: 'UPS',
  usps: 'USPS',
}

export interface CarrierFormat {
  readonly carrier: Carrier
  /** A pattern that matches the whole text of a barcode, in the form of normaliseCode. */
  readonly pattern: RegExp
  readonly holds?: (number: string) => boolean
  /**
   * True: an article code cannot have this form, because the form has letters that only this carrier prints, or more
   * digits than a GTIN has. False: an article code may have the same form, so the carrier is not certain. The numbers
   * that `held` returns are searched for in both cases.
   */
  readonly isDistinct: boolean
  /** Returns the parts of a number under which the parcel may be recorded, the likeliest first. */
  readonly held?: (number: string) => readonly string[]
}

/**
 * Returns the number in the last 14 digits of a FedEx barcode. For FedEx Express these digits are two zeros and a
 * number of 12 digits. For FedEx Ground all 14 digits are the number.
 */
const withoutZeros = (last14: string): readonly string[] =>
  last14.startsWith('00') ? [last14.slice(2)] : [last14]
/**
 * Returns both forms of a DPD number of 14 digits: without its check character, as in DPD's barcodes, and with it, as
 * DPD prints the number in plain text.
 */
const dpdForms = (number: string): readonly string[] => [number, number + mod3736(number)]
const isDpdLabel = (number: string): boolean => mod3736(number.slice(0, 27)) === number.charAt(27)
const lastOf = (digits: number) => (number: string) => number.slice(-digits)
const holdsMod10 = (digits: number) => (number: string) => hasValidCheckDigit(lastOf(digits)(number))

/**
 * Formats of the carriers' numbers. Each format is confirmed by documents of the carrier, or by several independent
 * sources that agree about its labels. The formats with `isDistinct` are listed first. Each format occurs once.
 */
export const carrierFormats: readonly CarrierFormat[] = [
  { carrier: 'ups', pattern: /^1Z[0-9A-Z]{15}\d$/, holds: holdsUps, isDistinct: true },
  { carrier: 'post', pattern: /^[A-Z]{2}\d{9}[A-Z]{2}$/, holds: holdsS10, isDistinct: true },
  { carrier: 'postnl', pattern: /^3S[A-Z]{4}\d{7,9}$/, isDistinct: true },
  { carrier: 'dhl', pattern: /^(?:JVGL|JJD)\d{8,22}$/, isDistinct: true },
  { carrier: 'hermes', pattern: /^H10\d{17}$/, isDistinct: true },
  {
    carrier: 'colissimo',
    pattern: /^\d[A-Z]\d{11}$/,
    holds: holdsMod10(11),
    isDistinct: true,
  },
  {
    // a DPD barcode: one character that identifies the barcode, then the postcode, the number, the service and the
    // country
    carrier: 'dpd',
    pattern: /^[%A-Z][0-9A-Z]{7}\d{14}\d{6}$/,
    isDistinct: true,
    held: (number) => dpdForms(number.slice(8, 22)),
  },
  {
    carrier: 'dpd',
    pattern: /^[0-9A-Z]{7}\d{14}\d{6}[0-9A-Z]$/,
    holds: isDpdLabel,
    isDistinct: true,
    held: (number) => dpdForms(number.slice(7, 21)),
  },
  {
    carrier: 'fedex',
    pattern: /^(?:96\d{2}|100\d)\d{30}$/,
    holds: (number) => holdsFedExExpress(lastOf(12)(number)),
    isDistinct: true,
    held: (number) => withoutZeros(lastOf(14)(number)),
  },
  {
    carrier: 'fedex',
    pattern: /^96\d{20}$/,
    holds: holdsMod10(15),
    isDistinct: true,
    held: (number) => [lastOf(15)(number)],
  },
  { carrier: 'usps', pattern: /^9[1-5]\d{20}(?:\d{4})?$/, holds: hasValidCheckDigit, isDistinct: true },
  {
    carrier: 'usps',
    pattern: /^420\d{5}9[1-5]\d{20}(?:\d{4})?$/,
    holds: (number) => hasValidCheckDigit(number.slice(8)),
    isDistinct: true,
    held: (number) => [number.slice(8)],
  },
  {
    carrier: 'usps',
    pattern: /^420\d{9}9[1-5]\d{20}(?:\d{4})?$/,
    holds: (number) => hasValidCheckDigit(number.slice(12)),
    isDistinct: true,
    held: (number) => [number.slice(12)],
  },
  { carrier: 'bpost', pattern: /^3232\d{20}$/, isDistinct: true },
  {
    // DHL and others print 00 before the 18 digits, but some systems store the number without the 00, so the 18 digits
    // alone are searched for too
    carrier: 'sscc',
    pattern: /^00\d{18}$/,
    holds: holdsMod10(18),
    isDistinct: true,
    held: (number) => [number.slice(2)],
  },
  {
    carrier: 'sscc',
    pattern: /^\d{18}$/,
    holds: hasValidCheckDigit,
    isDistinct: true,
    held: (number) => [`00${number}`],
  },
  {
    carrier: 'fedex',
    pattern: /^61\d{18}$/,
    holds: (number) => hasValidCheckDigit(`92${number}`),
    isDistinct: true,
  },
  {
    carrier: 'dpd',
    pattern: /^\d{14}[0-9A-Z]$/,
    holds: (number) => mod3736(number.slice(0, 14)) === number.charAt(14),
    isDistinct: false,
    held: (number) => [number.slice(0, 14)],
  },
  { carrier: 'dpd', pattern: /^0\d{13}$/, isDistinct: false, held: (number) => [number + mod3736(number)] },
  { carrier: 'fedex', pattern: /^\d{15}$/, holds: hasValidCheckDigit, isDistinct: false },
  { carrier: 'fedex', pattern: /^\d{12}$/, holds: holdsFedExExpress, isDistinct: false },
  { carrier: 'dhl', pattern: /^\d{12}$/, holds: holdsIdentcode, isDistinct: false },
  { carrier: 'dhl', pattern: /^\d{10,11}$/, holds: holdsModulo7, isDistinct: false },
]

// Check characters of carriers' numbers. Each function `holds…` takes a complete number, with its check character.

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/**
 * ISO 7064 MOD 37,36, the check character of a printed DPD number. `body` is the number without it: digits and
 * capitals.
 */
export function mod3736(body: string): string {
  let product = 36
  for (const sign of body) {
    const sum = (product + alphabet.indexOf(sign)) % 36 || 36
    product = (sum * 2) % 37
  }
  return alphabet.charAt((37 - product) % 36)
}

/**
 * Whether the check digit of a UPS number (`1Z…`) is right: weights 1 and 2 from the left; letters count as digits by
 * their place in the alphabet.
 */
function holdsUps(number: string): boolean {
  let sum = 0
  for (let at = 2; at < 17; at++) {
    const sign = number.charAt(at)
    // the value of A is 2, of B 3 and so on; after 9 the values begin again at 0
    const value = /\d/.test(sign) ? Number(sign) : (number.charCodeAt(at) - 63) % 10
    sum += at % 2 === 0 ? value : 2 * value
  }
  return (10 - (sum % 10)) % 10 === Number(number.charAt(17))
}

/** Whether a number satisfies UPU standard S10: eight digits and their check digit between two pairs of letters. */
function holdsS10(number: string): boolean {
  const weights = [8, 6, 4, 2, 3, 5, 9, 7]
  const sum = weights.reduce((all, weight, at) => all + weight * Number(number.charAt(at + 2)), 0)
  const rest = 11 - (sum % 11)
  return (rest === 10 ? 0 : rest === 11 ? 5 : rest) === Number(number.charAt(10))
}

/**
 * Whether the check digit of a FedEx Express number (12 digits) is right: weights 1, 3, 7 from the right, modulo 11,
 * and the result modulo 10.
 */
function holdsFedExExpress(number: string): boolean {
  const weights = [1, 3, 7]
  let sum = 0
  for (let at = 0; at < number.length - 1; at++)
    sum += (weights[(number.length - 2 - at) % 3] ?? 0) * Number(number.charAt(at))
  return (sum % 11) % 10 === Number(number.at(-1))
}

/** Whether the last digit is the remainder of the others divided by 7 (DHL Express waybills: 10 or 11 digits). */
function holdsModulo7(number: string): boolean {
  return Number(number.slice(0, -1)) % 7 === Number(number.at(-1))
}

/**
 * Whether the check digit of an Identcode of Deutsche Post (12 digits) is right: weights 4 and 9 from the left, modulo
 * 10.
 */
function holdsIdentcode(number: string): boolean {
  let sum = 0
  for (let at = 0; at < number.length - 1; at++) sum += (at % 2 === 0 ? 4 : 9) * Number(number.charAt(at))
  return (10 - (sum % 10)) % 10 === Number(number.at(-1))
}
