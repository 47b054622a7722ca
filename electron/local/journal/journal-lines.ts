import { createHash } from 'node:crypto'
import { z } from 'zod'

/**
 * One line of the journal: one transaction of desk.db. Lines are chained: each names the checksum of the transaction
 * before it, so that what follows on a given desk.db is found without doubt, and a line that was never committed, or
 * that belongs to another past, leads nowhere.
 */
const groupSchema = z.object({
  seq: z.number().int(),
  /** Milliseconds since 1970. */
  at: z.number(),
  /** Which desk.db this is about: another one's journal is of no use to it. */
  desk: z.string(),
  /** Checksum of the transaction before; empty for the first. */
  prev: z.string(),
  /** Statements by their key, where a writer uses one for the first time in this file. */
  texts: z.record(z.string(), z.string()).optional(),
  /** Key, parameters (null: a script without any), rows changed. */
  writes: z.array(z.tuple([z.string(), z.array(z.unknown()).nullable(), z.number()])).optional(),
  /** The schema's version before and after. */
  migrate: z.tuple([z.number().int(), z.number().int()]).optional(),
})
export type JournalGroup = z.infer<typeof groupSchema>

export interface JournalLine {
  readonly sum: string
  readonly group: JournalGroup
}

const opening = '{"sum":"'
const sumLength = 32
const middle = '","group":'

/** The line as it is written: it begins with the line break, so that a torn line before it stays a line of its own. */
export function encodeLine(group: JournalGroup): { readonly sum: string; readonly text: string } {
  const body = JSON.stringify(group)
  const sum = checksum(body)
  return { sum, text: `\n${opening}${sum}${middle}${body}}` }
}

/** Null for a line that is torn or damaged. */
export function decodeLine(text: string): JournalLine | null {
  const start = opening.length + sumLength + middle.length
  const sum = text.slice(opening.length, opening.length + sumLength)
  const body = text.slice(start, -1)
  if (!text.startsWith(opening) || checksum(body) !== sum) return null
  return { sum, group: groupSchema.parse(JSON.parse(body)) }
}

/** How the journal calls a statement. */
export function textKey(sql: string): string {
  return checksum(sql).slice(0, 12)
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, sumLength)
}

const special = z.union([
  z.object({ $: z.literal('bytes'), v: z.string() }),
  z.object({ $: z.literal('bigint'), v: z.string() }),
  z.object({ $: z.literal('named'), v: z.record(z.string(), z.unknown()) }),
])

/** A parameter of a statement as JSON keeps it: what JSON cannot say is wrapped. */
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

/** The parameter that `encodeParameter` was given. */
export function decodeParameter(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decodeParameter)
  if (typeof value !== 'object' || value === null) return value
  const one = special.parse(value)
  if (one.$ === 'bytes') return Buffer.from(one.v, 'base64')
  if (one.$ === 'bigint') return BigInt(one.v)
  return Object.fromEntries(Object.entries(one.v).map(([key, part]) => [key, decodeParameter(part)]))
}
