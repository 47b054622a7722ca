/** Letters and digits that people rarely confuse. */
const readable = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/**
 * Returns the digits of a serial, spread so that consecutive parcels do not have consecutive codes. The mapping is
 * one-to-one, because the multiplier has no common factor with ten.
 */
export function spreadDigits(serial: number, digits: number): string {
  const modulus = 10n ** BigInt(digits)
  return (((BigInt(serial) * 7_654_321n + 39_916_801n) % modulus) + modulus).toString().slice(-digits)
}

/**
 * Returns the characters of a serial, from a set of 32 readable ones, spread so that consecutive parcels do not have
 * consecutive codes. The mapping is one-to-one, because the multiplier is odd.
 */
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

/** Splits text into groups from the left: `('123456', [4, 2])` -> `1234 56`. The rest of the text is the last group. */
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
 * Returns the check digit of a postal item: weights 8 6 4 2 3 5 9 7 over eight digits, modulo 11; 10 becomes 0 and 11
 * becomes 5.
 */
export function postalCheckDigit(eightDigits: string): number {
  const weights = [8, 6, 4, 2, 3, 5, 9, 7]
  const sum = weights.reduce((total, weight, index) => total + weight * Number(eightDigits[index]), 0)
  const digit = 11 - (sum % 11)
  if (digit === 10) return 0
  return digit === 11 ? 5 : digit
}

/** Returns the check digit of an air waybill: the preceding number modulo 7. */
export function moduloSeven(digits: string): number {
  return Number(BigInt(digits) % 7n)
}

const alphanumeric = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/**
 * Returns the check character of ISO/IEC 7064 MOD 37,36 for upper-case letters and digits. It detects every single
 * error.
 */
export function mod3736CheckCharacter(text: string): string {
  let product = 36
  for (const character of text) {
    const sum = (product + alphanumeric.indexOf(character)) % 36 || 36
    product = (sum * 2) % 37
  }
  return alphanumeric.charAt((37 - product) % 36)
}
