import { z } from 'zod'
import type { Instant } from '../domain/instants.ts'

/**
 * An identifier that the service created. The schema is `guid` and not `uuid`, because ids of other systems do not
 * always have the variant of RFC 9562.
 */
export const id = z.guid()

/** The id of a return label; only its type distinguishes it from other ids. */
export const serverLabelId = id.brand<'ServerId' | 'ServerLabelId'>()

/**
 * The range of plausible times, in milliseconds since 1970. Views, sorting and SQLite's text order are wrong for other
 * times.
 */
const earliestMs = 0
const latestMs = Date.UTC(2100, 0, 1)

/** Whether a time, in milliseconds since 1970, is plausible for a service or a clock of this program. */
export function isPlausibleMoment(ms: Instant): boolean {
  return ms >= earliestMs && ms <= latestMs
}

/** Returns the given time, or the nearest plausible one, which `dateTime` accepts. */
export function nearestMoment(ms: Instant): Instant {
  return Math.min(Math.max(ms, earliestMs), latestMs)
}

const notPlausible = 'This value should be a date from 1970-01-01 to 2100-01-01.'
/**
 * Whether a time is plausible. Returns true for a text that is no date, because another check reports such a text with
 * its own message.
 */
function isPlausible(text: string): boolean {
  const moment = Date.parse(text)
  return Number.isNaN(moment) || isPlausibleMoment(moment)
}

/** ISO 8601 datetime with offset, kept as text (API.md 1.6). */
export const dateTime = z.iso.datetime({ offset: true }).refine(isPlausible, notPlausible)

/** A day in a request. A datetime is accepted too, as the day that it contains (API.md 1.6). */
const anyDay = z.union([
  z.iso.date(),
  z.iso.datetime({ offset: true, local: true }).transform((moment) => moment.slice(0, 10)),
])

/** A day in a request. Responses return it as a `dateTime`, so both types allow the same range of days. */
export const sentDay = anyDay.refine(isPlausible, notPlausible)

/**
 * A day in a request, for a field whose value in a response is a day without a time. The year 0 is refused, because not
 * every database can store it.
 */
export const storedDay = anyDay.refine(
  (day) => day >= '0001-01-01',
  'This value should be a date after the year 0.',
)

/** Any text, or null if the service has no text for the field. */
export const nullableText = z.string().nullable()

/** Parameters of a path with `:id`. */
export const byId = z.object({ id })
