import type { Instant } from '#shared/domain/instants.ts'
import type { ClockPort } from '../ports/clock.ts'

const dayMs = 24 * 3600_000

/**
 * Returns the time of a response, from its Date header or, without it, from this PC's clock. A date more than a day
 * ahead of this PC's clock is replaced by the moment one day ahead, because the age of a record counts from the
 * returned time: with a later time, the record would be purged too late.
 */
export function saidAt(
  { serverDate }: { readonly serverDate: number | null },
  clock: Pick<ClockPort, 'now'>,
): Instant {
  return Math.min(serverDate ?? clock.now(), clock.now() + dayMs)
}
