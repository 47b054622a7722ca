/**
 * Maximum lengths of texts and lists on the wire. The contract limits only the fields of an address (API.md 1.11), so
 * the other limits are chosen here: several times the usual values, so that no valid value exceeds them. They are
 * checked before a schema checks a body, because a schema reports each of a million wrong values.
 */

/** Maximum lengths of texts, in characters, by the name of their field. A field without an entry has `otherText`. */
type LongestTexts = Readonly<Record<string, number>>

export const longestTexts: LongestTexts = {
  /** A file in base64: it may be as large as the largest body (middleware/routes/orders.ts). */
  file: 16 * 1024 * 1024,
  /** The limit of a token is high, because a JSON web token contains every customer of its user. */
  token: 100_000,
  refresh_token: 100_000,
  description: 20_000,
  note: 20_000,
  customer_note: 20_000,
  comments: 20_000,
  url: 8_000,
  tracking_url: 8_000,
}
/**
 * Maximum length of references, codes, names and other texts, in characters. In practice such a text has at most a few
 * hundred characters.
 */
export const otherText = 2_000

/** Maximum number of entries of one list inside a record: lines, serial numbers, documents, variants. */
export const mostEntries = 5_000
/**
 * Maximum number of objects and lists in one record (`mostObjects`), and maximum number of values of any kind
 * (`mostValues`). An order of 1000 lines has 4000 objects and lists and 20,000 values.
 */
export const mostObjects = 10_000
export const mostValues = 100_000
/** Maximum number of levels of nesting in a record. A record of the contract has five levels at most. */
export const deepest = 16
/**
 * Maximum number of fields in one object. The largest kind of record has some fifty, and orders have few key-value
 * pairs.
 */
export const mostNames = 5_000

/**
 * Maximum number of rows by which a page may exceed the requested number, because a service can choose its own page
 * length.
 */
export const rowsMargin = 1_000

/**
 * Maximum length of each text (in characters) and of each list that is read from the body of a failed call. These
 * limits are low because an error message contains only a short text of the body.
 */
export const longestReason = 2_000
export const mostReasons = 50

interface OverLimit {
  /** Names of fields and indexes of entries that lead from the record to the value; empty: the record itself. */
  readonly path: readonly (string | number)[]
  readonly message: string
}

/**
 * Returns the path of the first value of a record or body that exceeds the limits of this file, and a message; null if
 * no value does. Reads at most `mostValues` values. The message is a sentence for the sender and does not contain the
 * value. `longest` has the limits of texts to use instead of `longestTexts`.
 */
export function overLimit(record: unknown, longest: LongestTexts = longestTexts): OverLimit | null {
  return overLimitAt(record, [], { values: 0, objects: 0, longest })
}

/** Whether a record or body exceeds the limits of this file. */
export function exceedsLimits(record: unknown): boolean {
  return overLimit(record) !== null
}

interface Count {
  values: number
  objects: number
  readonly longest: LongestTexts
}

function overLimitAt(value: unknown, path: (string | number)[], count: Count): OverLimit | null {
  const over = (message: string): OverLimit => ({ path: [...path], message })
  if (++count.values > mostValues) return { path: [], message: 'This contains too many values.' }
  if (typeof value === 'string') {
    const longest = longestTextOf(path, count.longest)
    return value.length <= longest ? null : over(`This value should have ${longest} characters or less.`)
  }
  if (typeof value !== 'object' || value === null) return null
  if (++count.objects > mostObjects) return { path: [], message: 'This contains too many values.' }
  // the error names only the outermost field, because a path through all levels is hard to read
  if (path.length >= deepest) return { path: path.slice(0, 1), message: 'This is nested too deeply.' }
  if (Array.isArray(value) && value.length > mostEntries)
    return over(`This list should have ${mostEntries} entries or less.`)
  if (Array.isArray(value)) {
    // a loop over indexes: `for … in` takes far longer for a list
    for (let at = 0; at < value.length; at++) {
      const inner = overLimitWithin(value[at], at, path, count)
      if (inner) return inner
    }
    return null
  }
  if (!isPlain(value)) return over('This value should be an object, a list, a text or a number.')
  let names = 0
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue
    if (++names > mostNames) return over(`This value should have ${mostNames} fields or less.`)
    if (name.length > otherText) return over(`Names of fields should have ${otherText} characters or less.`)
    const inner = overLimitWithin((value as Record<string, unknown>)[name], name, path, count)
    if (inner) return inner
  }
  return null
}

/**
 * Whether an object is a plain one, as JSON has it. The bridge also copies typed arrays and `String` objects, and a
 * loop over the names of such an object first creates a list of all its indexes, which takes seconds.
 */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function overLimitWithin(
  value: unknown,
  name: string | number,
  path: (string | number)[],
  count: Count,
): OverLimit | null {
  path.push(name)
  const inner = overLimitAt(value, path, count)
  if (!inner) path.pop()
  return inner
}

/** Returns the maximum length of the text at this path. A text in a list has the limit of the list's field. */
function longestTextOf(path: readonly (string | number)[], longest: LongestTexts): number {
  const name = path.findLast((one) => typeof one === 'string') ?? ''
  return Object.hasOwn(longest, name) ? (longest[name] ?? otherText) : otherText
}

/** Limits for the JSON of one body. */
export interface JsonLimits {
  readonly values: number
  /** Maximum number of objects and lists in the body. */
  readonly objects: number
  /** Maximum number of names of fields, in all objects of the body together. */
  readonly names: number
  /**
   * Maximum number of different sequences of names. A sequence is the first n names of an object, for each n up to
   * `plainNames`. For each different sequence, the JavaScript engine creates a description (hidden class), which takes
   * far longer than to read a name. Rows of one kind share nearly all of their sequences.
   */
  readonly shapes: number
  /**
   * Maximum number of names beyond the first `plainNames` of each object, in all objects together. The JavaScript
   * engine takes far longer for each of these than for an earlier name.
   */
  readonly furtherNames: number
  /** Maximum number of levels of nested objects and lists. */
  readonly depth: number
  /** Maximum length of one number, in characters. */
  readonly digits: number
}

/**
 * Limits for one body that the server receives. The limits are checked before the body is parsed, because 16 MiB of
 * brackets block the server for seconds. A large valid body is within the limits: 1000 articles with five variants of
 * twelve fields have 76,000 values and 72,000 names.
 */
export const bodyLimits: JsonLimits = {
  values: 300_000,
  objects: 100_000,
  // no valid body has more names: each name has a value, and `overLimit` refuses a body with more than `mostValues`
  // values
  names: mostValues,
  shapes: 10_000,
  furtherNames: 10_000,
  depth: 1_000,
  digits: 400,
}

/**
 * The JavaScript engine stores an object with at most this number of names without a hash table. A hash table is slow
 * to create and to iterate.
 */
const plainNames = 100

const [blank, quote, backslash, comma, colon] = [0x20, 0x22, 0x5c, 0x2c, 0x3a]
const [brace, bracket, endOfBrace, endOfBracket] = [0x7b, 0x5b, 0x7d, 0x5d]

/**
 * Whether the JSON in these bytes of UTF-8 is within the limits. The function counts without parsing, because a body
 * beyond the limits would block the parsing thread. The content of texts does not count. The result does not show
 * whether the bytes are valid JSON.
 */
export function isJsonWithin(bytes: Uint8Array, limits: JsonLimits): boolean {
  const fields = new FieldCount(bytes, limits)
  let [depth, values, objects, digits, textFrom] = [0, 1, 0, 0, 0]
  // a loop over indexes, because an iterator takes several times as long for a body of several megabytes
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) {
      textFrom = at + 1
      at = endOfText(bytes, textFrom)
      fields.textEnds = at
      digits = 0
    } else if (byte === comma) {
      values++
      digits = 0
    } else if (byte === colon) {
      if (!fields.name(depth, textFrom)) return false
    } else if (byte === brace || byte === bracket) {
      values++
      if (++objects > limits.objects || ++depth > limits.depth) return false
      fields.begin(depth)
    } else if (byte === endOfBrace || byte === endOfBracket) {
      depth = Math.max(0, depth - 1)
      digits = 0
    } else if (byte !== undefined && byte <= blank) digits = 0
    else if (++digits > limits.digits) return false
    if (values > limits.values) return false
  }
  return true
}

/**
 * Start value of the hashes. The value is new in each process, so that no sender can choose names with equal hashes.
 */
const seed = Math.floor(Math.random() * 2 ** 32)

/** Counts the names and shapes (see JsonLimits) of the objects of one body. */
class FieldCount {
  /**
   * Index of the byte after the content of the JSON string that was read last. The string is the name of a field if a
   * colon follows.
   */
  textEnds = 0
  readonly #bytes: Uint8Array
  readonly #limits: JsonLimits
  /**
   * For each open object, by its depth: the number of its names, and in `#hashes` the hash of these names. A list has
   * no names.
   */
  readonly #open: Uint32Array
  readonly #hashes: Uint32Array
  /**
   * Hash table of the shapes counted so far; 0 marks a free place. The table has at least twice as many places as the
   * maximum number of shapes.
   */
  readonly #shapes: Uint32Array
  #names = 0
  #further = 0
  #shapeCount = 0

  constructor(bytes: Uint8Array, limits: JsonLimits) {
    this.#bytes = bytes
    this.#limits = limits
    this.#open = new Uint32Array(limits.depth + 1)
    this.#hashes = new Uint32Array(limits.depth + 1)
    // a name and its value have at least four bytes in JSON, so the names are at most a quarter as many as the bytes
    const most = Math.min(limits.shapes + 1, bytes.length / 4 + 1)
    this.#shapes = new Uint32Array(2 ** Math.ceil(Math.log2(most * 2)))
  }

  begin(depth: number): void {
    this.#open[depth] = 0
    this.#hashes[depth] = seed
  }

  /**
   * Counts the field name between the bytes `from` and `textEnds`. Returns false if the body now exceeds one of the
   * limits `names`, `shapes` and `furtherNames`, which JsonLimits explains.
   */
  name(depth: number, from: number): boolean {
    const { names, furtherNames, shapes } = this.#limits
    const own = (this.#open[depth] ?? 0) + 1
    this.#open[depth] = own
    if (++this.#names > names) return false
    if (own > plainNames) return ++this.#further <= furtherNames
    let hash = this.#hashes[depth] ?? seed
    for (let at = from; at < this.textEnds; at++) hash = Math.imul(hash ^ (this.#bytes[at] ?? 0), 0x01000193)
    // distributes the hashes over the whole table even if many names have the same ending
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    hash = (hash ^ (hash >>> 13)) >>> 0
    this.#hashes[depth] = hash
    return this.#isKnown(hash || 1) || ++this.#shapeCount <= shapes
  }

  #isKnown(hash: number): boolean {
    const last = this.#shapes.length - 1
    let at = hash & last
    while (this.#shapes[at] !== 0) {
      if (this.#shapes[at] === hash) return true
      at = (at + 1) & last
    }
    this.#shapes[at] = hash
    return false
  }
}

/**
 * Returns the index of the closing quotation mark of the text that begins at `from`. Without one, returns an index
 * after the last byte.
 */
function endOfText(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}
