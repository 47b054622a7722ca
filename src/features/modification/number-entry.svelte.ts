/** The longest number of pieces that a line takes. */
const mostDigits = 5

/** A number of pieces being put together by scanning digits, for the line of one article. */
interface Pending {
  readonly variantId: string
  readonly digits: string
}

/** Digits scanned one after another. Only command barcodes get here: no code of an article ever becomes a number. */
export class NumberEntry {
  #pending = $state.raw<Pending | null>(null)

  get pending(): Pending | null {
    return this.#pending
  }

  /** One more digit; answers whether it has room. Another article begins anew. */
  add(digit: number, variantId: string): boolean {
    const before = this.#pending?.variantId === variantId ? this.#pending.digits : ''
    if (before.length === mostDigits) return false
    this.#pending = { variantId, digits: before + String(digit) }
    return true
  }

  /** Ends it; answers with what was there. */
  take(): Pending | null {
    const pending = this.#pending
    this.#pending = null
    return pending
  }
}

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
