import { Worker } from 'node:worker_threads'
import { CsvError, parse } from 'csv-parse/sync'
import {
  mostLocations,
  type LocationTable,
  readLocationTable,
  type TableLine,
} from '#shared/domain/locations.ts'

const delimiters = [',', ';', '\t'] as const
/** Excel's own first line, which names the delimiter. */
const excelHint = /^sep=(.)$/

/** Maximum numbers of cells and of characters in a line. */
const mostCells = 200
const longestLine = 20_000

/** The result of reading a file. `too_large`: it has more lines or cells than the limits, or takes too long. */
export type LocationFile =
  | { readonly kind: 'table'; readonly table: LocationTable }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'too_large' }

class TooLarge extends Error {}

/** The largest file takes a second on a slow machine. */
const standardTimeoutMs = 15_000

/**
 * Runs `readLocationFile` in a separate thread, so that no file blocks the desk. Ends a thread that takes longer than
 * `timeoutMs` or too much memory. Never rejects.
 */
export function readLocationFileInThread(text: string, timeoutMs = standardTimeoutMs): Promise<LocationFile> {
  const worker = new Worker(workerFile(), {
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
    // the thread is usually out of memory
    worker.once('error', () => {
      clearTimeout(timer)
      resolve({ kind: 'too_large' })
    })
  }).finally(() => void worker.terminate())
}

/**
 * Returns the worker's file: beside this file in the sources; beside main.js in a bundle, where this file may be among
 * the chunks.
 */
function workerFile(): URL {
  const here = import.meta.url
  if (here.endsWith('.ts')) return new URL('./location-worker.ts', here)
  return new URL(here.includes('/chunks/') ? '../location-worker.js' : './location-worker.js', here)
}

/**
 * Reads a CSV file with a code and a uuid in each line: comma, semicolon or tab, quoted or not, with a byte order mark
 * or without.
 */
export function readLocationFile(text: string): LocationFile {
  // no text contains a NUL: this is a workbook or a picture
  if (text.includes('\0')) return { kind: 'unreadable' }
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const hint = excelHint.exec(lines[0] ?? '')?.[1]
  // emptied, not removed, so that the lines keep their numbers
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

/** Returns the delimiter that is most frequent in the first lines, outside quotes; the comma if none occurs. */
function delimiterOf(lines: readonly string[]): string {
  const sample = lines
    .slice(0, 20)
    .map((line) => line.slice(0, longestLine))
    .join('\n')
    .replaceAll(/"[^"]*"/g, '')
  const counts = delimiters.map((delimiter) => sample.split(delimiter).length)
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ','
}
