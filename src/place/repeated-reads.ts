/**
 * Time in milliseconds. A command that is scanned again within this time counts as a second reading of the same barcode
 * by the scanner, because no operator reads the screen so fast.
 */
export const repeatedReadMs = 800

/** What does the primary action: the barcode PRIMARY, or the key Enter. */
export type PrimaryInput = 'PRIMARY' | 'ENTER'

/**
 * Finds the second of two readings of PRIMARY, or of two presses of Enter. After the first one the large button may do
 * another act, which the operator has not read yet, for example make a booking or request a label.
 */
export class RepeatedReads {
  #last: { readonly input: PrimaryInput; readonly atMs: number } | null = null

  /**
   * Records an input and returns whether it only repeats the input before. `input` is null for any other scan: PRIMARY
   * after another scan never repeats an earlier PRIMARY. `atMs`: when the input arrived, by a clock that is never set.
   */
  heard(input: PrimaryInput | null, atMs: number): boolean {
    if (input !== null && this.#last?.input === input && atMs - this.#last.atMs < repeatedReadMs) return true
    this.#last = input && { input, atMs }
    return false
  }
}
