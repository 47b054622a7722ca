/** The 82 characters of GS1 (General Specifications, fig. 7.11-1), in the order of their values. */
const values = '!"%&\'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'
/** The 32 characters of check pairs. */
const pairs = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
/** Weights from the right: the primes from 2 on. */
const primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83]
const modulus = 1021

/** Whether the last two characters check those before them (General Specifications, 7.9.5: GMN and the like). */
export function hasValidCheckPair(text: string): boolean {
  const body = text.slice(0, -2)
  if (body === '' || body.length > primes.length) return false
  let sum = 0
  for (const [at, sign] of Array.from(body).reverse().entries()) {
    const value = values.indexOf(sign)
    if (value < 0) return false
    sum += value * (primes[at] ?? 0)
  }
  const rest = sum % modulus
  return text.slice(-2) === `${pairs[rest >> 5] ?? ''}${pairs[rest & 31] ?? ''}`
}
