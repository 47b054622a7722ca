/**
 * Time in milliseconds. A command that is scanned again within this time counts as a second reading of the same barcode
 * by the scanner, because no operator reads the screen so fast.
 */
export const repeatedReadMs = 800

/** What does the primary action: the barcode PRIMARY, or the key Enter. */
export type PrimaryInput = 'PRIMARY' | 'ENTER'

/**
 * The rule against a second act that the operator has not read. PRIMARY or Enter only repeats the last act if that act
 * was of the same kind, if less than 0.8 s have passed since that act or since a later change of the primary act, and
 * if no other barcode was scanned since that act.
 *
 * The rule is applied twice, each time with its own object. DeskWindow applies it when an input arrives, in every
 * place; the kind is PRIMARY or Enter. This finds a second reading of a barcode and a second press of Enter. LabelDesk
 * applies it when the primary act of a card is about to run; the kind is the turn of the card. This finds an input,
 * also a click, that meant the primary act before, which an event, a failure or a label that was read late has
 * replaced; only LabelDesk records such changes. With one object for both, an input that was accepted when it arrived
 * would count as a repetition of itself when it runs.
 */
export class LastAct<Kind extends string | number> {
  #last: { readonly kind: Kind; readonly sinceMs: number } | null = null

  /** All times are in milliseconds of a clock that is never set. */
  isRepeated(kind: Kind, atMs: number): boolean {
    return this.#last?.kind === kind && atMs - this.#last.sinceMs < repeatedReadMs
  }

  /**
   * Records an act. Without `sinceMs`, the time begins only when `changed` is called, because the question that an act
   * asks may be answered at once.
   */
  acted(kind: Kind, sinceMs = Number.NEGATIVE_INFINITY): void {
    this.#last = { kind, sinceMs }
  }

  /** Called when the primary act changes. The time then begins again. */
  changed(atMs: number): void {
    if (this.#last !== null) this.acted(this.#last.kind, atMs)
  }

  /** Called when another barcode is scanned. PRIMARY after that scan never repeats an act before it. */
  end(): void {
    this.#last = null
  }
}
