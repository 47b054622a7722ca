export type PdfCheck = 'ok' | 'not_a_pdf' | 'too_large'

/** `%PDF-`. Readers allow junk before it; what a carrier sends to a printer starts with it. */
const magic = [0x25, 0x50, 0x44, 0x46, 0x2d]

/** Whether the bytes start as a PDF does; says nothing about the rest. */
export function isPdf(bytes: Uint8Array): boolean {
  return magic.every((byte, index) => bytes[index] === byte)
}

/** The cheap check of a downloaded label, before anything parses it: size in bytes, then magic. */
export function checkPdf(bytes: Uint8Array, limits: { readonly maxBytes: number }): PdfCheck {
  if (bytes.length > limits.maxBytes) return 'too_large'
  return isPdf(bytes) ? 'ok' : 'not_a_pdf'
}
