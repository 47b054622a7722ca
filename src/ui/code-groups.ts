/**
 * A code in groups for the eye: leading letters, then fours (`SHP 0000 0000 412`). Joined they are the code, so
 * that what is copied has no spaces in it. A postal item (UPU S10) ends in its country: `RP 0115 1369 0 NL`. Short
 * codes and codes with their own separators stay whole.
 */
export function codeGroups(code: string): string[] {
  if (code.length <= 6 || !/^[A-Za-z0-9]+$/.test(code)) return [code]
  const item = /^([A-Za-z]{2})(\d{4})(\d{4})(\d)([A-Za-z]{2})$/.exec(code)
  if (item) return item.slice(1)
  const letters = /^[A-Za-z]{2,4}(?=\d{6,}$)/.exec(code)?.[0] ?? ''
  const rest = code.slice(letters.length)
  const fours = rest.match(/.{1,4}/g) ?? []
  return letters ? [letters, ...fours] : fours
}

/** Longer than any code that somebody compares by eye, such as the text of a whole matrix code. */
const longestShown = 120
const shownStart = 60

/** What of a code is shown: all of it with `length` null, or of a very long one its start and how long it is. */
export function shownCode(code: string): { readonly start: string; readonly length: number | null } {
  if (code.length <= longestShown) return { start: code, length: null }
  return { start: code.slice(0, shownStart), length: code.length }
}

/** Whether a scan holds nothing but blanks. */
export function isBlankCode(code: string): boolean {
  return code !== '' && code.trim() === ''
}
