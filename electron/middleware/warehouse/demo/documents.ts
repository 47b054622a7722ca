import type { WorldPaper } from '../world.ts'
import type { Random } from './random.ts'

/** Creates a document of an inbound: a PDF of one page with the given title and lines. */
export function makePaper(
  random: Random,
  sketch: Pick<WorldPaper, 'title' | 'documentType' | 'createdAt'> & { readonly lines: readonly string[] },
): WorldPaper {
  const { title, documentType, createdAt, lines } = sketch
  return {
    id: random.uuid(),
    title,
    mimeType: 'application/pdf',
    documentType,
    content: makeTextPage([title, ...lines]),
    createdAt,
  }
}

/**
 * Creates a page of plain text as a PDF. Uses no library, so that the function is synchronous and returns the same
 * bytes on every machine. Brackets, backslashes and characters outside ASCII become `?`.
 */
export function makeTextPage(lines: readonly string[]): Uint8Array {
  const text = lines.map((line) => `(${line.replaceAll(/[^\x20-\x7e]|[()\\]/g, '?')}) Tj T*`).join('\n')
  const content = `BT /F1 12 Tf 16 TL 56 780 Td\n${text}\nET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${entries}`
  return Buffer.from(
    `${file}${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
    'latin1',
  )
}
