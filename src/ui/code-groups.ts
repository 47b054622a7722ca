/**
 * Returns a code in groups for reading: the leading letters, then groups of four characters (`SHP 0000 0000 412`). The
 * spaces in this example only separate the groups; the groups themselves contain no spaces, so that copied text is the
 * code itself. The code of a postal item (UPU S10) ends with its country: `RP 0115 1369 0 NL`. Short codes and codes
 * that contain separators are one group.
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

/**
 * Longest code that is shown in full, in characters. This limit is longer than any code that an operator compares by
 * eye, but shorter than the text of a large matrix code.
 */
const longestShown = 120
const shownStart = 60

/**
 * Returns the part of a code to show. If `start` is the whole code, `length` is null; otherwise `length` is the number
 * of characters of the whole code.
 */
export function shownCode(code: string): { readonly start: string; readonly length: number | null } {
  if (code.length <= longestShown) return { start: code, length: null }
  return { start: code.slice(0, shownStart), length: code.length }
}

/** Whether a scan contains only blanks. */
export function isBlankCode(code: string): boolean {
  return code !== '' && code.trim() === ''
}
