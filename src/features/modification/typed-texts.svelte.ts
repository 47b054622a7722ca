/**
 * A scanner can type the first characters of a barcode into a field. The window removes them when the scan ends. A text
 * that changed within this time, in milliseconds, may contain such characters.
 */
const scanMs = 400
/** Time in milliseconds in which a scan that began before a change of the saved text can restore the earlier text. */
const restoreMs = 2_000

interface Typing {
  readonly text: string
  /** Time of the last change of the text. */
  readonly atMs: number
  /** The typed text before the changes within `scanMs`; null if nothing was typed then. */
  readonly before: string | null
}

/** The text of the field with this key. */
interface TypedText {
  readonly key: string
  readonly text: string
}

/**
 * The texts that the operator typed into the fields of a booking and that are not saved yet. They are kept here and not
 * in the fields, because a scanned command does not take the focus from a field, and because a field is removed when
 * the operator leaves the booking.
 */
export class TypedTexts {
  #typed = $state.raw<ReadonlyMap<string, Typing>>(new Map())
  /** The saved text that a field showed before its last change, with the time of this change. */
  #earlier: ReadonlyMap<string, { readonly text: string; readonly atMs: number }> = new Map()

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
   * Takes the changed text of a field. `saved` is the saved text of this field. If the field shows a saved text again,
   * a scan was typed into the field and removed, so nothing is typed.
   */
  type(key: string, text: string, saved: string): void {
    const before = this.settledOf(key)
    if (text === saved || this.#isEarlier(key, text)) this.forget(key)
    else if (text === before) this.#set(key, { text, atMs: Number.NEGATIVE_INFINITY, before })
    else this.#set(key, { text, atMs: performance.now(), before })
  }

  /** Called when the saved text of a field changed. `text` is the saved text before this change. */
  changed(key: string, text: string): void {
    const atMs = performance.now()
    const recent = [...this.#earlier].filter(([, earlier]) => atMs - earlier.atMs < restoreMs)
    this.#earlier = new Map([...recent, [key, { text, atMs }]])
  }

  /** Called when a key was pressed that no scanner types, so that no text contains characters of a scan. */
  settle(): void {
    const settled = this.all.map(
      ({ key, text }) => [key, { text, atMs: Number.NEGATIVE_INFINITY, before: text }] as const,
    )
    this.#typed = new Map(settled)
  }

  /** Called when a field is removed. Forgets characters of a scan, because the window can no longer remove them. */
  removed(key: string): void {
    const text = this.settledOf(key)
    if (text === null) this.forget(key)
    else this.#set(key, { text, atMs: Number.NEGATIVE_INFINITY, before: text })
  }

  /** Forgets the text of a field. With `text`, only if this is still the text of the field. */
  forget(key: string, text = this.of(key)): void {
    if (text === null || this.of(key) !== text) return
    this.#typed = new Map([...this.#typed].filter(([other]) => other !== key))
  }

  /** Forgets the texts of all fields except these. */
  keepOnly(keys: ReadonlySet<string>): void {
    const kept = [...this.#typed].filter(([key]) => keys.has(key))
    if (kept.length < this.#typed.size) this.#typed = new Map(kept)
  }

  /** Forgets all texts. Returns whether there were any. */
  clear(): boolean {
    const hadText = this.#typed.size > 0
    this.#typed = new Map()
    return hadText
  }

  #set(key: string, typing: Typing): void {
    this.#typed = new Map([...this.#typed, [key, typing]])
  }

  #isEarlier(key: string, text: string): boolean {
    const earlier = this.#earlier.get(key)
    return earlier?.text === text && performance.now() - earlier.atMs < restoreMs
  }
}
