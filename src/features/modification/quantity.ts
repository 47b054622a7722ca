const largest = 99_999

/** A whole number of pieces as typed, with either minus sign; null for anything else, a barcode above all. */
export function parseQuantity(text: string): number | null {
  const typed = text.trim().replace('−', '-')
  if (!/^[+-]?\d{1,5}$/.test(typed)) return null
  const quantity = Number(typed)
  return Math.abs(quantity) > largest ? null : quantity
}
