/** Check characters of carriers' numbers. Each function takes the whole number, with its check character last. */

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/**
 * ISO 7064 MOD 37,36, the check character of a printed DPD number. `body` is the number without it: digits and
 * capitals.
 */
export function mod3736(body: string): string {
  let product = 36
  for (const sign of body) {
    const sum = (product + alphabet.indexOf(sign)) % 36 || 36
    product = (sum * 2) % 37
  }
  return alphabet.charAt((37 - product) % 36)
}

/**
 * Whether the check digit of a UPS number (`1Z…`) is right: weights 1 and 2 from the left; letters count as digits by
 * their place in the alphabet.
 */
export function holdsUps(number: string): boolean {
  let sum = 0
  for (let at = 2; at < 17; at++) {
    const sign = number.charAt(at)
    // A is 2, B is 3 and so on, from 0 again after 9
    const value = /\d/.test(sign) ? Number(sign) : (number.charCodeAt(at) - 63) % 10
    sum += at % 2 === 0 ? value : 2 * value
  }
  return (10 - (sum % 10)) % 10 === Number(number.charAt(17))
}

/** Whether a number satisfies UPU standard S10: eight digits and their check digit between two pairs of letters. */
export function holdsS10(number: string): boolean {
  const weights = [8, 6, 4, 2, 3, 5, 9, 7]
  const sum = weights.reduce((all, weight, at) => all + weight * Number(number.charAt(at + 2)), 0)
  const rest = 11 - (sum % 11)
  return (rest === 10 ? 0 : rest === 11 ? 5 : rest) === Number(number.charAt(10))
}

/**
 * Whether the check digit of a FedEx Express number (12 digits) is right: weights 1, 3, 7 from the right, modulo 11,
 * then 10.
 */
export function holdsFedExExpress(number: string): boolean {
  const weights = [1, 3, 7]
  let sum = 0
  for (let at = 0; at < number.length - 1; at++)
    sum += (weights[(number.length - 2 - at) % 3] ?? 0) * Number(number.charAt(at))
  return (sum % 11) % 10 === Number(number.at(-1))
}

/** Whether the last digit is the number before it modulo 7 (DHL Express waybills: 10 or 11 digits). */
export function holdsModulo7(number: string): boolean {
  return Number(number.slice(0, -1)) % 7 === Number(number.at(-1))
}

/**
 * Whether the check digit of an Identcode of Deutsche Post (12 digits) is right: weights 4 and 9 from the left, modulo
 * 10.
 */
export function holdsIdentcode(number: string): boolean {
  let sum = 0
  for (let at = 0; at < number.length - 1; at++) sum += (at % 2 === 0 ? 4 : 9) * Number(number.charAt(at))
  return (10 - (sum % 10)) % 10 === Number(number.at(-1))
}
