import { trimSigns } from './text-forms.ts'
import { normaliseCode } from './references.ts'

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const separators = '|;,:'
/** The optional prefix `LOC` with its separators. `LOCKER 1` is a name, not a prefix. */
const prefix = /^LOC(?=[|;,:\s]|$)[|;,:\s]*/i
/** Longest name of a location, in characters. */
export const longestLocationCode = 60
/** Maximum number of locations of a station: a large warehouse has a tenth of this number. */
export const mostLocations = 50_000
/** Maximum number of locations in one call of the window, because main is blocked while it reads and checks them. */
export const locationsAtOnce = 2_000
const longestText = 300

export interface LocationCode {
  /** The uuid of the location, in lower case. */
  readonly id: string
  /** The text beside the location's id, with single blanks; null if there is none. */
  readonly code: string | null
}

/**
 * Parses a barcode on a shelf that contains the location's uuid, with or without its code before or after it:
 * `LOC|A-01-02|<uuid>`, `<uuid>;A-01-02`, `<uuid>`. Returns null for a text with several uuids or none, for a uuid with
 * text on both sides or joined to other characters, and for a code of more than `longestLocationCode` characters. Never
 * throws.
 */
export function parseLocationCode(text: string): LocationCode | null {
  if (text.length > longestText) return null
  const found = [...text.matchAll(uuid)]
  const match = found[0]
  if (!match || found.length > 1) return null
  const before = text.slice(0, match.index)
  const behind = text.slice(match.index + match[0].length)
  // an id directly next to a character (except separators, and `LOC` before it) is part of a longer number or address,
  // so the text is no location code
  if (/[^|;,:\s]$/.test(before) && !/^\s*LOC$/i.test(before)) return null
  if (/^[^|;,:\s]/.test(behind)) return null
  const codes = [before.trimStart().replace(prefix, ''), behind]
    .map((side) => trimSigns(side.replaceAll(/\s+/g, ' '), `${separators} `))
    .filter((side) => side !== '')
  const [code] = codes
  if (codes.length > 1 || (code !== undefined && code.length > longestLocationCode)) return null
  return { id: match[0].toLowerCase(), code: code ?? null }
}

/** One line of a file from the CSV reader. The first line of the file has the number 1. */
export interface TableLine {
  readonly line: number
  readonly cells: readonly string[]
}

export type LeftOut = 'no_id' | 'no_code' | 'code_twice' | 'columns'

export interface LocationTable {
  /** The locations found: each id once, each code once. */
  readonly found: readonly { readonly id: string; readonly code: string }[]
  readonly skipped: readonly { readonly line: number; readonly why: LeftOut }[]
}

const uuidCell = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const codeHeading =
  /^(location|locatie|lagerplatz|emplacement)?[\s_-]*(code|name|naam|label|locatie|location)$/i
const idHeading = /(^|[\s_-])(uu)?id$/i

/**
 * Finds id and code in the lines of a file, whatever the order of its columns and with or without a heading; further
 * columns are ignored. Returns null if no line contains an id, because such a file is not a list of locations.
 */
export function readLocationTable(lines: readonly TableLine[]): LocationTable | null {
  const filled = lines
    .map(({ line, cells }) => ({ line, cells: cells.map((cell) => cell.trim()) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
  const idColumn = busiestColumn(filled, (cell) => uuidCell.test(cell))
  if (idColumn === null) return null
  const [first, ...rest] = filled
  const isHeading = first !== undefined && !first.cells.some((cell) => uuidCell.test(cell))
  const heading = isHeading ? first.cells : []
  const body = isHeading ? rest : filled
  const named = heading.findIndex(
    (cell, index) => index !== idColumn && codeHeading.test(cell) && !idHeading.test(cell),
  )
  const codeColumn =
    named >= 0 ? named : busiestColumn(body, (cell, index) => index !== idColumn && cell !== '')
  return collect(body, idColumn, codeColumn)
}

function collect(body: readonly TableLine[], idColumn: number, codeColumn: number | null): LocationTable {
  const found = new Map<string, string>()
  const keys = new Set<string>()
  const skipped: { line: number; why: LeftOut }[] = []
  for (const { line, cells } of body) {
    const id = (cells[idColumn] ?? '').toLowerCase()
    const code = (codeColumn === null ? '' : (cells[codeColumn] ?? '')).replaceAll(/\s+/g, ' ')
    const key = normaliseCode(code)
    const isRepeated = found.has(id) && normaliseCode(found.get(id) ?? '') === key
    if (cells.length < 2) skipped.push({ line, why: 'columns' })
    else if (!uuidCell.test(id)) skipped.push({ line, why: 'no_id' })
    else if (key === '' || code.length > longestLocationCode) skipped.push({ line, why: 'no_code' })
    else if (isRepeated) continue
    else if (found.has(id) || keys.has(key)) skipped.push({ line, why: 'code_twice' })
    else {
      found.set(id, code)
      keys.add(key)
    }
  }
  return { found: [...found].map(([id, code]) => ({ id, code })), skipped }
}

/**
 * Returns the column in which the most lines pass the test; of several such columns, the leftmost. Null if no line
 * passes.
 */
function busiestColumn(
  lines: readonly TableLine[],
  passes: (cell: string, index: number) => boolean,
): number | null {
  const counts: number[] = []
  for (const { cells } of lines)
    cells.forEach((cell, index) => {
      if (passes(cell, index)) counts[index] = (counts[index] ?? 0) + 1
    })
  const most = counts.reduce((a, b) => Math.max(a, b), 0)
  return most === 0 ? null : counts.findIndex((one) => one === most)
}
