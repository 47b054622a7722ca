import {
  deepestCollection,
  groupTags,
  type IppAttribute,
  type IppMessage,
  type IppTextType,
  type IppValue,
  textTags,
  valueTags,
} from './ipp-message.ts'

/**
 * Most groups, values and members of collections in one message. A printer with two hundred media says some three thousand,
 * a queue with five hundred jobs as many; an answer of empty values would have half a million.
 */
const mostFields = 20_000

/**
 * The message in the bytes of an answer (RFC 8010, 3), or null where they are none or more than `mostFields`: each field is read once and must
 * lie whole in the bytes. What follows the end is a document and left alone. Strings are UTF-8; bytes that are none
 * become replacement characters, for printers send Latin-1 in their names.
 */
export function decodeIpp(bytes: Uint8Array): IppMessage | null {
  const reader = readerOf(bytes)
  const major = reader.take(2)?.[0]
  const code = reader.short()
  const id = reader.unsigned()
  if (major === undefined || major < 1 || major > 2 || code === null || id === null) return null
  const groups: { tag: number; attributes: OpenAttribute[] }[] = []
  for (;;) {
    const tag = reader.byte()
    if (tag === null) return null
    if (tag === groupTags.end) return { code, id, groups }
    if (tag < 0x10) {
      if (!reader.counts()) return null
      groups.push({ tag, attributes: [] })
      continue
    }
    const attributes = groups.at(-1)?.attributes
    if (!attributes || !readAttribute(reader, tag, attributes)) return null
  }
}

interface OpenAttribute extends IppAttribute {
  readonly name: string
  readonly values: IppValue[]
}

interface Field {
  readonly tag: number
  readonly name: string
  readonly bytes: Buffer
}

/** Reads a value, and the name if it has one; false where that cannot be. */
function readAttribute(reader: Reader, tag: number, attributes: OpenAttribute[]): boolean {
  const field = readField(reader, tag)
  const value = field && readValue(reader, field, 0)
  if (!value) return false
  if (field.name !== '') {
    attributes.push({ name: field.name, values: [value] })
    return true
  }
  const open = attributes.at(-1)
  open?.values.push(value)
  return open !== undefined
}

function readField(reader: Reader, tag: number): Field | null {
  if (!reader.counts()) return null
  const name = reader.counted()
  const bytes = name && reader.counted()
  return bytes && { tag, name: name.toString(), bytes }
}

function readValue(reader: Reader, field: Field, depth: number): IppValue | null {
  if (field.tag !== valueTags.collection) return simpleValue(field)
  if (depth === deepestCollection) return null
  const members: OpenAttribute[] = []
  for (;;) {
    const tag = reader.byte()
    const inner = tag === null ? null : readField(reader, tag)
    if (!inner || inner.tag < 0x10 || inner.name !== '') return null
    const open = members.at(-1)
    if (inner.tag === valueTags.memberName || inner.tag === valueTags.endOfCollection) {
      // a name without a value would swallow the next
      if (open?.values.length === 0) return null
      if (inner.tag === valueTags.endOfCollection) return { type: 'collection', members }
      if (inner.bytes.length === 0) return null
      members.push({ name: inner.bytes.toString(), values: [] })
      continue
    }
    const value = open && readValue(reader, inner, depth + 1)
    if (!value) return null
    open.values.push(value)
  }
}

const textTypes = new Map<number, IppTextType>(
  (['text', 'name', 'keyword', 'uri', 'uriScheme', 'charset', 'language', 'mimeType'] as const).map(
    (type) => [textTags[type], type],
  ),
)

function simpleValue({ tag, bytes }: Field): IppValue | null {
  const textType = textTypes.get(tag)
  if (textType) return { type: textType, value: bytes.toString() }
  switch (tag) {
    case valueTags.integer:
      return bytes.length === 4 ? { type: 'integer', value: bytes.readInt32BE() } : null
    case valueTags.enum:
      return bytes.length === 4 ? { type: 'enum', value: bytes.readInt32BE() } : null
    case valueTags.boolean:
      return bytes.length === 1 ? { type: 'boolean', value: bytes[0] !== 0 } : null
    case valueTags.octets:
      return { type: 'octets', value: bytes }
    case valueTags.dateTime:
      return dateValue(bytes)
    case valueTags.resolution: {
      const unit = bytes[8] === 3 ? 'dpi' : bytes[8] === 4 ? 'dpcm' : null
      if (bytes.length !== 9 || !unit) return null
      return { type: 'resolution', x: bytes.readInt32BE(), y: bytes.readInt32BE(4), unit }
    }
    case valueTags.range:
      if (bytes.length !== 8) return null
      return { type: 'range', from: bytes.readInt32BE(), to: bytes.readInt32BE(4) }
    case valueTags.textIn:
    case valueTags.nameIn:
      return languageValue(tag === valueTags.textIn ? 'textIn' : 'nameIn', bytes)
    // outside a collection these say nothing
    case valueTags.endOfCollection:
    case valueTags.memberName:
      return null
    default:
      return { type: 'other', tag, value: bytes }
  }
}

function languageValue(type: 'textIn' | 'nameIn', bytes: Buffer): IppValue | null {
  const reader = readerOf(bytes)
  const language = reader.counted()
  const text = language && reader.counted()
  return text && reader.isAtEnd() ? { type, language: language.toString(), value: text.toString() } : null
}

/** DateAndTime (RFC 2579), which may count a 60th second. */
function dateValue(bytes: Buffer): IppValue | null {
  const [, , month = 0, day = 0, hour = 0, minute = 0, second = 0, tenths = 0, sign, hours = 0, minutes = 0] =
    bytes
  if (bytes.length !== 11 || month < 1 || month > 12 || day < 1 || day > 31) return null
  if (hour > 23 || minute > 59 || second > 60 || tenths > 9) return null
  if ((sign !== 0x2b && sign !== 0x2d) || hours > 14 || minutes > 59) return null
  const at = new Date(0)
  at.setUTCFullYear(bytes.readUInt16BE(), month - 1, day)
  at.setUTCHours(hour, minute, second, tenths * 100)
  const offsetMs = (hours * 60 + minutes) * 60_000
  return { type: 'dateTime', value: at.getTime() - (sign === 0x2b ? offsetMs : -offsetMs) }
}

interface Reader {
  byte(): number | null
  short(): number | null
  unsigned(): number | null
  take(count: number): Buffer | null
  /** Two bytes that say how many follow, and those. */
  counted(): Buffer | null
  isAtEnd(): boolean
  /** Counts one more group or field; false where there are too many. */
  counts(): boolean
}

function readerOf(source: Uint8Array): Reader {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.length)
  let at = 0
  let fields = 0
  const take: Reader['take'] = (count) => {
    if (at + count > bytes.length) return null
    at += count
    return bytes.subarray(at - count, at)
  }
  const short = (): number | null => take(2)?.readUInt16BE() ?? null
  return {
    take,
    short,
    byte: () => take(1)?.[0] ?? null,
    unsigned: () => take(4)?.readUInt32BE() ?? null,
    counted() {
      const length = short()
      return length === null ? null : take(length)
    },
    isAtEnd: () => at === bytes.length,
    counts: () => ++fields <= mostFields,
  }
}
