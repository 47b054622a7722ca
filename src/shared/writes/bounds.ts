/** Maximum lengths, in characters, of the names and codes in a record that is stored with a question to the operator. */
export const longestName = 200
export const longestCode = 255

export function shortened(text: string | null): string | null {
  return text && text.slice(0, longestCode)
}
