import type { Instant } from '#shared/domain/instants.ts'
const dayMs = 24 * 3600_000

/**
 * Returns the time from which this PC counts the age of a service's record: the creation time of the record, but at
 * most one day after this PC first received the record. Otherwise a record with a creation time far in the future would
 * stay on this PC for ever. One day is allowed, because clocks differ and the order by age should stay correct.
 */
export function agedFrom(createdAt: Instant, hadAt: Instant): Instant {
  return Math.min(createdAt, hadAt + dayMs)
}
