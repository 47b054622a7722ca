/** Letters and digits that people do not mistake for one another. */
const readable = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/**
 * Digits of a serial, spread so that consecutive parcels do not have consecutive codes. One-to-one, because the
 * multiplier has no factor in common with ten.
 */
export function spreadDigits(serial: number, digits: number): string {
  const modulus = 10n ** BigInt(digits)
  return (((BigInt(serial) * 7_654_321n + 39_916_801n) % modulus) + modulus).toString().slice(-digits)
}

/** The same with 32 readable characters; one-to-one, because the multiplier is odd. */
export function spreadReadable(serial: number, characters: number): string {
  const modulus = 32n ** BigInt(characters)
  let rest = (BigInt(serial) * 341_873_128_713n + 132_897_987_541n) % modulus
  let text = ''
  for (let i = 0; i < characters; i++) {
    text = readable.charAt(Number(rest % 32n)) + text
    rest /= 32n
  }
  return text
}

/** Text in groups from the left: `('123456', [4, 2])` -> `1234 56`. The rest of the text is the last group. */
export function grouped(text: string, sizes: readonly number[]): string {
  const groups: string[] = []
  let at = 0
  for (const size of sizes) {
    groups.push(text.slice(at, at + size))
    at += size
  }
  groups.push(text.slice(at))
  return groups.filter((group) => group !== '').join(' ')
}

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

/** ISO/IEC 7064 MOD 37,36: one check character for upper-case letters and digits; detects every single error. */
export function mod3736CheckCharacter(text: string): string {
  let product = 36
  for (const character of text) {
    const sum = (product + alphanumeric.indexOf(character)) % 36 || 36
    product = (sum * 2) % 37
  }
  return alphanumeric.charAt((37 - product) % 36)
}
