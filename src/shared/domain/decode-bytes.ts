/**
 * Bytes of a scanner as text: UTF-8 where all of them are, else Latin-1, which is what scanners send that know no UTF-8.
 * Plain ASCII is the same in both. Never throws.
 */
export function decodeBytes(bytes: readonly number[]): string {
  return decodeUtf8(bytes) ?? decodeLatin1(bytes)
}

function decodeLatin1(bytes: readonly number[]): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}

/** The smallest code point that needs so many bytes behind the first: a longer way of writing it is no UTF-8. */
const least = [0, 0x80, 0x800, 0x10000]

/** Null: they are no UTF-8 (RFC 3629). */
function decodeUtf8(bytes: readonly number[]): string | null {
  let text = ''
  for (let at = 0; at < bytes.length; at++) {
    const first = bytes[at] ?? 0
    const more =
      first < 0x80 ? 0 : first < 0xc0 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf8 ? 3 : -1
    if (more < 0) return null
    let point = more === 0 ? first : first & (0x3f >> more)
    for (let next = 0; next < more; next++) {
      const byte = bytes[++at] ?? 0
      if ((byte & 0xc0) !== 0x80) return null
      point = (point << 6) | (byte & 0x3f)
    }
    const isSurrogate = point >= 0xd800 && point <= 0xdfff
    if (point < (least[more] ?? 0) || isSurrogate || point > 0x10ffff) return null
    text += String.fromCodePoint(point)
  }
  return text
}
