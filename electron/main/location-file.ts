import { CsvError, parse } from 'csv-parse/sync'
import { type LocationTable, readLocationTable, type TableLine } from '#shared/domain/location-table.ts'

const delimiters = [',', ';', '\t'] as const
/** Excel's own first line, which names the delimiter. */
const excelHint = /^sep=(.)$/

/**
 * Reads a CSV file with a code and a uuid in each line: comma, semicolon or tab, quoted or not, with a byte order mark
 * or without. Null if it is no such file.
 */
export function readLocationFile(text: string): LocationTable | null {
  // a NUL stands in no text: this is a workbook or a picture
  if (text.includes('\0')) return null
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const hint = excelHint.exec(lines[0] ?? '')?.[1]
  // blanked, not removed, so that the lines keep their numbers
  if (hint !== undefined) lines[0] = ''
  try {
    return readLocationTable(parseLines(lines.join('\n'), hint ?? delimiterOf(lines)))
  } catch (error) {
    if (error instanceof CsvError) return null
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
    max_record_size: 100_000,
    on_record(cells, { lines: line }) {
      lines.push({ line, cells })
      return null
    },
  })
  return lines
}

/** The one that most often stands in the first lines, outside quotes; the comma where none does. */
function delimiterOf(lines: readonly string[]): string {
  const sample = lines
    .slice(0, 20)
    .join('\n')
    .replaceAll(/"[^"]*"/g, '')
  const counts = delimiters.map((delimiter) => sample.split(delimiter).length)
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ','
}
