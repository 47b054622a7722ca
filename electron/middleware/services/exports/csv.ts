/** What a column says of a record. */
export type Cell = string | number | boolean | null

/** Tells a spreadsheet that the file is UTF-8. */
export const byteOrderMark = '\uFEFF'

/**
 * Lines of RFC 4180, each with its ending. A text that a spreadsheet would take for a formula starts with `'`. Spreadsheets
 * of many countries separate cells by `;`, and some by tabs: there a formula may begin in the middle of a text.
 */
export function csvLines(lines: readonly (readonly Cell[])[]): string {
  return lines.map((cells) => `${cells.map(field).join(',')}\r\n`).join('')
}

/** Full-width signs count too: spreadsheets take them for the plain ones. */
const formulaStart = /^(?=[=+\-@＝＋－＠\t\r\n])|(?<=[;\t\r\n])(?=[=+\-@＝＋－＠])/g

function field(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return String(cell)
  const text = cell.replaceAll(formulaStart, "'")
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
