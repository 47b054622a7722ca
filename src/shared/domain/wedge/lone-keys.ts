import { maxGapMs } from './stroke.ts'

/**
 * Time in milliseconds. If another key arrives within this time before or after an Enter or a space, the key counts as
 * part of a barcode and presses no button. In a field, a key before the Enter counts only if a key of the same burst
 * was stopped, moved the focus, or also acts on the field.
 */
export const loneMs = 60

/**
 * An operator holds a key at least this long, in milliseconds; a scanner releases its keys sooner. Windows measures the
 * time of a key in steps of up to 16 ms.
 */
export const heldMs = 40

/** A key that is no modifier and that `WedgeDecoder` lets through. */
export interface PassedKey {
  readonly key: string
  readonly repeat: boolean
  /**
   * Whether the key acts on the element that has the focus: it presses a control, submits the form of a field, or opens
   * a list.
   */
  readonly presses: boolean
  /** Whether a text field or a list has the focus. */
  readonly inField: boolean
}

/**
 * Stops the keys of a barcode that would press a button or submit a form. A barcode may consist of tabs, which a
 * scanner types as the Tab key and which move the focus to a button, and of a space or a carriage return, which press
 * the button. `WedgeDecoder` lets these keys through, because they are no text. An operator presses such a key alone.
 * The first Tab of a barcode moves the focus, because Tab must take effect at once; `takeFocus` then returns the focus
 * before this Tab. `Focus` identifies an element.
 */
export class LoneKeys<Focus> {
  #lastMs = Number.NEGATIVE_INFINITY
  #isLone = true
  /**
   * Whether a key event of the current burst was stopped, so that it had no effect. After that, gaps of up to
   * `maxGapMs` between keys do not end the burst.
   */
  #hasStopped = false
  /**
   * Whether a Tab of the current burst moved the focus. `#before`: the focus before this Tab, until `takeFocus` has
   * returned it.
   */
  #hasMoved = false
  #before: { readonly focus: Focus } | null = null
  /** Whether `decide` returned `wait` for a key of the current burst. */
  #hasWaited = false
  #modifierMs = Number.NEGATIVE_INFINITY

  /** Records the time of a key that is no modifier. Call this function for each such key, before any other function. */
  heard(timeStampMs: number): void {
    this.#isLone = !this.#continues(timeStampMs)
    if (this.#isLone) this.#beginBurst()
    this.#lastMs = timeStampMs
  }

  /**
   * Records the press or the release of a modifier. Call this function once for a held modifier. If other keys came
   * shortly before, the modifier extends their burst, because scanners send some characters as modifiers alone. A press
   * begins no new burst, because an operator presses Shift directly before Tab. A press and a release within `loneMs`
   * begin a burst. Returns whether the modifier belongs to a burst.
   */
  modifier(timeStampMs: number, isPress: boolean): boolean {
    const isTap = !isPress && timeStampMs - this.#modifierMs <= loneMs
    if (isPress) this.#modifierMs = timeStampMs
    const continues = this.#continues(timeStampMs)
    if (!continues && !isTap) return false
    if (!continues) this.#beginBurst()
    this.#lastMs = timeStampMs
    return true
  }

  #continues(timeStampMs: number): boolean {
    return timeStampMs - this.#lastMs <= (this.#hasStopped ? maxGapMs : loneMs)
  }

  #beginBurst(): void {
    this.#hasStopped = false
    this.#hasMoved = false
    this.#before = null
    this.#hasWaited = false
  }

  /**
   * Returns what to do with the key that was heard last. `wait`: stop its event, and press the control if no other key
   * arrives within `loneMs`. `stop`: stop its event, and restore the focus that `takeFocus` returns.
   * @param focus - the element that has the focus before the key takes effect
   */
  decide({ key, repeat, presses, inField }: PassedKey, focus: Focus): 'pass' | 'stop' | 'wait' {
    // a held key is from an operator, because no scanner holds a key; it presses a control only once
    if (repeat) return presses ? 'stop' : 'pass'
    // an Enter in a field may end a typed text: an operator who types fast may press Enter less than `loneMs` after a
    // character, so such an Enter is handled as if it was pressed alone
    const endsText = inField && !this.#hasStopped && !this.#hasMoved && !this.#hasWaited
    if (presses && (this.#isLone || endsText)) {
      this.#hasWaited = true
      return 'wait'
    }
    // passes a Tab in a field, because an operator who types fast may leave the field less than `loneMs` after a
    // character
    if (key === 'Tab' && (this.#isLone || (inField && !this.#hasMoved))) {
      this.#hasMoved = true
      this.#before = { focus }
      return 'pass'
    }
    if (!presses && key !== 'Tab' && !(key === 'Enter' && this.#hasMoved)) return 'pass'
    this.#hasStopped = true
    return 'stop'
  }

  /**
   * Returns the focus before the Tab keys of the current burst, once; null if no Tab moved the focus since the last
   * call. Call this function for each key that is stopped, and after each scan.
   */
  takeFocus(): { readonly focus: Focus } | null {
    const before = this.#before
    this.#before = null
    return before
  }
}
