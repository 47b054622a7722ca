import {
  deepestCollection,
  groupTags,
  type IppAttribute,
  type IppMessage,
  type IppValue,
  textTags,
  valueTags,
} from './ipp-message.ts'

/** A length is a signed short on the wire (RFC 8010, 3.1.4). */
const longestValue = 32_767

/**
 * The bytes of a request or an answer in IPP/2.0, up to where a document would begin (RFC 8010, 3.1). Throws RangeError
 * for what cannot be said: a value longer than 32,767 bytes, an attribute without a name or a value, collections nested
 * deeper than 16.
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

/** The second value of a set and those after it have no name: that is how they belong to the first. */
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
    // in a collection the name is a value, and its values have none (RFC 8010, 3.1.6)
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

/** DateAndTime of RFC 2579: year, month, day, hour, minute, second, tenths, then how far from UTC; here always none. */
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
