/**
 * Check digit of an item identifier in the style of the world's posts: weights 8 6 4 2 3 5 9 7 over eight digits,
 * modulo 11; 10 becomes 0 and 11 becomes 5.
 */
export function postalCheckDigit(eightDigits: string): number {
  const weights = [8, 6, 4, 2, 3, 5, 9, 7]
  const sum = weights.reduce((total, weight, index) => total + weight * Number(eightDigits[index]), 0)
  const digit = 11 - (sum % 11)
  if (digit === 10) return 0
  return digit === 11 ? 5 : digit
}

/** Check digit of an air waybill: the number before it, modulo 7. */
export function moduloSeven(digits: string): number {
  return Number(BigInt(digits) % 7n)
}

const alphanumeric = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** ISO/IEC 7064 MOD 37,36: one check character for upper-case letters and digits; finds every single error. */
export function mod3736CheckCharacter(text: string): string {
  let product = 36
  for (const character of text) {
    const sum = (product + alphanumeric.indexOf(character)) % 36 || 36
    product = (sum * 2) % 37
  }
  return alphanumeric.charAt((37 - product) % 36)
}
