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
 * Maximum length of a value in bytes, because a message contains lengths as signed 16-bit numbers (RFC 8010, 3.1.4).
 */
const longestValue = 32_767

/**
 * Encodes a request or a response in IPP/2.0, without the document that may follow (RFC 8010, 3.1). Throws RangeError
 * for a message that cannot be encoded: a value longer than 32,767 bytes, an attribute without a name or a value,
 * collections nested deeper than 16.
 */
export function encodeIpp({ code, id, groups }: IppMessage): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt16BE(0x0200)
  head.writeUInt16BE(code, 2)
  head.writeUInt32BE(id, 4)
  const pieces: Uint8Array[] = [head]
  for (const { tag, attributes } of groups) {
    pieces.push(Buffer.of(tag))
    for (const attribute of attributes) writeAttribute(pieces, attribute)
  }
  pieces.push(Buffer.of(groupTags.end))
  return Buffer.concat(pieces)
}

/**
 * Writes an attribute. In a set, only the first value has a name; values without a name belong to the same attribute.
 */
function writeAttribute(pieces: Uint8Array[], { name, values }: IppAttribute): void {
  if (name === '' || values.length === 0) throw new RangeError('an IPP attribute has a name and a value')
  for (const [index, value] of values.entries()) writeValue(pieces, index === 0 ? name : '', value, 0)
}

function writeValue(pieces: Uint8Array[], name: string, value: IppValue, depth: number): void {
  if (value.type !== 'collection') {
    writeField(pieces, tagOf(value), name, bytesOf(value))
    return
  }
  if (depth === deepestCollection) throw new RangeError('IPP collections nested too deep')
  const nothing = Buffer.alloc(0)
  writeField(pieces, valueTags.collection, name, nothing)
  for (const member of value.members) {
    if (member.name === '' || member.values.length === 0)
      throw new RangeError('a member has a name and a value')
    // in a collection the name of a member is written as a value, and its values have no name (RFC 8010, 3.1.6)
    writeField(pieces, valueTags.memberName, '', Buffer.from(member.name))
    for (const inner of member.values) writeValue(pieces, '', inner, depth + 1)
  }
  writeField(pieces, valueTags.endOfCollection, '', nothing)
}

function writeField(pieces: Uint8Array[], tag: number, name: string, bytes: Uint8Array): void {
  const nameBytes = Buffer.from(name)
  if (nameBytes.length > longestValue || bytes.length > longestValue)
    throw new RangeError('an IPP value is longer than 32,767 bytes')
  pieces.push(Buffer.of(tag), short(nameBytes.length), nameBytes, short(bytes.length), bytes)
}

const tags = { ...textTags, ...valueTags }

type Simple = Exclude<IppValue, { type: 'collection' }>

function tagOf(value: Simple): number {
  return value.type === 'other' ? value.tag : tags[value.type]
}

function bytesOf(value: Simple): Uint8Array {
  switch (value.type) {
    case 'integer':
    case 'enum':
      return long(value.value)
    case 'boolean':
      return Buffer.of(value.value ? 1 : 0)
    case 'octets':
    case 'other':
      return value.value
    case 'dateTime':
      return dateBytes(value.value)
    case 'resolution':
      return Buffer.concat([long(value.x), long(value.y), Buffer.of(value.unit === 'dpi' ? 3 : 4)])
    case 'range':
      return Buffer.concat([long(value.from), long(value.to)])
    case 'textIn':
    case 'nameIn': {
      const [language, text] = [Buffer.from(value.language), Buffer.from(value.value)]
      return Buffer.concat([short(language.length), language, short(text.length), text])
    }
    default:
      return Buffer.from(value.value)
  }
}

/**
 * Encodes DateAndTime of RFC 2579: year, month, day, hour, minute, second, tenths, then the offset from UTC, here
 * always 0.
 */
function dateBytes(atMs: number): Buffer {
  const at = new Date(atMs)
  const tenths = Math.floor(at.getUTCMilliseconds() / 100)
  const clock = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds(), tenths]
  const date = [at.getUTCMonth() + 1, at.getUTCDate()]
  return Buffer.concat([short(at.getUTCFullYear()), Buffer.of(...date, ...clock, 0x2b, 0, 0)])
}

function short(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function long(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

/**
 * Maximum number of groups, values and members of collections in one message. A printer with two hundred media or a
 * queue with five hundred jobs sends about three thousand; a response with only empty values could have half a million.
 */
const mostFields = 20_000

/**
 * Decodes a response (RFC 8010, 3), or returns null if the bytes are invalid or have more than `mostFields` fields.
 * Each field is read once and must be complete. Bytes after the end tag are a document and are ignored. Strings are
 * UTF-8. Invalid bytes become replacement characters, because some printers send their names in Latin-1.
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

/**
 * Reads a value and adds it to the attributes: with a name as a new attribute, without a name as a further value of the
 * last attribute. Returns false if the value is invalid, or has no name although it is the first of its group.
 */
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
      // a name without a value is invalid: the next name would become its value
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
    // the tags of a member name and of the end of a collection are valid only inside a collection
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

/** Decodes DateAndTime (RFC 2579). The value 60 for seconds is valid there. */
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
  /** Reads a length field of two bytes, and then as many bytes as the field states. */
  counted(): Buffer | null
  isAtEnd(): boolean
  /** Counts one more group or field. Returns false if there are too many. */
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
