/** Maximum lengths of the names and codes of a record that is stored with a question of the queue, in characters. */
export const longestName = 200
export const longestCode = 255

export function shortened(text: string | null): string | null {
  return text && text.slice(0, longestCode)
}
