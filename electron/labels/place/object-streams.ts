import { constants, inflateSync } from 'node:zlib'

/** What the object streams and tables of a label unpack to, together. */
const mostBytes = 32 << 20
/** Packed, where they are encrypted and nobody can tell what they unpack to: a thousand times as much. */
const mostPackedBytes = 256 << 10

/**
 * What a PDF packs its objects and tables into, unpacked; those of a picture or a page are not looked at. Null where
 * they are packed in another way than writers of PDF do it, or unpack to more than a label has: whoever reads all
 * objects would choke on them.
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

/** Names may be written with #41 for A. */
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

/** Dictionary and bytes of every stream, in the order of the file. */
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
