import { Worker } from 'node:worker_threads'
import { CsvError, parse } from 'csv-parse/sync'
import { entryBeside } from '#kit/child-process.ts'
import {
  mostLocations,
  type LocationTable,
  readLocationTable,
  type TableLine,
} from '#shared/domain/locations.ts'

const delimiters = [',', ';', '\t'] as const
/** Matches the line by which Excel names the delimiter at the beginning of a file: `sep=;`. */
const excelHint = /^sep=(.)$/

/** Maximum number of cells in a line, and of characters in a line. */
const mostCells = 200
const longestLine = 20_000

/**
 * The result of reading a file of locations. `too_large`: the file has more lines, or a line with more cells or
 * characters, than the limits allow, or reading it takes too long or needs too much memory.
 */
export type LocationFile =
  | { readonly kind: 'table'; readonly table: LocationTable }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'too_large' }

class TooLarge extends Error {}

/** Maximum time for reading a file, in milliseconds. A slow machine needs a second for the largest allowed file. */
const standardTimeoutMs = 15_000

/**
 * Runs `readLocationFile` in a separate thread, so that no file blocks the desk. Ends the thread if it takes longer
 * than `timeoutMs` or needs too much memory. Never rejects.
 */
export function readLocationFileInThread(text: string, timeoutMs = standardTimeoutMs): Promise<LocationFile> {
  const worker = new Worker(entryBeside(import.meta.url, 'location-worker'), {
    workerData: text,
    name: 'locations',
    resourceLimits: { maxOldGenerationSizeMb: 384 },
  })
  return new Promise<LocationFile>((resolve) => {
    const timer = setTimeout(resolve, timeoutMs, { kind: 'too_large' })
    worker.once('message', (file: LocationFile) => {
      clearTimeout(timer)
      resolve(file)
    })
    // the thread usually fails because it needs more memory than its limit, so any failure counts as a file that is too
    // large
    worker.once('error', () => {
      clearTimeout(timer)
      resolve({ kind: 'too_large' })
    })
  }).finally(() => void worker.terminate())
}

/**
 * Reads a CSV file that has a code and a UUID in each line. The delimiter is a comma, a semicolon or a tab; quotation
 * marks and a byte order mark are optional.
 */
export function readLocationFile(text: string): LocationFile {
  // a text file contains no NUL character, so this file is a workbook or a picture
  if (text.includes('\0')) return { kind: 'unreadable' }
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const hint = excelHint.exec(lines[0] ?? '')?.[1]
  // the line `sep=` is emptied but not removed, so that the other lines keep their numbers
  if (hint !== undefined) lines[0] = ''
  try {
    const table = readLocationTable(parseLines(lines.join('\n'), hint ?? delimiterOf(lines)))
    return table ? { kind: 'table', table } : { kind: 'unreadable' }
  } catch (error) {
    if (error instanceof TooLarge) return { kind: 'too_large' }
    if (error instanceof CsvError)
      return { kind: error.code === 'CSV_MAX_RECORD_SIZE' ? 'too_large' : 'unreadable' }
    throw error
  }
}

function parseLines(text: string, delimiter: string): TableLine[] {
  const lines: TableLine[] = []
  parse(text, {
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: longestLine,
    on_record(cells, { lines: line }) {
      if (lines.length >= mostLocations || cells.length > mostCells) throw new TooLarge()
      lines.push({ line, cells })
      return null
    },
  })
  return lines
}

/** Returns the most frequent delimiter outside quotation marks in the first lines; the comma if no delimiter occurs. */
function delimiterOf(lines: readonly string[]): string {
  const sample = lines
    .slice(0, 20)
    .map((line) => line.slice(0, longestLine))
    .join('\n')
    .replaceAll(/"[^"]*"/g, '')
  const counts = delimiters.map((delimiter) => sample.split(delimiter).length)
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ','
}
