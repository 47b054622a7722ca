import type { Instant } from '#shared/domain/instants.ts'
const dayMs = 24 * 3600_000

/**
 * Returns the time from which the age of a service's record counts here: its creation time, but at most one day after
 * this PC first received it. Otherwise a creation time far in the future would keep the record here for ever. One day
 * is allowed, because clocks differ and the order by age should stay correct.
 */
export function agedFrom(createdAt: Instant, hadAt: Instant): Instant {
  return Math.min(createdAt, hadAt + dayMs)
}
