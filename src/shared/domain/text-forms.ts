/** Letters that Unicode does not decompose into a base letter and an accent. */
const letters: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', ł: 'l', æ: 'ae', œ: 'oe', đ: 'd' }

/** Matches more than 32 combining marks in a row. No letter of any language has as many. */
const longMarks = /(\p{M}{32})\p{M}+/gu

/**
 * Limits each run of combining marks to 32. The time of `normalize` is quadratic in the length of a run: minutes for a
 * megabyte of marks.
 */
export function withFewMarks(text: string): string {
  return text.replaceAll(longMarks, '$1')
}

/** Returns the form in which names are searched: no accents, lower case. `Łódź Müller` -> `lodz muller`. */
export function foldText(text: string): string {
  return withFewMarks(text)
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ßøłæœđ]/g, (letter) => letters[letter] ?? letter)
}

/**
 * Removes the given signs from the end of a text in linear time. A pattern such as `/-+$/` takes quadratic time for a
 * text of many dashes.
 */
export function trimEndOf(text: string, signs: string): string {
  let end = text.length
  while (end > 0 && signs.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** Removes the given signs from both ends of a text, in linear time like `trimEndOf`. */
export function trimSigns(text: string, signs: string): string {
  const ended = trimEndOf(text, signs)
  let start = 0
  while (start < ended.length && signs.includes(ended.charAt(start))) start++
  return ended.slice(start)
}
