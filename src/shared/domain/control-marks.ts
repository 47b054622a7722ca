/** Control characters made visible and typed: `<GS>`, `<STX>`, `<0x80>`. */

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
  /** It stands for one control character. */
  readonly isMark: boolean
}

function markOf(code: number): string | null {
  const name = code === 0x7f ? 'DEL' : names[code]
  if (name !== undefined) return `<${name}>`
  return code >= 0x80 && code <= 0x9f ? `<0x${code.toString(16).toUpperCase()}>` : null
}

/** A text in the parts in which it is shown; put together they are what `readMarks` takes. */
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

/** Negative: no control character is called so. */
function codeOf(inner: string): number {
  const name = inner.toUpperCase()
  if (name.startsWith('0X')) return parseInt(name, 16)
  return name === 'DEL' ? 0x7f : names.indexOf(name)
}

/** What was typed with marks, or null where a mark is none: `<GS>` is one character, `<` alone stays what it is. */
export function readMarks(typed: string): string | null {
  const isKnown = [...typed.matchAll(mark)].every(([, inner = '']) => codeOf(inner) >= 0)
  return isKnown ? typed.replace(mark, (_, inner: string) => String.fromCharCode(codeOf(inner))) : null
}

/** A text as it is typed: its control characters as marks. */
export function writeMarks(text: string): string {
  return markedParts(text)
    .map((part) => part.text)
    .join('')
}
