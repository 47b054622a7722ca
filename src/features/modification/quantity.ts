const largest = 99_999

/**
 * A whole number of pieces as typed, with either minus sign; null for anything else, a barcode above all. Nobody types
 * zeros before a number of pieces: a number that begins with one is a code, however short.
 */
export function parseQuantity(text: string): number | null {
  const typed = text.trim().replace('−', '-')
  if (!/^[+-]?(0|[1-9]\d{0,4})$/.test(typed)) return null
  const quantity = Number(typed)
  return Math.abs(quantity) > largest ? null : quantity
}
