/** Longest name and longest code of a record that is stored with a question, in characters. */
export const longestName = 200
export const longestCode = 255

export function shortened(text: string | null): string | null {
  return text && text.slice(0, longestCode)
}
