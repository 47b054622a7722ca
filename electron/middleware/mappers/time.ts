import { isoTime } from '#kit/clock.ts'

/** A stored time as the API writes it: `2026-03-01T12:00:00+00:00`. */
export function toWireTime(stored: string): string {
  return isoTime(Date.parse(stored))
}
