import { longestLocationCode } from './location-code.ts'
import { normaliseCode } from './references.ts'

/** One line of a file as a CSV reader hands it over; 1 is the file's first. */
export interface TableLine {
  readonly line: number
  readonly cells: readonly string[]
}

export type LeftOut = 'no_id' | 'no_code' | 'code_twice' | 'columns'

export interface LocationTable {
  /** Each id once, each code once. */
  readonly found: readonly { readonly id: string; readonly code: string }[]
  readonly skipped: readonly { readonly line: number; readonly why: LeftOut }[]
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const codeHeading =
  /^(location|locatie|lagerplatz|emplacement)?[\s_-]*(code|name|naam|label|locatie|location)$/i
const idHeading = /(^|[\s_-])(uu)?id$/i

/**
 * Finds id and code in the lines of a file, whatever the order of its columns and with or without a heading; further
 * columns are ignored. Null where no line at all holds an id: then it is no list of locations.
 */
export function readLocationTable(lines: readonly TableLine[]): LocationTable | null {
  const filled = lines
    .map(({ line, cells }) => ({ line, cells: cells.map((cell) => cell.trim()) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
  const idColumn = busiestColumn(filled, (cell) => uuid.test(cell))
  if (idColumn === null) return null
  const [first, ...rest] = filled
  const isHeading = first !== undefined && !first.cells.some((cell) => uuid.test(cell))
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
    else if (!uuid.test(id)) skipped.push({ line, why: 'no_id' })
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

/** The column in which most lines pass the test, the leftmost of equals; null if none does. */
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
