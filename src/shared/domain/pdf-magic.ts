/** The largest label PDF that the desk accepts, in bytes. */
export const largestDocumentBytes = 20 * 1024 * 1024

/**
 * Number of bytes in which the header of a PDF is searched: PDF readers accept it anywhere in the first kilobyte (ISO
 * 32000-1, annex H.3.4.1).
 */
const headerWindow = 1024
const magic = [0x25, 0x50, 0x44, 0x46, 0x2d] // the text `%PDF-`

/** Whether bytes have the header of a PDF. The rest of the file is not checked. */
export function looksLikePdf(bytes: Uint8Array): boolean {
  const last = Math.min(bytes.length - magic.length, headerWindow - magic.length)
  for (let start = 0; start <= last; start++) {
    if (magic.every((byte, offset) => bytes[start + offset] === byte)) return true
  }
  return false
}
