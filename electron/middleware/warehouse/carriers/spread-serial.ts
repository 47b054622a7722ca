/** Letters and digits that people do not mistake for one another. */
const readable = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/**
 * Serials in an order that looks like a busy carrier's, a one-to-one mapping: neighbours lie far apart and none
 * meets another (the multiplier shares no factor with ten).
 */
export function spreadDigits(serial: number, digits: number): string {
  const modulus = 10n ** BigInt(digits)
  return (((BigInt(serial) * 7_654_321n + 39_916_801n) % modulus) + modulus).toString().slice(-digits)
}

/** The same in 32 readable characters (the multiplier is odd, so that it is one-to-one modulo a power of two). */
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

/** Text in groups from the left: `('123456', [4, 2])` -> `1234 56`. What is left over makes the last group. */
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
