/** Letters that Unicode does not take apart into a base letter and an accent. */
const letters: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', ł: 'l', æ: 'ae', œ: 'oe', đ: 'd' }

/** No letter of any language bears as many marks. */
const longMarks = /(\p{M}{32})\p{M}+/gu

/**
 * A text whose runs of combining marks have 32 of them at most. `normalize` puts a run in order in a time that grows with
 * its square: minutes for a megabyte of marks.
 */
export function withFewMarks(text: string): string {
  return text.replaceAll(longMarks, '$1')
}

/** The form in which names are searched: no accents, lower case. `Łódź Müller` -> `lodz muller`. */
export function foldText(text: string): string {
  return withFewMarks(text)
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ßøłæœđ]/g, (letter) => letters[letter] ?? letter)
}

/**
 * A text without these signs at its end. Looks at each sign once: a pattern such as `/-+$/` looks at a text of many dashes
 * once for each of them.
 */
export function trimEndOf(text: string, signs: string): string {
  let end = text.length
  while (end > 0 && signs.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** A text without these signs at either end. Looks at each sign once, as `trimEndOf` does. */
export function trimSigns(text: string, signs: string): string {
  const ended = trimEndOf(text, signs)
  let start = 0
  while (start < ended.length && signs.includes(ended.charAt(start))) start++
  return ended.slice(start)
}
