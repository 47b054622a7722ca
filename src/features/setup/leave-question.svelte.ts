/** Holds back a way out of something unsaved, until somebody says what becomes of it. */
export class LeaveQuestion {
  #go = $state.raw<(() => void) | null>(null)

  get isOpen(): boolean {
    return this.#go !== null
  }

  /** A later way takes the place of an earlier one. */
  ask(go: () => void): void {
    this.#go = go
  }

  /** Closes the question; answers with the way that was held back. */
  close(): () => void {
    const go = this.#go
    this.#go = null
    return go ?? ((): void => undefined)
  }
}
