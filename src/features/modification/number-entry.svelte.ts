/** Maximum number of digits in the number of pieces of a line. */
const mostDigits = 5

/** A number of pieces that is being scanned digit by digit, for the line of one article. */
interface Pending {
  readonly variantId: string
  readonly digits: string
}

/** Collects scanned digits. Only command barcodes are passed here, so an article code never becomes a number. */
export class NumberEntry {
  #pending = $state.raw<Pending | null>(null)

  get pending(): Pending | null {
    return this.#pending
  }

  /**
   * Adds a digit. Returns false if the number already has the maximum number of digits. A digit for another article
   * begins a new number.
   */
  add(digit: number, variantId: string): boolean {
    const before = this.#pending?.variantId === variantId ? this.#pending.digits : ''
    if (before.length === mostDigits) return false
    this.#pending = { variantId, digits: before + String(digit) }
    return true
  }

  /** Removes the digits that were scanned so far and returns them; null if there were none. */
  take(): Pending | null {
    const pending = this.#pending
    this.#pending = null
    return pending
  }
}

const largest = 99_999

/**
 * Parses a typed whole number of pieces of at most five digits, optionally after a plus sign, a hyphen or a minus sign.
 * Returns null for any other text, so that a barcode is not taken as a number. A text with leading zeros is taken as a
 * code, because operators do not type leading zeros.
 */
export function parseQuantity(text: string): number | null {
  const typed = text.trim().replace('−', '-')
  if (!/^[+-]?(0|[1-9]\d{0,4})$/.test(typed)) return null
  const quantity = Number(typed)
  return Math.abs(quantity) > largest ? null : quantity
}
