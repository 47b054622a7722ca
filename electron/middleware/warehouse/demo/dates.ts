const dayMs = 86_400_000

/** Returns the time that is a number of days (possibly fractional) before another time, in ISO 8601 UTC. */
export function daysBefore(now: Date, days: number): string {
  return new Date(now.getTime() - days * dayMs).toISOString()
}

/** Returns the calendar day that is a number of days after a time (negative: before it), as YYYY-MM-DD in UTC. */
export function dayFrom(now: Date, days: number): string {
  return daysBefore(now, -days).slice(0, 10)
}

/**
 * Returns a time in working hours on the day that is `daysAgo` days before `now`. A time after `now` is moved back one
 * day, and a day at the weekend to the Friday before.
 */
export function workingMoment(now: Date, daysAgo: number, minuteOfShift: number): string {
  const day = new Date(now.getTime() - Math.floor(daysAgo) * dayMs)
  day.setUTCHours(6, minuteOfShift, (minuteOfShift * 37) % 60, 0)
  if (day.getTime() >= now.getTime()) day.setUTCDate(day.getUTCDate() - 1)
  const weekend = { 0: 2, 6: 1 }[day.getUTCDay()] ?? 0
  day.setUTCDate(day.getUTCDate() - weekend)
  return day.toISOString()
}
