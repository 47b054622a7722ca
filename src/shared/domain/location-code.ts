import { trimSigns } from './trim-signs.ts'

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const separators = '|;,:'
/** `LOC` may stand before everything; `LOCKER 1` is a name all the same. */
const prefix = /^LOC(?=[|;,:\s]|$)[|;,:\s]*/i
/** Longest name of a location, in characters. */
export const longestLocationCode = 60
/** Most locations that a station keeps: a large warehouse has a tenth of it. */
export const mostLocations = 50_000
const longestText = 300

export interface LocationCode {
  /** In lower case. */
  readonly id: string
  /** What stands beside the id, with single blanks; null where nothing does. */
  readonly code: string | null
}

/**
 * Reads a barcode on a shelf that holds the location's uuid, with or without its code before or behind it:
 * `LOC|A-01-02|<uuid>`, `<uuid>;A-01-02`, `<uuid>`. Null unless exactly one uuid stands there, on its own, with text on
 * one side at most. Never throws.
 */
export function parseLocationCode(text: string): LocationCode | null {
  if (text.length > longestText) return null
  const found = [...text.matchAll(uuid)]
  const match = found[0]
  if (!match || found.length > 1) return null
  const before = text.slice(0, match.index)
  const behind = text.slice(match.index + match[0].length)
  // an id that goes on to either side is another kind of number, or part of an address
  if (/[^|;,:\s]$/.test(before) && !/^\s*LOC$/i.test(before)) return null
  if (/^[^|;,:\s]/.test(behind)) return null
  const codes = [before.trimStart().replace(prefix, ''), behind]
    .map((side) => trimSigns(side.replaceAll(/\s+/g, ' '), `${separators} `))
    .filter((side) => side !== '')
  const [code] = codes
  if (codes.length > 1 || (code !== undefined && code.length > longestLocationCode)) return null
  return { id: match[0].toLowerCase(), code: code ?? null }
}
