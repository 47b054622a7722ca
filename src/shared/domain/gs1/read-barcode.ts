import { hasValidCheckDigit } from '../gtin.ts'
import {
  associationProblems,
  type Gs1Element,
  type Gs1Message,
  type Gs1Problem,
  readBracketed,
  readElements,
  separator,
} from './elements.ts'
import { dateOf } from './dates.ts'
import { looksLikeAddress, readDigitalLink } from './digital-link.ts'

/** How to read a message without its AIM identifier. `bracketed`: the human-readable elements, `(01)…(10)…`. */
export type Reading = 'elements' | 'bracketed' | 'link' | 'gtin' | 'text'

export interface ReadBarcode {
  /** AIM identifier (ISO/IEC 15424) that the scanner sent, such as `]C1`; null: none. */
  readonly symbology: string | null
  readonly reading: Reading
  /** The message without its AIM identifier. */
  readonly text: string
  readonly elements: readonly Gs1Element[]
  /**
   * The problems of the message; empty if the message is valid. The readable elements are returned even if there are
   * problems.
   */
  readonly problems: readonly Gs1Problem[]
  /** The GTIN, as 14 digits; null: none. If there are problems, it may be an invalid text. */
  readonly gtin: string | null
  readonly lot: string | null
  readonly serial: string | null
  readonly sscc: string | null
  /** The expiry date as `yyyy-mm-dd`: the date of "use by" (17); without it, the date of "best before" (15). */
  readonly expiry: string | null
}

interface Symbology {
  readonly reading: Reading
  /** The number of digits that a barcode of this symbology has; null if the number varies. */
  readonly length: number | null
}

/**
 * The symbologies that GS1 uses (General Specifications, 5.1), by AIM identifier. A text with another AIM identifier is
 * not of GS1.
 */
const symbologies: Readonly<Record<string, Symbology>> = {
  ']E0': { reading: 'gtin', length: 13 },
  ']E4': { reading: 'gtin', length: 8 },
  ']I1': { reading: 'gtin', length: 14 },
  ']C1': { reading: 'elements', length: null },
  ']e0': { reading: 'elements', length: null },
  ']d2': { reading: 'elements', length: null },
  ']Q3': { reading: 'elements', length: null },
  ']J1': { reading: 'elements', length: null },
  ']Q1': { reading: 'text', length: null },
  ']d1': { reading: 'text', length: null },
  ']J0': { reading: 'text', length: null },
}

/** Reads any scanned text. Never throws; its time is linear in the text's length. */
export function readBarcode(scanned: string, currentYear: number): ReadBarcode {
  const symbology = /^\][A-Za-z][0-9A-Za-z]/.exec(scanned)?.[0] ?? null
  const text = symbology === null ? scanned : scanned.slice(3)
  const known = symbology === null ? undefined : symbologies[symbology]
  if (known?.reading === 'text' && looksLikeAddress(text)) return readAs('link', text, currentYear, symbology)
  if (known) {
    const { reading, length } = known
    const read = readAs(reading, text, currentYear, symbology)
    const isOdd = length !== null && text.length !== length
    return isOdd ? { ...read, problems: [...read.problems, { code: 'length', ai: null }] } : read
  }
  if (symbology === null) return readAs(guess(text, currentYear), text, currentYear)
  // a barcode that is not of GS1 may contain the human-readable line, with its brackets, by mistake; if that line is
  // valid, its elements are read
  const inBrackets = readAs('bracketed', text, currentYear, symbology)
  return isMessage(inBrackets) ? inBrackets : readAs('text', text, currentYear, symbology)
}

/**
 * Guesses how to read a message without an AIM identifier. A text that begins with the separator FNC1 is read as
 * elements. Any other text that only resembles elements or a link is plain text.
 */
function guess(text: string, currentYear: number): Reading {
  if (/^(\d{8}|\d{12,14})$/.test(text) && hasValidCheckDigit(text)) return 'gtin'
  const asLink = looksLikeAddress(text) ? readAs('link', text, currentYear) : null
  if (asLink) return asLink.problems.length === 0 ? 'link' : 'text'
  if (text.startsWith(separator)) return 'elements'
  if (isMessage(readAs('bracketed', text, currentYear))) return 'bracketed'
  // a text of at most 14 characters may be a plain number that begins with the digits of an application identifier by
  // chance, so it is not read as GS1 elements
  return text.length > 14 && isMessage(readAs('elements', text, currentYear)) ? 'elements' : 'text'
}

/**
 * Whether a guessed method of reading a text counts as right: the elements have no fault, and one of them identifies an
 * article or a transport unit.
 */
function isMessage({ elements, problems }: ReadBarcode): boolean {
  return problems.length === 0 && elements.some(({ ai }) => ['00', '01', '02'].includes(ai))
}

/**
 * Reads a message by the method `reading`. The AIM identifier must already be removed from the message. One separator
 * may precede the elements if the scanner sent no AIM identifier (`symbology` null).
 */
export function readAs(
  reading: Reading,
  text: string,
  currentYear: number,
  symbology: string | null = null,
): ReadBarcode {
  const { elements, problems } = messageOf(reading, text, currentYear, symbology)
  const valueOf = (ai: string): string | null => elements.find((one) => one.ai === ai)?.value ?? null
  const date = valueOf('17') ?? valueOf('15')
  return {
    symbology,
    reading,
    text,
    elements,
    problems,
    gtin: reading === 'gtin' ? text.padStart(14, '0') : valueOf('01'),
    lot: valueOf('10'),
    serial: valueOf('21'),
    sscc: valueOf('00'),
    expiry: date === null ? null : dateOf(date, currentYear),
  }
}

function messageOf(
  reading: Reading,
  text: string,
  currentYear: number,
  symbology: string | null,
): Gs1Message {
  switch (reading) {
    case 'text':
      return { elements: [], problems: [] }
    case 'gtin': {
      const isNumber = /^(\d{8}|\d{12,14})$/.test(text)
      if (!isNumber) return { elements: [], problems: [{ code: 'characters', ai: null }] }
      return { elements: [], problems: hasValidCheckDigit(text) ? [] : [{ code: 'check_digit', ai: null }] }
    }
    case 'elements':
      return associated(elementsOf(text, currentYear, symbology))
    case 'bracketed': {
      const message = readBracketed(text, currentYear)
      return message ? associated(message) : { elements: [], problems: [{ code: 'unknown_ai', ai: null }] }
    }
    case 'link':
      return associated(readDigitalLink(text, currentYear))
  }
}

function elementsOf(text: string, currentYear: number, symbology: string | null): Gs1Message {
  if (!text.startsWith(separator)) return readElements(text, currentYear)
  const message = readElements(text.slice(1), currentYear)
  // a separator at the beginning stands for the FNC1; after an AIM identifier, which already reports the FNC1, such a
  // separator is a problem
  if (symbology === null) return message
  return { ...message, problems: [{ code: 'separator', ai: null }, ...message.problems] }
}

function associated({ elements, problems }: Gs1Message): Gs1Message {
  return { elements, problems: [...problems, ...associationProblems(elements)] }
}
