import type { Instant } from '#shared/domain/instants.ts'
const dayMs = 24 * 3600_000

/**
 * Returns the creation time of a service's record, for the age of the record here. A date far in the future would keep
 * the record here for ever, so the result is at most one day after the time when this PC first received the record. One
 * day is allowed, because clocks differ and the order by age should stay correct.
 */
export function agedFrom(createdAt: Instant, hadAt: Instant): Instant {
  return Math.min(createdAt, hadAt + dayMs)
}
