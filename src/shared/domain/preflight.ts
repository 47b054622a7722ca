/** The codes that were read on one page of a label document, from the bitmap that is to be printed. */
export interface LabelPage {
  readonly texts: readonly string[]
  /** Whether the page has bars like those of a linear barcode, but no linear barcode could be read. */
  readonly hasUnreadBars: boolean
}

interface LabelQuestion {
  readonly pages: readonly LabelPage[]
  /**
   * All codes that a scan of the label's paper may contain, such as the tracking code and the label code of each of its
   * parcels (API.md 7.1).
   */
  readonly expected: readonly string[]
  /**
   * Returns the reference of another label that has this code. Returns null if no label has the code, or only the
   * expected label. The code must have the form of the codes that `codesIn` returns.
   */
  readonly known: (code: string) => string | null
}

/** The result of the examination of a label. `page`: the index of a page, from 0; null: it is about all pages. */
export type LabelVerdict =
  | { readonly kind: 'match' }
  /** The label is not printed before an operator has checked it. */
  | { readonly kind: 'held'; readonly why: 'nothing_readable'; readonly page: number | null }
  | {
      readonly kind: 'held'
      readonly why: 'another_label'
      readonly page: number
      /** The beginning of a barcode text. The whole text contains the code of another label. */
      readonly text: string
      readonly reference: string
    }
  /**
   * Barcodes can be read, but none has a code of the label: some carriers print other numbers than they report.
   * `texts`: the beginnings of the first texts.
   */
  | { readonly kind: 'unlisted'; readonly texts: readonly string[] }

/**
 * Minimum length of a code that is searched within a longer text, in characters. A shorter code may occur there by
 * chance, so it counts only as a separate part.
 */
const shortestInside = 8
/**
 * Minimum length of a separate part that may be a code, in characters: country codes, counts and qualifiers are
 * shorter.
 */
const shortestAlone = 4
/**
 * Maximum number of characters, from the start of a text, that are split into parts. The texts of carriers' barcodes
 * are shorter.
 */
const longestWithParts = 1_000
/**
 * Maximum number of codes that are examined in one document. Each code takes two look-ups in the main process. A
 * document of 100 labels with four barcodes usually has fewer codes.
 */
const mostCodes = 1_000
/** Maximum number of texts in an `unlisted` verdict, and of characters of a text in a verdict. */
const mostUnlisted = 20
const longestShown = 100

/**
 * Decides whether the document is the expected label. If a code of another label is found, the print is held even if a
 * code of the expected label is found too, because a document may have several pages. Examines at most `mostCodes`
 * codes.
 */
export function judgeLabel({ pages, expected, known }: LabelQuestion): LabelVerdict {
  const own = expected.map(comparable).filter((code) => code !== '')
  const texts: string[] = []
  let isMatch = false
  for (const { page, text, codes } of readingsOf(pages)) {
    if (isOwn(codes, own)) isMatch = true
    else if (texts.length < mostUnlisted) texts.push(text.slice(0, longestShown))
    if (codes.some((code) => own.includes(code))) continue
    for (const code of codes) {
      const reference = known(code)
      if (reference !== null)
        return { kind: 'held', why: 'another_label', page, text: text.slice(0, longestShown), reference }
    }
  }
  const unread = pages.findIndex((page) => page.hasUnreadBars)
  if (unread >= 0) return { kind: 'held', why: 'nothing_readable', page: unread }
  if (isMatch) return { kind: 'match' }
  return texts.length > 0
    ? { kind: 'unlisted', texts }
    : { kind: 'held', why: 'nothing_readable', page: null }
}

/** Returns each text that contains a code, with its codes, until `mostCodes` codes are reached. */
function* readingsOf(
  pages: readonly LabelPage[],
): Generator<{ page: number; text: string; codes: readonly string[] }> {
  let left = mostCodes
  for (const [page, { texts }] of pages.entries()) {
    for (const text of texts) {
      const codes = codesIn(text).slice(0, left)
      if (codes.length > 0) yield { page, text, codes }
      left -= codes.length
    }
  }
}

/** Whether a scanned text is one of these codes or contains one of them. */
export function bearsCode(payload: string, codes: readonly string[]): boolean {
  return isOwn(
    codesIn(payload),
    codes.map(comparable).filter((code) => code !== ''),
  )
}

/**
 * Whether a text contains one of the codes `own`. The first argument contains the codes of the text, the whole text
 * first (see `codesIn`).
 */
function isOwn([whole = '', ...parts]: readonly string[], own: readonly string[]): boolean {
  return own.some(
    (code) =>
      whole === code || parts.includes(code) || (code.length >= shortestInside && whole.includes(code)),
  )
}

/**
 * Returns the codes that a scanned text may be or contain, in the form in which codes are compared: the whole text, the
 * parts of the text between separators, and each of these without the prefixes of scanners and GS1. Searches parts only
 * in the first `longestWithParts` characters.
 */
export function codesIn(payload: string): string[] {
  const text = payload.replace(/^\][A-Za-z][0-9A-Za-z]/, '')
  const parts = text.slice(0, longestWithParts).split(/[^\p{L}\p{N}\p{Pd} ]+/u)
  const [whole = '', ...longer] = [text, ...parts].map(comparable)
  const codes = [whole, ...longer.filter((part) => part.length >= shortestAlone)]
  return [...new Set([...codes, ...codes.flatMap(withoutIdentifier)])].filter((code) => code !== '')
}

/**
 * Identifiers that may precede a code (GS1 General Specifications, section 3): SSCC, GTIN, order number, GINC, GSIN;
 * 420 is a postal code before a number.
 */
const identifiers = [
  /^00(\d{18})$/,
  /^01(\d{14})/,
  /^40[0-2](.{8,})$/,
  /^420\d{5}(9\d{15,})$/,
  /^420\d{9}(9\d{15,})$/,
]

function withoutIdentifier(code: string): string[] {
  return identifiers.flatMap((identifier) => identifier.exec(code)?.[1] ?? [])
}

/**
 * Removes spaces, dashes and control characters and converts to upper case, because codes contain spaces and dashes
 * only for human readers.
 */
function comparable(text: string): string {
  return text.replaceAll(/[\s\p{Pd}\p{Cc}\p{Cf}]+/gu, '').toUpperCase()
}
