/** Which row of a list is selected, by its key: the one that keys or the command NEXT went to last. */
export class ListCursor {
  #key = $state<string | null>(null)
  #steps = $state(0)
  /** How often NEXT came while the rows were being read. */
  #owed = 0

  /** Null: none is. */
  get key(): string | null {
    return this.#key
  }

  /** How many steps it has made: each wants its row to have the focus, also where that is the row of before. */
  get steps(): number {
    return this.#steps
  }

  point(key: string): void {
    this.#key = key
  }

  /** No row is selected: the rows are being read anew. */
  clear(): void {
    this.#key = null
  }

  /** Selects the first row, if there is one. */
  start(keys: readonly string[]): void {
    this.#key = keys[0] ?? null
  }

  /** The row after the selected one; after the last comes the first. `keys` null: still being read. Returns whether there is one. */
  next(keys: readonly string[] | null): boolean {
    if (keys === null) this.#owed += 1
    else {
      const at = this.#key === null ? -1 : keys.indexOf(this.#key)
      const next = keys[at + 1] ?? keys[0]
      if (next === undefined) return false
      this.#key = next
      this.#steps += 1
    }
    return true
  }

  /** The row above or below the selected one, as an arrow key goes: the first and the last row are the ends. */
  move(by: 1 | -1, keys: readonly string[]): void {
    const at = this.#key === null ? 0 : Math.max(0, keys.indexOf(this.#key))
    this.#key = keys[Math.max(0, Math.min(at + by, keys.length - 1))] ?? null
  }

  /** The rows are here: none is selected, unless a hand went to one, or NEXT asked for one, meanwhile. */
  renew(keys: readonly string[]): void {
    const owed = this.#owed
    this.#owed = 0
    if (owed > 0 || !keys.some((key) => key === this.#key)) this.#key = null
    for (let i = 0; i < owed; i++) this.next(keys)
  }

  /** The rows changed by themselves: where the selected one left, the row that stands in its place now is selected. */
  follow(before: readonly string[], now: readonly string[]): void {
    if (this.#key === null || now.includes(this.#key)) return
    const at = Math.max(before.indexOf(this.#key), 0)
    this.#key = now[Math.min(at, now.length - 1)] ?? null
  }
}
