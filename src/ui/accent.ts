/** Number of accent colours in tokens.css. */
export const accentCount = 8

/**
 * Returns the number of the accent colour for a customer. The number is always the same for the same customer code
 * (FNV-1a hash).
 */
export function accentOf(customerCode: string): number {
  let hash = 0x811c9dc5
  for (const character of customerCode.toUpperCase()) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  }
  return hash % accentCount
}
