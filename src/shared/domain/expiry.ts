import type { Instant } from './instants.ts'
/** A lot is marked when it expires within this number of days, so that there is time to sell it before other lots. */
export const expiringSoonDays = 30

export type Expiry = 'expired' | 'soon' | 'later' | 'none'

const dayMs = 86_400_000

/**
 * Calendar days from the local day of `nowMs` until `day` (`YYYY-MM-DD`, API.md 4.1): 0 today, negative when it is
 * past. The days are not calculated from hours, because a day with a change of the clock has 23 or 25 hours.
 */
export function daysUntil(day: string, nowMs: Instant): number {
  const today = new Date(nowMs)
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const from = Date.UTC(today.getFullYear(), today.getMonth(), today.getDate())
  return Math.round((Date.UTC(year, month - 1, date) - from) / dayMs)
}

/**
 * Whether a lot is expired, expires soon or neither. A lot is not expired on its last day; `none`: a lot without a
 * date.
 */
export function expiryOf(day: string | null, nowMs: Instant): Expiry {
  if (day === null) return 'none'
  const days = daysUntil(day, nowMs)
  if (days < 0) return 'expired'
  return days <= expiringSoonDays ? 'soon' : 'later'
}
