import { createHash } from 'node:crypto'
import { z } from 'zod'

/**
 * One line of the journal: one transaction of desk.db. Lines are chained: each names the checksum of the transaction
 * before it. So the transactions that follow on a given desk.db are found without doubt. No chain reaches a line that
 * was never committed or that belongs to another history.
 */
const groupSchema = z.object({
  seq: z.number().int(),
  /** Milliseconds since 1970. */
  at: z.number(),
  /** Id of the desk.db of this line: the journal of another desk.db is of no use. */
  desk: z.string(),
  /** Checksum of the transaction before; empty for the first. */
  prev: z.string(),
  /** Statements by their key. A statement is here where a writer uses it for the first time in this file. */
  texts: z.record(z.string(), z.string()).optional(),
  /** Key, parameters (null: a script without parameters), rows changed. */
  writes: z.array(z.tuple([z.string(), z.array(z.unknown()).nullable(), z.number()])).optional(),
  /** The schema's version before and after. */
  migrate: z.tuple([z.number().int(), z.number().int()]).optional(),
})
export type JournalGroup = z.infer<typeof groupSchema>
export type JournaledWrites = NonNullable<JournalGroup['writes']>

/** All of a transaction except its writes, which may take megabytes. */
const headSchema = groupSchema.omit({ writes: true })

/** A line without the writes of its transaction. */
export interface JournalHead {
  readonly sum: string
  readonly group: z.infer<typeof headSchema>
}

/**
 * Longest line, in bytes. A transaction that would write more is refused, and a longer line in a file is not a line of
 * the journal. Texts of the service and of scanners are cut to much less before they are stored; a scan has 8,000
 * characters at most.
 */
export const longestLine = 16 * 1024 * 1024

const opening = '{"sum":"'
const sumLength = 32
const middle = '","group":'

/** The line as it is written. It begins with the line break, so that a torn line before it stays a separate line. */
export function encodeLine(group: JournalGroup): { readonly sum: string; readonly text: string } {
  const body = JSON.stringify(group)
  const sum = checksum(body)
  return { sum, text: `\n${opening}${sum}${middle}${body}}` }
}

/** Reads the bytes of a line, without its line break. Returns null for a line that is torn or damaged. */
export function decodeHead(line: Buffer): JournalHead | null {
  const body = bodyOf(line)
  return body && { sum: body.sum, group: headSchema.parse(JSON.parse(body.text)) }
}

/** The writes of a line's transaction; null for a line that is torn or damaged. */
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

/** The key of a statement in the journal. */
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

/** A parameter of a statement for JSON. A value that JSON cannot express is wrapped. */
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

/** The original parameter of an `encodeParameter` result. */
export function decodeParameter(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decodeParameter)
  if (typeof value !== 'object' || value === null) return value
  const one = special.parse(value)
  if (one.$ === 'bytes') return Buffer.from(one.v, 'base64')
  if (one.$ === 'bigint') return BigInt(one.v)
  return Object.fromEntries(Object.entries(one.v).map(([key, part]) => [key, decodeParameter(part)]))
}
