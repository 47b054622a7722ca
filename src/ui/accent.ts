/** Number of accents in tokens.css. */
export const accentCount = 8

/** Returns one of the tested accents for a customer, always the same one (FNV-1a over the customer code). */
export function accentOf(customerCode: string): number {
  let hash = 0x811c9dc5
  for (const character of customerCode.toUpperCase()) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  }
  return hash % accentCount
}
