// Encodes values for another process or JavaScript world as structured clone would: one JSON array, whose entries refer
// to each other by index, so that cycles and shared references are kept. Every function of this file also runs in the
// page, to which it is sent as source text: it may use only its own arguments, globals, and the other functions listed
// in page/source.ts.

export type PageFunction = (...args: unknown[]) => unknown

export function isFunction(value: unknown): value is PageFunction {
  return typeof value === 'function'
}

/** Encodes bytes as Base64: with Uint8Array.toBase64 in Chromium, and with Buffer in Node 24. */
export function bytesToBase64(bytes: Uint8Array): string {
  const native: unknown = Reflect.get(bytes, 'toBase64')
  if (isFunction(native)) return String(native.call(bytes))
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

export function base64ToBytes(text: string): Uint8Array<ArrayBuffer> {
  const native: unknown = Reflect.get(Uint8Array, 'fromBase64')
  const made = isFunction(native) ? native.call(Uint8Array, text) : undefined
  return made instanceof Uint8Array ? new Uint8Array(made) : new Uint8Array(Buffer.from(text, 'base64'))
}

/**
 * Encodes an array or a built-in object, such as a Date. Returns undefined for any other object. The caller then
 * encodes its properties as a plain object, so an instance of a class loses its class. Throws for an object that cannot
 * be cloned, such as a Promise.
 */
export function encodeSpecial(value: object, put: (part: unknown) => number): unknown[] | undefined {
  if (Array.isArray(value)) return ['array', ...value.map(put)]
  if (value instanceof Date) return ['date', value.getTime()]
  if (value instanceof RegExp) return ['regexp', value.source, value.flags]
  if (value instanceof Map) return ['map', ...[...value].flatMap(([key, part]) => [put(key), put(part)])]
  if (value instanceof Set) return ['set', ...[...value].map(put)]
  if (value instanceof Error) {
    return ['error', value.name, value.message, value.stack ?? '', 'cause' in value ? put(value.cause) : -1]
  }
  if (value instanceof ArrayBuffer) return ['bytes', 'ArrayBuffer', bytesToBase64(new Uint8Array(value))]
  if (ArrayBuffer.isView(value)) {
    // A Node Buffer arrives as Uint8Array, as in Electron.
    const name = Object.prototype.toString.call(value).slice(8, -1)
    return ['bytes', name, bytesToBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))]
  }
  const foreign = ['Node', 'Blob', 'Promise', 'WeakMap', 'WeakSet', 'MessagePort']
  for (const name of foreign) {
    const constructor: unknown = Reflect.get(globalThis, name)
    if (isFunction(constructor) && value instanceof constructor)
      throw new Error('An object could not be cloned.')
  }
  return undefined
}

/**
 * Encodes any structured-cloneable value; functions only if `expose` returns a number for them.
 * @throws Error 'An object could not be cloned.' as Electron does.
 */
export function encode(root: unknown, expose?: (fn: PageFunction) => number): string {
  const entries: unknown[] = []
  const known = new Map<unknown, number>()
  const put = (value: unknown): number => {
    const before = typeof value === 'object' && value !== null ? known.get(value) : undefined
    if (before !== undefined) return before
    const index = entries.push(null) - 1
    if (value === null || typeof value === 'string' || typeof value === 'boolean') entries[index] = value
    else if (value === undefined) entries[index] = ['undefined']
    else if (typeof value === 'bigint') entries[index] = ['bigint', String(value)]
    else if (typeof value === 'number') {
      const exact = Number.isFinite(value) && !Object.is(value, -0)
      entries[index] = exact ? value : ['number', Object.is(value, -0) ? '-0' : String(value)]
    } else if (isFunction(value) && expose) entries[index] = ['function', expose(value)]
    else if (typeof value === 'object') {
      known.set(value, index)
      const special = encodeSpecial(value, put)
      entries[index] = special ?? [
        'object',
        ...Object.entries(value).flatMap(([key, part]) => [key, put(part)]),
      ]
    } else throw new Error('An object could not be cloned.')
    return index
  }
  put(root)
  return JSON.stringify(entries)
}

/** Creates the error that an entry describes; built-in kinds keep their class, others become an Error of that name. */
export function decodeError(name: string, message: string, stack: string): Error {
  const kinds = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]
  const Kind = kinds.find((kind) => kind.name === name) ?? Error
  const error = new Kind(message)
  error.stack = stack
  if (error.name !== name) error.name = name
  return error
}

export function decodeBytes(kind: string, text: string): unknown {
  const { buffer } = base64ToBytes(text)
  if (kind === 'ArrayBuffer') return buffer
  const constructor: unknown = Reflect.get(globalThis, kind)
  if (!isFunction(constructor)) throw new Error(`No ${kind} here`)
  return Reflect.construct(constructor, [buffer])
}

/**
 * Decodes an entry of the result of `encode` that refers to no other entry, such as a date. Returns undefined for all
 * other entries: functions, and entries that can refer to others, such as arrays.
 */
export function decodeLeaf(tag: string, parts: unknown[]): { value: unknown } | undefined {
  const [first, second] = parts
  if (tag === 'undefined') return { value: undefined }
  if (tag === 'number') return { value: Number(first) }
  if (tag === 'bigint') return { value: BigInt(String(first)) }
  if (tag === 'date') return { value: new Date(typeof first === 'number' ? first : NaN) }
  if (tag === 'regexp') return { value: new RegExp(String(first), String(second)) }
  if (tag === 'bytes') return { value: decodeBytes(String(first), String(second)) }
  return undefined
}

/** Decodes the result of `encode`; `revive` creates functions from their numbers. */
export function decode(text: string, revive?: (id: number) => PageFunction): unknown {
  const entries: unknown = JSON.parse(text)
  if (!Array.isArray(entries)) throw new Error('Not an encoded value')
  const made = new Map<number, unknown>()
  const keep = <T>(index: number, value: T): T => {
    made.set(index, value)
    return value
  }
  const get = (reference: unknown): unknown => {
    const index = Number(reference)
    if (made.has(index)) return made.get(index)
    const entry: unknown = entries[index]
    if (!Array.isArray(entry)) return keep(index, entry)
    const [tag, ...parts] = entry as unknown[]
    const leaf = decodeLeaf(String(tag), parts)
    if (leaf) return keep(index, leaf.value)
    if (tag === 'function') return keep(index, revive?.(Number(parts[0])))
    if (tag === 'array') {
      const array = keep<unknown[]>(index, [])
      for (const part of parts) array.push(get(part))
      return array
    }
    if (tag === 'set') {
      const set = keep(index, new Set())
      for (const part of parts) set.add(get(part))
      return set
    }
    if (tag === 'error') {
      const error = keep(index, decodeError(String(parts[0]), String(parts[1]), String(parts[2])))
      if (Number(parts[3]) >= 0) error.cause = get(parts[3])
      return error
    }
    const map = tag === 'map' ? keep(index, new Map()) : undefined
    const object = map ? {} : keep(index, {})
    for (let at = 0; at < parts.length; at += 2) {
      const value = get(parts[at + 1])
      if (map) map.set(get(parts[at]), value)
      // Uses defineProperty, so that a key '__proto__' is data and not a prototype.
      else
        Object.defineProperty(object, String(parts[at]), {
          value,
          enumerable: true,
          configurable: true,
          writable: true,
        })
    }
    return map ?? object
  }
  return get(0)
}

/** Decodes a message, which is always a list. @throws if the text encodes no list. */
export function decodeList(text: string, revive?: (id: number) => PageFunction): unknown[] {
  const list = decode(text, revive)
  if (!Array.isArray(list)) throw new Error('Not an encoded list')
  return list
}
