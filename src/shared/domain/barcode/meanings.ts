import { trackingNumbers, trackingReadings, type Carrier } from '../carriers/tracking.ts'
import { hasValidCheckDigit, looksMisread, gs1CheckDigit } from '../gtin.ts'
import { readBarcode, type ReadBarcode } from '../gs1/read-barcode.ts'
import { normaliseCode, otherHashForm, parseReference } from '../references.ts'

export type NumberKind =
  'ean13' | 'ean8' | 'upc_a' | 'upc_e' | 'itf14' | 'isbn10' | 'isbn13' | 'sscc' | 'gs1' | 'link'

/**
 * Why a text is read as this kind of number: by the scanner's identifier, by its GS1 elements, or only by its check
 * digit.
 */
export type Reason = 'identifier' | 'elements' | 'check_digit'

export interface NumberReading {
  readonly kind: NumberKind
  /** The GTIN of the article; null for the number of a parcel. */
  readonly gtin: string | null
  readonly reason: Reason
}

/**
 * All possible meanings of a scanned text, determined from the text alone. Which of them applies depends on the records
 * that exist.
 */
export interface Meanings {
  /** The scanned text without the identifier of its symbology. */
  readonly text: string
  readonly gs1: ReadBarcode
  /** The possible readings of the text as a number; the most reliable first. */
  readonly readings: readonly NumberReading[]
  /** Codes of articles that the text may be or contain, likeliest first; never empty. */
  readonly articles: readonly string[]
  /** Codes that a shipment or a return label may have, in the form of normaliseCode; the text itself first. */
  readonly parcels: readonly string[]
  /**
   * Further codes that a shipment or a return label may have, for a scan without any other match: the codes with an
   * added or removed leading `#`, and the codes within a web address. In the form of normaliseCode, likeliest first.
   */
  readonly nearParcels: readonly string[]
  /** One or two possible order references, in their original spelling, with which the desk can query the service. */
  readonly orders: readonly string[]
  /** The carrier if the text is certainly one of its tracking numbers; otherwise null. */
  readonly carrier: Carrier | null
  /**
   * Whether the text was probably misread or mistyped: it consists of as many digits as a GTIN, but its check digit is
   * wrong, no other reading results in a GTIN, and it is not a carrier's number.
   */
  readonly isMisread: boolean
}

/** Maximum length of a code, in characters. A longer text is not a code, but may contain one. */
const longestCode = 120
/**
 * Maximum length of an address that is searched for codes, in characters, and maximum number of its parts that are
 * compared.
 */
const longestAddress = 2_000
const mostParts = 64
const mostNear = 24

/** Returns the meanings of any scanned text. Never throws; its time is linear in the text's length. */
export function meaningsOf(scanned: string, currentYear: number): Meanings {
  const gs1 = readBarcode(scanned, currentYear)
  const { symbology, text } = identify(scanned)
  const tracking = trackingReadings(text)
  const isClaimed = tracking.some(({ isDistinct, isChecked }) => isDistinct || isChecked)
  const readings = [
    ...elementReadings(gs1),
    ...digitReadings(text, symbology),
    ...isbnReadings(text, isClaimed),
  ]
  const gtins = readings.flatMap(({ gtin }) => gtin ?? [])
  const isElements = gs1.elements.length > 0
  const own = isElements || text.length > longestCode ? [] : [text]
  const articles = [...new Set([...(isElements ? gtins : []), ...own, ...gtins, ...otherIsbn(text)])]
  const parcels = [normaliseCode(text).slice(0, longestCode), ...ssccForms(gs1), ...trackingNumbers(tracking)]
  const held = isElements ? [] : codesInAddress(text)
  const isNumber = gtins.length > 0 || isElements || isClaimed
  return {
    text,
    gs1,
    readings,
    articles: articles.length > 0 ? articles : [text.slice(0, longestCode)],
    parcels: [...new Set(parcels)],
    nearParcels: nearTo(held.length > 0 ? held : parcels.slice(0, 1), parcels),
    orders: held.length > 0 ? held.slice(0, 1) : ordersOf(text, isNumber),
    carrier: tracking.find(({ isDistinct }) => isDistinct)?.carrier ?? null,
    isMisread: looksMisread(text) && gtins.length === 0 && !isClaimed,
  }
}

function elementReadings({ reading, gtin, sscc, elements }: ReadBarcode): NumberReading[] {
  if (elements.length === 0) return []
  const kind = reading === 'link' ? 'link' : 'gs1'
  const article: NumberReading[] = gtin === null ? [] : [{ kind, gtin, reason: 'elements' }]
  return sscc === null ? article : [...article, { kind: 'sscc', gtin: null, reason: 'elements' }]
}

/** Reads a number by its length and check digit. Only the symbology distinguishes a UPC-E from an EAN-8. */
function digitReadings(text: string, symbology: Symbology | null): NumberReading[] {
  const digits = text.trim()
  if (!/^\d{6,18}$/.test(digits)) return []
  const kind = digits.length === 13 && /^97[89]/.test(digits) ? 'isbn13' : numberKinds[digits.length]
  const isUpcE = symbology === 'ean' && digits.length <= 8
  const whole: NumberReading[] =
    kind !== undefined && !isUpcE && hasValidCheckDigit(digits)
      ? [{ kind, gtin: kind === 'sscc' ? null : digits.padStart(14, '0'), reason: reasonOf(symbology) }]
      : []
  const expanded = mayBeUpcE(digits, symbology) ? expandUpcE(digits) : null
  if (expanded === null) return whole
  return [...whole, { kind: 'upc_e', gtin: expanded.padStart(14, '0'), reason: reasonOf(symbology) }]
}

const numberKinds: Readonly<Record<number, NumberKind>> = {
  8: 'ean8',
  12: 'upc_a',
  13: 'ean13',
  14: 'itf14',
  18: 'sscc',
}

function mayBeUpcE(digits: string, symbology: Symbology | null): boolean {
  return digits.length === 8 && (symbology === null || symbology === 'ean')
}

function reasonOf(symbology: Symbology | null): Reason {
  return symbology === null ? 'check_digit' : 'identifier'
}

/**
 * Reads an ISBN. Ten bare digits are an ISBN only if no carrier's format matches them; a text in ISBN notation always
 * is an ISBN.
 */
function isbnReadings(text: string, isClaimed: boolean): NumberReading[] {
  const isbn = parseIsbn(text)
  const isDigitsOnly = /^\d{13}$/.test(text.trim())
  if (!isbn || isDigitsOnly || (isbn.isBare && isClaimed)) return []
  const kind = isbn.written === 'ten' ? 'isbn10' : 'isbn13'
  return [{ kind, gtin: isbn.ean.padStart(14, '0'), reason: 'check_digit' }]
}

/**
 * Returns the ISBN-10 of a book as another code, because a catalogue may contain the ISBN that was printed before 2007.
 */
function otherIsbn(text: string): string[] {
  const isbn = parseIsbn(text)
  return isbn?.ten != null && isbn.written === 'thirteen' ? [isbn.ten] : []
}

/** Returns the codes of a transport unit: its 18 digits, and the same digits behind the identifier 00. */
function ssccForms({ sscc }: ReadBarcode): string[] {
  return sscc === null ? [] : [sscc, `00${sscc}`]
}

/** Returns the given codes, and each code with a leading `#` added or removed. Leaves out the codes in `looked`. */
function nearTo(codes: readonly string[], looked: readonly string[]): string[] {
  const forms = [...codes, ...codes.flatMap((code) => otherHashForm(code) ?? [])]
  return [...new Set(forms)].filter((code) => !looked.includes(code)).slice(0, mostNear)
}

/**
 * Returns the codes in the path, the query and the fragment of an address: whole values first, then the runs of at
 * least eight letters and digits in them. A code has at least five characters, one of them a digit, because a shorter
 * number may be a page number.
 */
function codesInAddress(text: string): string[] {
  const [, behind = ''] = /^(?:https?:\/\/|www\.)(.*)$/is.exec(text.trim().slice(0, longestAddress)) ?? []
  const rest = behind.slice(/[/?#]|$/.exec(behind)?.index)
  const values = (rest.match(/[^/?#&;=]+/g) ?? []).slice(0, mostParts).map(decoded)
  const runs = values.flatMap((value) => value.match(/[0-9A-Za-z]{8,}/g) ?? [])
  const codes = [...values, ...runs].map(normaliseCode)
  const isCode = (code: string): boolean => code.length >= 5 && code.length <= longestCode && /\d/.test(code)
  return [...new Set(codes.filter(isCode))].slice(0, mostNear / 2)
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '))
  } catch {
    return value
  }
}

/**
 * Returns the order references that a text may be: the text, and the text with a leading `#` added or removed. If the
 * text is a GTIN, GS1 data, a reference of the service or certainly a carrier's number, or has no digit, returns only
 * the text itself. For a text with small letters, also returns only the text itself: a scan makes at most six calls,
 * and the search for an article already needs three calls for such a text.
 */
function ordersOf(text: string, isNumber: boolean): string[] {
  const order = text.trim()
  const other = otherHashForm(order)
  const isOther = isNumber || parseReference(order) !== null || !/\d/.test(order)
  return other === null || isOther ? [order] : [order, other]
}

/** The symbology of a barcode, as far as the meaning of its text depends on it. */
export type Symbology =
  | 'code39'
  | 'code128'
  | 'data_matrix'
  | 'ean'
  | 'ean8'
  | 'itf'
  | 'codabar'
  | 'maxicode'
  | 'pdf417'
  | 'qr'
  | 'aztec'

export interface Identified {
  /** AIM identifier (ISO/IEC 15424) such as `]C1`; null: the scanner sends none. */
  readonly identifier: string | null
  /** The symbology; null: the scanner sent no symbology, or its symbology makes no difference here. */
  readonly symbology: Symbology | null
  /** The scanned text without its AIM identifier. */
  readonly text: string
}

/**
 * Symbologies by the code letter of the identifier (ISO/IEC 15424, table 1). `X` is any symbology without its own
 * letter.
 */
const byLetter: Readonly<Record<string, Symbology>> = {
  A: 'code39',
  C: 'code128',
  d: 'data_matrix',
  E: 'ean',
  F: 'codabar',
  I: 'itf',
  L: 'pdf417',
  Q: 'qr',
  U: 'maxicode',
  z: 'aztec',
}

/**
 * Splits the identifier from a scanned text. The letters of identifiers are case-sensitive, so the text must be free of
 * the effect of Caps Lock.
 */
export function identify(scanned: string): Identified {
  const identifier = /^\][A-Za-z][0-9A-Za-z]/.exec(scanned)?.[0] ?? null
  if (identifier === null) return { identifier, symbology: null, text: scanned }
  const symbology = identifier === ']E4' ? 'ean8' : (byLetter[identifier.charAt(1)] ?? null)
  return { identifier, symbology, text: scanned.slice(3) }
}

/** Whether the last sign is the check digit of an ISBN-10 (ISO 2108, annex: weights 10 to 1, modulo 11, X is 10). */
function isIsbn10(text: string): boolean {
  if (!/^\d{9}[\dX]$/.test(text)) return false
  let sum = 0
  for (let at = 0; at < 10; at++) sum += (10 - at) * (text[at] === 'X' ? 10 : Number(text[at]))
  return sum % 11 === 0
}

export interface Isbn {
  /** The EAN-13 of the book, which is also its ISBN of 13 digits. */
  readonly ean: string
  /** The ISBN-10 of the book; null: a book with the prefix 979 has no ISBN-10. */
  readonly ten: string | null
  readonly written: 'ten' | 'thirteen'
  /** Whether the text is ten bare digits, so that only the check digit shows that it is an ISBN. */
  readonly isBare: boolean
}

/**
 * Parses an ISBN of ten or thirteen characters, with or without hyphens and a leading "ISBN"; null for any other text.
 */
export function parseIsbn(text: string): Isbn | null {
  if (text.length > 30) return null
  const match = /^(ISBN(?:-1[03])?:?\s*)?([\dX][\dX -]*)$/.exec(text.trim().toUpperCase())
  if (!match) return null
  const digits = (match[2] ?? '').replaceAll(/[ -]/g, '')
  if (isIsbn10(digits)) {
    const body = `978${digits.slice(0, 9)}`
    const isBare = match[1] === undefined && !/[-X ]/.test(match[2] ?? '')
    return { ean: body + String(gs1CheckDigit(body)), ten: digits, written: 'ten', isBare }
  }
  if (!/^97[89]\d{10}$/.test(digits) || !hasValidCheckDigit(digits)) return null
  return {
    ean: digits,
    ten: digits.startsWith('978') ? tenOf(digits.slice(3, 12)) : null,
    written: 'thirteen',
    isBare: false,
  }
}

function tenOf(nine: string): string {
  let sum = 0
  for (let at = 0; at < 9; at++) sum += (10 - at) * Number(nine[at])
  const check = (11 - (sum % 11)) % 11
  return nine + (check === 10 ? 'X' : String(check))
}

/**
 * Returns the GTIN-12 that a zero-suppressed UPC-E stands for (GS1 General Specifications, 5.2.2.4.2), or null if its
 * check digit is not that of the whole number. A UPC-E has eight digits: number system 0 or 1, six digits, check digit.
 */
export function expandUpcE(digits: string): string | null {
  if (!/^[01]\d{7}$/.test(digits)) return null
  const number = digits.charAt(0) + bodyOf(digits.slice(1, 7))
  return gs1CheckDigit(number) === Number(digits.charAt(7)) ? number + digits.charAt(7) : null
}

/** Expands the six digits of a UPC-E to ten. The last of the six encodes where zeros were left out. */
function bodyOf(six: string): string {
  const last = six.charAt(5)
  switch (last) {
    case '0':
    case '1':
    case '2':
      return `${six.slice(0, 2)}${last}0000${six.slice(2, 5)}`
    case '3':
      return `${six.slice(0, 3)}00000${six.slice(3, 5)}`
    case '4':
      return `${six.slice(0, 4)}00000${six.charAt(4)}`
    default:
      return `${six.slice(0, 5)}0000${last}`
  }
}
