import { nearestMoment } from '#shared/wire/primitives.ts'

/** Milliseconds since 1970 as the views carry times: ISO 8601 in UTC, of four digits a year. */
export function isoTime(ms: number): string {
  return new Date(nearestMoment(ms)).toISOString()
}
