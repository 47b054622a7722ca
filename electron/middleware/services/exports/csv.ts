/** What a column says of a record. */
export type Cell = string | number | boolean | null

/** Tells a spreadsheet that the file is UTF-8. */
export const byteOrderMark = '\uFEFF'

/** Lines of RFC 4180, each with its ending. A text that a spreadsheet would take for a formula starts with `'`. */
export function csvLines(lines: readonly (readonly Cell[])[]): string {
  return lines.map((cells) => `${cells.map(field).join(',')}\r\n`).join('')
}

function field(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return String(cell)
  const text = /^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
