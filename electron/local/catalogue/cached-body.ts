import type { z } from 'zod'
import { nearestMoment } from '#shared/wire/primitives.ts'
import { UnusableCache } from '../recent/recent-database.ts'

/**
 * The record that a cache keeps as JSON, or null where the text is no longer what was written. An earlier version took dates
 * beyond 2100 and before 1970: each is read as the nearest plausible date, since one such row must not cost the whole cache.
 */
export function readBody<T>(schema: z.ZodType<T>, body: string): T | null {
  try {
    const record: unknown = JSON.parse(body)
    const parsed = schema.safeParse(record)
    if (parsed.success) return parsed.data
    for (const { path } of parsed.error.issues) mendDate(record, path)
    return schema.safeParse(record).data ?? null
  } catch {
    return null
  }
}

/** The same; throws UnusableCache in the place of null. */
export function parseBody<T>(schema: z.ZodType<T>, body: string): T {
  const record = readBody(schema, body)
  if (record === null) throw new UnusableCache('a row is no longer what was written')
  return record
}

/** Puts the nearest plausible moment in the place of a date; leaves any other value as it is. */
function mendDate(record: unknown, path: readonly PropertyKey[]): void {
  let holder: unknown = record
  for (const step of path.slice(0, -1)) holder = isObject(holder) ? holder[step] : null
  const name = path.at(-1)
  if (!isObject(holder) || name === undefined) return
  const ms = typeof holder[name] === 'string' ? Date.parse(holder[name]) : Number.NaN
  if (!Number.isNaN(ms)) holder[name] = new Date(nearestMoment(ms)).toISOString()
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null
}
