import type { Instant } from '#shared/domain/instants.ts'
import { listMarginMs } from '../ports/commands.ts'

const dayMs = 24 * 60 * 60_000

/** The times that limit a walk through a list of the service, in milliseconds since 1970. */
export interface WalkTimes {
  /** The earliest time of the wanted records, by the Date header of the service. */
  readonly since: Instant
  /** The earliest time of the wanted records, by the clock of this PC. */
  readonly sinceLocal: Instant
  /** The present time, by the Date header of the service; without this header, by the clock of this PC. */
  readonly serviceTime: Instant
  /** The present time, by the clock of this PC. */
  readonly localTime: Instant
  /** The time of the newest record of the list (`newestOf`). */
  readonly newest: Instant
}

/**
 * Returns the time at which a walk ends: it reads the records that were created at this time or later. The Date header
 * of the service, the clock of this PC and the times of the records may come from three different clocks, so the
 * earliest of three times is used, minus `listMarginMs`:
 *
 * - `since`.
 * - `sinceLocal`, but at most one day before `since`, because the PC clock may be years behind.
 * - The time of the newest record minus the age of the wanted records. This time contains only the difference of two
 *   times of one clock, so an error of the Date header or the PC clock does not matter. The age by the PC clock counts
 *   as at most one day, because that clock may have been corrected by years.
 */
export function walkEnd({ since, sinceLocal, serviceTime, localTime, newest }: WalkTimes): Instant {
  const ageMs = Math.max(0, serviceTime - since, Math.min(localTime - sinceLocal, dayMs))
  return Math.min(since, Math.max(sinceLocal, since - dayMs), newest - ageMs) - listMarginMs
}

/**
 * Returns the time of the newest record of a page. Ignores records whose time is later than the present time both by
 * the clock of the service and by the clock of this PC: their time is wrong, and they would always be the newest
 * records of the list. Returns Infinity if no record remains.
 */
export function newestOf(
  page: readonly { readonly created_at: string }[],
  { serviceTime, localTime }: Pick<WalkTimes, 'serviceTime' | 'localTime'>,
): Instant {
  const latest = Math.max(serviceTime, localTime) + listMarginMs
  const times = page.map((one) => Date.parse(one.created_at)).filter((at) => at <= latest)
  return times.length === 0 ? Infinity : Math.max(...times)
}
