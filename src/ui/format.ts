import { m } from '#messages/messages.js'

/** Returns the language tag for dates and numbers. English uses the British forms: 24 hours, and the day first. */
function region(): string {
  return m.format_region()
}

/** Returns the time of day: `14:02`. */
export function formatTime(iso: string): string {
  return new Intl.DateTimeFormat(region(), { hour: '2-digit', minute: '2-digit' }).format(new Date(iso))
}

/** Returns a date: `12 Nov`, with the year if it is not the current one. */
export function formatDate(iso: string, nowMs: number): string {
  const date = new Date(iso)
  const otherYear = date.getFullYear() !== new Date(nowMs).getFullYear()
  return new Intl.DateTimeFormat(region(), {
    day: 'numeric',
    month: 'short',
    ...(otherYear ? { year: 'numeric' } : {}),
  }).format(date)
}

/** Returns a calendar day `YYYY-MM-DD` as `12 Nov 2026`. The day is the same in every time zone. */
export function formatDay(day: string): string {
  return new Intl.DateTimeFormat(region(), {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${day}T00:00:00Z`))
}

/** Returns the time of day of a moment today, or the date of any other moment. */
export function formatMoment(iso: string, nowMs: number): string {
  const sameDay = new Date(iso).toDateString() === new Date(nowMs).toDateString()
  return sameDay ? formatTime(iso) : formatDate(iso, nowMs)
}

/** Returns the time of a moment, with the date if it is not today: `14:02` or `12 Nov, 14:02`. */
export function formatDateTime(iso: string, nowMs: number): string {
  const moment = formatMoment(iso, nowMs)
  const time = formatTime(iso)
  return moment === time ? time : `${moment}, ${time}`
}

/**
 * Returns an age: `3 min ago`, or `just now` for less than a minute. A time that is ahead of this computer's clock
 * counts as now.
 */
export function formatAge(iso: string, nowMs: number): string {
  const seconds = Math.max(0, (nowMs - new Date(iso).getTime()) / 1000)
  const relative = new Intl.RelativeTimeFormat(region(), { style: 'short', numeric: 'always' })
  if (seconds < 60) return m.age_now()
  if (seconds < 3600) return relative.format(-Math.floor(seconds / 60), 'minute')
  if (seconds < 86_400) return relative.format(-Math.floor(seconds / 3600), 'hour')
  return relative.format(-Math.floor(seconds / 86_400), 'day')
}

/** Returns the distance to a day: `in 3 days`, `today` or `4 days ago`, counted in calendar days. */
export function formatDaysFromNow(days: number): string {
  return new Intl.RelativeTimeFormat(region(), { numeric: 'auto' }).format(days, 'day')
}

/** Returns a size: `412 kB` or `1.2 GB`, in powers of a thousand, as disks and most file managers count. */
export function formatBytes(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** step
  return new Intl.NumberFormat(region(), {
    style: 'unit',
    unit: units[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 && step > 0 ? 1 : 0,
  }).format(value)
}

export function formatNumber(value: number): string {
  return new Intl.NumberFormat(region()).format(value)
}

/** Returns a signed number: `+3`, `−2` or `0`. The minus sign is as wide as the plus sign. */
export function formatSigned(value: number): string {
  const digits = new Intl.NumberFormat(region()).format(Math.abs(value))
  if (value === 0) return digits
  return value < 0 ? `−${digits}` : `+${digits}`
}

/** Returns a list joined by "and": `the reason, the location and an article`. */
export function formatList(parts: readonly string[]): string {
  return new Intl.ListFormat(region(), { type: 'conjunction' }).format(parts)
}

/** Returns a list joined by "or": `Office or Label folder`. */
export function formatChoices(parts: readonly string[]): string {
  return new Intl.ListFormat(region(), { type: 'disjunction' }).format(parts)
}

/** Returns a duration in milliseconds: `84 ms`. */
export function formatMilliseconds(value: number): string {
  return new Intl.NumberFormat(region(), {
    style: 'unit',
    unit: 'millisecond',
    maximumFractionDigits: 0,
  }).format(value)
}

/** Returns a measured duration: `84 ms`, `1.4 s` from a second on, or `1 min 14 s` from a minute on. */
export function formatElapsed(ms: number): string {
  if (Math.round(ms) < 1_000) return formatMilliseconds(ms)
  const seconds = Math.round(ms / 1_000)
  if (seconds >= 60) return `${formatNumber(Math.floor(seconds / 60))} min ${String(seconds % 60)} s`
  return `${new Intl.NumberFormat(region(), { maximumFractionDigits: 1 }).format(ms / 1_000)} s`
}

/** Returns a duration: `40 sec`, or `3 min` for a minute or more. The smallest number is 1. */
export function formatDuration(seconds: number): string {
  const unit = seconds < 60 ? 'second' : 'minute'
  const value = Math.max(1, Math.round(unit === 'second' ? seconds : seconds / 60))
  return new Intl.NumberFormat(region(), { style: 'unit', unit, unitDisplay: 'short' }).format(value)
}

/**
 * Returns the name of a country code, for example `Netherlands` for `NL`. For an id of the service, returns a text
 * which says that the country is unknown. Any other text is returned unchanged.
 */
export function formatCountry(code: string): string {
  // a text with a digit counts as an id of the service: an id always contains a digit, a country name never does
  if (/\d/.test(code)) return m.country_unknown()
  if (!/^[A-Za-z]{2}$/.test(code)) return code
  return (
    new Intl.DisplayNames([region()], { type: 'region', fallback: 'code' }).of(code.toUpperCase()) ?? code
  )
}

/** Joins codes for support into one text. If the text wraps, no row begins with the dot between two codes. */
export function supportText(parts: readonly string[]): string {
  return parts.join('\u00a0· ')
}
