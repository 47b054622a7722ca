/**
 * Returns the year that two digits mean. It is at most 49 years before and 50 years after the current year (GS1 General
 * Specifications, 7.12).
 */
export function fullYear(twoDigits: number, currentYear: number): number {
  const century = currentYear - (currentYear % 100)
  const ahead = twoDigits - (currentYear % 100)
  if (ahead >= 51) return century - 100 + twoDigits
  return ahead <= -50 ? century + 100 + twoDigits : century + twoDigits
}

/** Returns the number of days of the month `month` (1 to 12). Returns 0 if there is no such month. */
export function daysOf(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
}

/** Parses `YYMMDD` to `yyyy-mm-dd`; day 00 is the last day of the month. Null if there is no such day. */
export function dateOf(digits: string, currentYear: number): string | null {
  if (!/^\d{6}$/.test(digits)) return null
  const year = fullYear(Number(digits.slice(0, 2)), currentYear)
  const month = Number(digits.slice(2, 4))
  const last = daysOf(year, month)
  const day = Number(digits.slice(4, 6)) || last
  if (last === 0 || day > last) return null
  return `${String(year)}-${digits.slice(2, 4)}-${String(day).padStart(2, '0')}`
}
