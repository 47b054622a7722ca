import { createHash } from 'node:crypto'
import { z } from 'zod'

/**
 * One line of the journal, which contains one transaction of desk.db. Lines form a chain: each line contains the
 * checksum of the transaction before it. A reader can therefore find exactly the transactions that follow the state of
 * a given desk.db. A line that was never committed, or that belongs to another history, is not part of that chain.
 */
const groupSchema = z.object({
  seq: z.number().int(),
  /** Milliseconds since 1970. */
  at: z.number(),
  /** The id of the desk.db to which this line belongs. The journal of another desk.db cannot be used. */
  desk: z.string(),
  /** The checksum of the transaction before this one; empty for the first transaction. */
  prev: z.string(),
  /**
   * The text of SQL statements by their key. After a process has opened a file of the journal, its first line that uses
   * a statement contains the text of this statement; its later lines in this file contain only the key.
   */
  texts: z.record(z.string(), z.string()).optional(),
  /**
   * For each write: the key of its statement, its parameters (null for a script without parameters), and the number of
   * changed rows.
   */
  writes: z.array(z.tuple([z.string(), z.array(z.unknown()).nullable(), z.number()])).optional(),
  /** The versions of the schema before and after a migration. */
  migrate: z.tuple([z.number().int(), z.number().int()]).optional(),
})
export type JournalGroup = z.infer<typeof groupSchema>
export type JournaledWrites = NonNullable<JournalGroup['writes']>

/** A line's content without the writes of its transaction, because the writes may take megabytes. */
const headSchema = groupSchema.omit({ writes: true })

/** A decoded line without the writes of its transaction. */
export interface JournalHead {
  readonly sum: string
  readonly group: z.infer<typeof headSchema>
}

/**
 * Maximum length of a line in bytes. A transaction that needs a longer line is refused, and a reader ignores longer
 * lines. Stored texts are far shorter: texts of the service and of scanners are cut before they are stored, for example
 * a scan to 8,000 characters.
 */
export const longestLine = 16 * 1024 * 1024

const opening = '{"sum":"'
const sumLength = 32
const middle = '","group":'

/**
 * Returns the text that is written for a line. It begins with a line break, so that an incomplete line before it does
 * not merge with it.
 */
export function encodeLine(group: JournalGroup): { readonly sum: string; readonly text: string } {
  const body = JSON.stringify(group)
  const sum = checksum(body)
  return { sum, text: `\n${opening}${sum}${middle}${body}}` }
}

/**
 * Decodes a line of the journal except the writes that it contains. The line is given without its line break. Returns
 * null if the line is incomplete or damaged.
 */
export function decodeHead(line: Buffer): JournalHead | null {
  const body = bodyOf(line)
  return body && { sum: body.sum, group: headSchema.parse(JSON.parse(body.text)) }
}

/** Returns the writes in a line; null if the line is incomplete or damaged. */
export function decodeWrites(line: Buffer): JournaledWrites | null {
  const body = bodyOf(line)
  return body && (groupSchema.parse(JSON.parse(body.text)).writes ?? [])
}

function bodyOf(line: Buffer): { readonly sum: string; readonly text: string } | null {
  const start = opening.length + sumLength + middle.length
  const text = (from: number, to: number): string => line.toString('latin1', from, to)
  if (line.length <= start || text(0, opening.length) !== opening) return null
  const sum = text(opening.length, opening.length + sumLength)
  const body = line.subarray(start, -1)
  return checksum(body) === sum ? { sum, text: body.toString() } : null
}

/** Returns the key by which the journal refers to a statement. */
export function textKey(sql: string): string {
  return checksum(sql).slice(0, 12)
}

function checksum(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex').slice(0, sumLength)
}

const special = z.union([
  z.object({ $: z.literal('bytes'), v: z.string() }),
  z.object({ $: z.literal('bigint'), v: z.string() }),
  z.object({ $: z.literal('named'), v: z.record(z.string(), z.unknown()) }),
])

/**
 * Returns a parameter of a statement as a JSON value. A bigint, bytes or an object of named parameters becomes an
 * object with the kind in `$` and the content in `v`. Throws for a value that is no parameter, such as NaN, a boolean
 * or undefined.
 */
export function encodeParameter(value: unknown): unknown {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value === 'bigint') return { $: 'bigint', v: String(value) }
  if (value instanceof Uint8Array) return { $: 'bytes', v: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return value.map(encodeParameter)
  if (typeof value === 'object')
    return {
      $: 'named',
      v: Object.fromEntries(Object.entries(value).map(([key, one]) => [key, encodeParameter(one)])),
    }
  throw new TypeError(`the journal cannot keep a parameter of type ${typeof value}`)
}

/** Decodes a value of `encodeParameter`: returns the parameter of the statement. */
export function decodeParameter(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decodeParameter)
  if (typeof value !== 'object' || value === null) return value
  const one = special.parse(value)
  if (one.$ === 'bytes') return Buffer.from(one.v, 'base64')
  if (one.$ === 'bigint') return BigInt(one.v)
  return Object.fromEntries(Object.entries(one.v).map(([key, part]) => [key, decodeParameter(part)]))
}
