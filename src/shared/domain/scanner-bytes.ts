/**
 * Decodes bytes of a scanner: as UTF-8 if all of them are valid, otherwise as Latin-1, which scanners without UTF-8
 * send. Plain ASCII is the same in both encodings. Never throws.
 */
export function decodeBytes(bytes: readonly number[]): string {
  return decodeUtf8(bytes) ?? decodeLatin1(bytes)
}

function decodeLatin1(bytes: readonly number[]): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}

/**
 * The smallest code point for each number of continuation bytes. UTF-8 does not allow more bytes than a character
 * needs.
 */
const least = [0, 0x80, 0x800, 0x10000]

/** Decodes UTF-8 (RFC 3629). Null: the bytes are not valid. */
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

/** Names with which control characters are shown and typed: `<GS>`, `<STX>`, `<0x80>`. */

const names = [
  ...[
    'NUL',
    'SOH',
    'STX',
    'ETX',
    'EOT',
    'ENQ',
    'ACK',
    'BEL',
    'BS',
    'TAB',
    'LF',
    'VT',
    'FF',
    'CR',
    'SO',
    'SI',
  ],
  ...[
    'DLE',
    'DC1',
    'DC2',
    'DC3',
    'DC4',
    'NAK',
    'SYN',
    'ETB',
    'CAN',
    'EM',
    'SUB',
    'ESC',
    'FS',
    'GS',
    'RS',
    'US',
  ],
]

interface MarkedPart {
  readonly text: string
  /** Whether `text` stands for one control character, such as `<GS>`. */
  readonly isMark: boolean
}

function markOf(code: number): string | null {
  const name = code === 0x7f ? 'DEL' : names[code]
  if (name !== undefined) return `<${name}>`
  return code >= 0x80 && code <= 0x9f ? `<0x${code.toString(16).toUpperCase()}>` : null
}

/**
 * Splits a text into the parts in which it is shown. The joined parts are a valid input of `readMarks`, unless the text
 * itself contains something in the form of a mark, such as `<AB>`.
 */
export function markedParts(text: string): MarkedPart[] {
  const parts: MarkedPart[] = []
  let plain = ''
  for (const character of text) {
    const mark = markOf(character.charCodeAt(0))
    if (mark === null) {
      plain += character
      continue
    }
    if (plain !== '') parts.push({ text: plain, isMark: false })
    parts.push({ text: mark, isMark: true })
    plain = ''
  }
  return plain === '' ? parts : [...parts, { text: plain, isMark: false }]
}

const mark = /<(0x[\da-f]{2}|[a-z]{2,5}\d?)>/gi

/** Returns the code of a control character's name; negative if the text is no such name. */
function codeOf(inner: string): number {
  const name = inner.toUpperCase()
  if (name.startsWith('0X')) return parseInt(name, 16)
  return name === 'DEL' ? 0x7f : names.indexOf(name)
}

/**
 * Converts typed marks to control characters: `<GS>` becomes one character, a single `<` stays. Null if a mark is
 * invalid.
 */
export function readMarks(typed: string): string | null {
  const isKnown = [...typed.matchAll(mark)].every(([, inner = '']) => codeOf(inner) >= 0)
  return isKnown ? typed.replace(mark, (_, inner: string) => String.fromCharCode(codeOf(inner))) : null
}

/** Converts control characters to marks such as `<GS>`, so that a person can type the text. */
export function writeMarks(text: string): string {
  return markedParts(text)
    .map((part) => part.text)
    .join('')
}
