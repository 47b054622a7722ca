const dayMs = 86_400_000

/** Returns a time a number of days (possibly fractional) before another, in ISO 8601 UTC. */
export function daysBefore(now: Date, days: number): string {
  return new Date(now.getTime() - days * dayMs).toISOString()
}

/** Returns a calendar day a number of days after a time (negative: before): YYYY-MM-DD, UTC. */
export function dayFrom(now: Date, days: number): string {
  return daysBefore(now, -days).slice(0, 10)
}

/** Returns a time in working hours. A weekend is moved back to Friday, and a time after `now` to the day before. */
export function workingMoment(now: Date, daysAgo: number, minuteOfShift: number): string {
  const day = new Date(now.getTime() - Math.floor(daysAgo) * dayMs)
  day.setUTCHours(6, minuteOfShift, (minuteOfShift * 37) % 60, 0)
  if (day.getTime() >= now.getTime()) day.setUTCDate(day.getUTCDate() - 1)
  const weekend = { 0: 2, 6: 1 }[day.getUTCDay()] ?? 0
  day.setUTCDate(day.getUTCDate() - weekend)
  return day.toISOString()
}
