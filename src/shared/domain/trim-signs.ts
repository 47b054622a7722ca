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
