/** The selected row of a list, by its key. Keys and the command NEXT move it. */
export class ListCursor {
  #key = $state<string | null>(null)
  #steps = $state(0)
  /** Number of NEXT commands that arrived while the rows were being read. */
  #owed = 0

  /** Key of the selected row; null if none is selected. */
  get key(): string | null {
    return this.#key
  }

  /**
   * Number of times that NEXT moved the selection. After each NEXT the selected row must get the focus, also when the
   * same row stays selected.
   */
  get steps(): number {
    return this.#steps
  }

  point(key: string): void {
    this.#key = key
  }

  /** Selects no row, because the rows are about to be read again. */
  clear(): void {
    this.#key = null
  }

  /** Selects the first row, if there is one. */
  start(keys: readonly string[]): void {
    this.#key = keys[0] ?? null
  }

  /**
   * Selects the next row; after the last row, the first. Returns false if there is no row to select. `keys` is null
   * while the rows are being read; in this case `renew` selects the row after the read.
   */
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

  /**
   * Selects the row above or below, for an arrow key. The first row stays selected at Arrow Up, and the last row at
   * Arrow Down.
   */
  move(by: 1 | -1, keys: readonly string[]): void {
    const at = this.#key === null ? 0 : Math.max(0, keys.indexOf(this.#key))
    this.#key = keys[Math.max(0, Math.min(at + by, keys.length - 1))] ?? null
  }

  /**
   * Handles rows that were read again. NEXT commands that arrived during the read are applied now, from the first row
   * on. Without such commands, a row that the operator selected meanwhile stays selected if it is still listed;
   * otherwise no row is selected.
   */
  renew(keys: readonly string[]): void {
    const owed = this.#owed
    this.#owed = 0
    if (owed > 0 || !keys.some((key) => key === this.#key)) this.#key = null
    for (let i = 0; i < owed; i++) this.next(keys)
  }

  /**
   * Handles added and removed rows. If the selected row was removed, the row that is now at its position is selected.
   */
  follow(before: readonly string[], now: readonly string[]): void {
    if (this.#key === null || now.includes(this.#key)) return
    const at = Math.max(before.indexOf(this.#key), 0)
    this.#key = now[Math.min(at, now.length - 1)] ?? null
  }
}
