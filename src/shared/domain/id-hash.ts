/**
 * Returns a 64-bit hash of an id as 16 lowercase hexadecimal digits. The hash saves memory where many ids are kept only
 * for comparisons. The probability that two ids have the same hash is 2^-64. Not for secrets: it is easy to find a text
 * with a given hash.
 */
export function idHash(id: string): string {
  let high = 0x9e3779b9 ^ id.length
  let low = 0x243f6a88 ^ id.length
  for (let index = 0; index < id.length; index++) {
    const unit = id.charCodeAt(index)
    // each step is reversible. Therefore, if two ids of the same length differ in exactly one character, their hashes
    // differ in both halves
    high = Math.imul(high ^ unit, 0x9e3779b1)
    high ^= high >>> 15
    low = Math.imul(low ^ unit, 0x85ebca77)
    low ^= low >>> 13
  }
  return digits(high) + digits(low)
}

function digits(half: number): string {
  let mixed = Math.imul(half ^ (half >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return ((mixed ^ (mixed >>> 16)) >>> 0).toString(16).padStart(8, '0')
}
