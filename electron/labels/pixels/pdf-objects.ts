import { constants, inflateSync } from 'node:zlib'
import { PDFDocument, PDFName, PDFNumber } from 'pdf-lib'

/** Maximum total size of the unpacked object streams and tables of a document, in bytes. */
const mostBytes = 32 << 20
/**
 * Maximum total size of the packed object streams and tables of an encrypted document, in bytes. Their unpacked size is
 * unknown and may be a thousand times larger.
 */
const mostPackedBytes = 256 << 10

/**
 * Returns the unpacked object streams and tables of a PDF, without the streams of pictures and pages. Those of an
 * encrypted document are returned packed, because they cannot be unpacked without its key. A damaged stream is returned
 * empty. Returns null if a stream is packed in an unusual way. Also returns null if the total size exceeds `mostBytes`
 * (`mostPackedBytes` if encrypted), because reading all objects would then take too much memory.
 */
export function objectStreams(pdf: Uint8Array): Buffer[] | null {
  const bytes = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.length)
  const isEncrypted = bytes.includes('/Encrypt')
  const unpacked: Buffer[] = []
  let room = isEncrypted ? mostPackedBytes : mostBytes
  for (const { dictionary, packed } of streamsOf(bytes)) {
    if (!/\/(?:ObjStm|XRef)\b/.test(plainNames(dictionary))) continue
    const content = isEncrypted ? packed : unpack(dictionary, packed, room)
    if (content === null || content.length > room) return null
    room -= content.length
    unpacked.push(content)
  }
  return unpacked
}

/** Decodes names: in a PDF, `#41` may stand for A. */
function plainNames(dictionary: string): string {
  return dictionary.replaceAll(/#([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  )
}

function unpack(dictionary: string, packed: Buffer, room: number): Buffer | null {
  const filters = plainNames(dictionary).match(/\/[A-Za-z0-9]+Decode\b/g) ?? []
  if (filters.length === 0) return packed
  if (filters.length > 1 || filters[0] !== '/FlateDecode') return null
  try {
    return inflateSync(packed, { maxOutputLength: room, finishFlush: constants.Z_SYNC_FLUSH })
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    return isTooLarge ? null : Buffer.alloc(0)
  }
}

/** Yields dictionary and bytes of every stream, in the order of the file. */
function* streamsOf(bytes: Buffer): Generator<{ dictionary: string; packed: Buffer }> {
  let from = 0
  for (let at = bytes.indexOf('stream'); at >= 0; at = bytes.indexOf('stream', from)) {
    const start = at + 'stream'.length + (bytes[at + 'stream'.length] === 0x0d ? 2 : 1)
    const end = bytes.indexOf('endstream', start)
    const stop = end < 0 ? bytes.length : end
    const opened = bytes.lastIndexOf(' obj', at)
    const dictionary = bytes.toString('latin1', Math.max(from, opened), at)
    yield { dictionary, packed: bytes.subarray(start, stop) }
    from = stop + 'endstream'.length
  }
}

const entry = '/UserUnit'

/**
 * Returns the user unit of each page, in points of 1/72 inch (ISO 32000-1, 14.11.3); 1 for a page without a user unit,
 * and an empty list if no page has one. pdfium ignores the user unit and would print such a label too small. Never
 * throws: returns an empty list for a document that cannot be searched, and for an encrypted document with its pages in
 * object streams.
 */
export async function userUnits(pdf: Uint8Array): Promise<readonly number[]> {
  const streams = objectStreams(pdf)
  if (!streams) return []
  const plain = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.length)
  if (![plain, ...streams].some((bytes) => bytes.includes(entry))) return []
  try {
    const document = await PDFDocument.load(pdf, { updateMetadata: false, password: '' })
    return document.getPages().map(({ node }) => {
      const unit = node.lookup(PDFName.of('UserUnit'))
      return unit instanceof PDFNumber && unit.asNumber() > 0 ? unit.asNumber() : 1
    })
  } catch {
    return []
  }
}
