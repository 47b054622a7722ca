import { z } from 'zod'

/** An identifier the service made. `guid`, not `uuid`: foreign ids are not always RFC 9562 variants. */
export const id = z.guid()

/** The id of a return label, told apart from other ids by its type alone. */
export const serverLabelId = id.brand<'ServerId' | 'ServerLabelId'>()

/** From 1970 to 2100: of other moments views, sorting and SQLite's text order are not right. Milliseconds since 1970. */
const earliestMs = 0
const latestMs = Date.UTC(2100, 0, 1)

/** Whether a moment is one that a service or a clock of this program can mean. Milliseconds since 1970. */
export function isPlausibleMoment(ms: number): boolean {
  return ms >= earliestMs && ms <= latestMs
}

/** The moment itself, else the nearest that is plausible, which `dateTime` takes. */
export function nearestMoment(ms: number): number {
  return Math.min(Math.max(ms, earliestMs), latestMs)
}

/** ISO 8601 datetime with offset, kept as text (API.md 1.6). */
export const dateTime = z.iso
  .datetime({ offset: true })
  .refine((text) => isPlausibleMoment(Date.parse(text)), 'This value should be a date between 1970 and 2100.')

/** Any text the service may leave out by sending null. */
export const nullableText = z.string().nullable()

/** Parameters of a path with `:id`. */
export const byId = z.object({ id })
