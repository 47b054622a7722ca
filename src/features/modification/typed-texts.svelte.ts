import { SvelteMap } from 'svelte/reactivity'

/**
 * A scanner can type the first characters of a barcode into a field. The window removes them when the scan ends. A text
 * that changed within this time, in milliseconds, may contain such characters.
 */
const scanMs = 400
/**
 * A scan that began before the saved text of a field changed may restore the previous text. If this happens within this
 * time after the change, in milliseconds, the field counts as unchanged.
 */
const restoreMs = 2_000

interface Typing {
  readonly text: string
  /** Time of the last change of the text. */
  readonly atMs: number
  /**
   * The typed text from before the changes within the last `scanMs`; null if nothing had been typed before these
   * changes.
   */
  readonly before: string | null
}

/** The text of the field with this key. */
interface TypedText {
  readonly key: string
  readonly text: string
}

/** A typed text that is not saved and prevents the booking. */
export interface WaitingText {
  readonly field: 'quantity' | 'location'
  readonly text: string
}

/**
 * The texts that the operator typed into the fields of a booking and that are not saved yet. They are kept here and not
 * in the fields, because a scanned command does not take the focus from a field, and because a field is removed when
 * the operator leaves the booking.
 */
export class TypedTexts {
  readonly #typed = new SvelteMap<string, Typing>()
  /**
   * For each field whose saved text changed in the last `restoreMs`: the saved text before the last change, and the
   * time of that change.
   */
  #earlier: readonly (TypedText & { readonly atMs: number })[] = []

  /** Returns the text to show in a field; null if the field shows its saved text. */
  of(key: string): string | null {
    return this.#typed.get(key)?.text ?? null
  }

  /** The texts of all fields, in the order of their typing. */
  get all(): readonly TypedText[] {
    return [...this.#typed].map(([key, { text }]) => ({ key, text }))
  }

  /** Returns the text of a field without characters of a scan that may be under way; null if nothing was typed. */
  settledOf(key: string): string | null {
    const typing = this.#typed.get(key)
    if (!typing) return null
    return performance.now() - typing.atMs < scanMs ? typing.before : typing.text
  }

  /**
   * Waits until the text of a field can contain no characters of a scan that is under way: they were removed, or the
   * text has not changed for `scanMs`. Returns the text; null if nothing is typed then.
   */
  async settled(key: string): Promise<string | null> {
    for (;;) {
      const typing = this.#typed.get(key)
      const restMs = typing ? typing.atMs + scanMs - performance.now() : 0
      if (restMs <= 0) return typing?.text ?? null
      await new Promise((resolve) => setTimeout(resolve, Math.ceil(restMs)))
    }
  }

  /**
   * Takes the changed text of a field. `saved` is the saved text of this field. If the field shows its saved text
   * again, the text of a scan was removed from it, and the field counts as unchanged.
   */
  type(key: string, text: string, saved: string): void {
    const before = this.settledOf(key)
    if (text === saved || this.#isEarlier(key, text)) this.forget(key)
    else if (text === before) this.#typed.set(key, { text, atMs: Number.NEGATIVE_INFINITY, before })
    else this.#typed.set(key, { text, atMs: performance.now(), before })
  }

  /** Called when the saved text of a field changed. `text` is the saved text before this change. */
  changed(key: string, text: string): void {
    const atMs = performance.now()
    const others = this.#earlier.filter((earlier) => earlier.key !== key && atMs - earlier.atMs < restoreMs)
    this.#earlier = [...others, { key, text, atMs }]
  }

  /**
   * Called when a key was pressed that no scanner types. No text then contains characters of a scan, so every text
   * counts as typed by the operator.
   */
  settle(): void {
    for (const { key, text } of this.all)
      this.#typed.set(key, { text, atMs: Number.NEGATIVE_INFINITY, before: text })
  }

  /**
   * Called when a field is removed. Forgets the characters of a scan in its text, because the window can no longer
   * remove them from the field.
   */
  removed(key: string): void {
    const text = this.settledOf(key)
    if (text === null) this.forget(key)
    else this.#typed.set(key, { text, atMs: Number.NEGATIVE_INFINITY, before: text })
  }

  /** Forgets the text of a field. With `text`, only if this is still the text of the field. */
  forget(key: string, text = this.of(key)): void {
    if (text === null || this.of(key) !== text) return
    this.#typed.delete(key)
  }

  /** Forgets the texts of all fields except the fields with these keys. */
  keepOnly(keys: readonly string[]): void {
    for (const { key } of this.all) if (!keys.includes(key)) this.#typed.delete(key)
  }

  /** Forgets all texts. Returns whether there were any. */
  clear(): boolean {
    const hadText = this.#typed.size > 0
    this.#typed.clear()
    return hadText
  }

  #isEarlier(key: string, text: string): boolean {
    const earlier = this.#earlier.find((one) => one.key === key)
    return earlier?.text === text && performance.now() - earlier.atMs < restoreMs
  }
}
