/**
 * Time in milliseconds. A command that is scanned again within this time counts as a second reading of the same barcode
 * by the scanner, because no operator reads the screen so fast.
 */
export const repeatedReadMs = 800

/** The input that does the primary action: the barcode PRIMARY, or the key Enter. */
export type PrimaryInput = 'PRIMARY' | 'ENTER'

/**
 * The rule against a second act that the operator has not read. PRIMARY or Enter only repeats the last act if that act
 * was of the same kind, if less than 0.8 s have passed since that act or since a later change of the primary act, and
 * if no other barcode was scanned since that act.
 *
 * DeskWindow and LabelDesk apply the rule, each with its own object. DeskWindow applies the rule when an input arrives,
 * in every place. Its kinds are PRIMARY and Enter. It finds a second reading of a barcode and a second press of Enter.
 * LabelDesk applies the rule when the primary act of a card is about to run. Its kind is the number (turn) of the scan
 * or act that opened the card. It finds an input, also a click, that was meant for the previous primary act. An event,
 * a failure or a label that was read late may have replaced that act; only LabelDesk records such changes. With a
 * single object for DeskWindow and LabelDesk, an input that was accepted when it arrived would count as a repetition of
 * itself when it runs.
 */
export class LastAct<Kind extends string | number> {
  #last: { readonly kind: Kind; readonly sinceMs: number } | null = null

  /** All times are in milliseconds of a monotonic clock. */
  isRepeated(kind: Kind, atMs: number): boolean {
    return this.#last?.kind === kind && atMs - this.#last.sinceMs < repeatedReadMs
  }

  /**
   * Records an act. The time in which PRIMARY or Enter only repeats the act begins at `sinceMs`. Without `sinceMs`, it
   * begins only when `changed` is called, because a question that the act asks may be answered at once.
   */
  acted(kind: Kind, sinceMs = Number.NEGATIVE_INFINITY): void {
    this.#last = { kind, sinceMs }
  }

  /**
   * Called when the primary act changes. The time in which PRIMARY or Enter only repeats the last act then begins
   * again.
   */
  changed(atMs: number): void {
    if (this.#last !== null) this.acted(this.#last.kind, atMs)
  }

  /** Called when another barcode is scanned. A later PRIMARY never repeats an act from before that scan. */
  end(): void {
    this.#last = null
  }
}
