import type { Closing } from '#shared/bridge/views.ts'

interface ClosingParts {
  /**
   * Returns the work that is not sent; null if no desk is open. If this function throws, the window closes without a
   * question.
   */
  readonly unsent: () => Closing | null
  /** Notifies the window, which asks the operator whether to close. */
  readonly tell: (closing: Closing) => void
  /** Returns monotonic milliseconds. */
  readonly ticks: () => number
  readonly onFault: (error: unknown) => void
}

/**
 * Time in milliseconds after a refused attempt to close the window. A second attempt within this time closes the
 * window, because a window that cannot show the question must still close.
 */
const insistMs = 10_000

/**
 * Decides whether the window may close now. The operator is asked first in two cases: work is waiting, which would stay
 * unsent until the next start of the app, or input of the set-up is not saved. Waiting work is stored and never lost.
 * Therefore the window closes at once in four cases: the operator tries a second time, the window cannot show the
 * question, the system shuts down, or the process ends.
 */
export class ClosingGuard {
  readonly #parts: ClosingParts
  #isAllowed = false
  #canAsk = true
  #holdsUnsaved = false
  #askedTicks = Number.NEGATIVE_INFINITY

  constructor(parts: ClosingParts) {
    this.#parts = parts
  }

  /** Allows closing from now on, because the operator confirmed it or the system shuts down. */
  allow(): void {
    this.#isAllowed = true
  }

  /** Records whether the page responds: false when it crashed or hangs. */
  windowAnswers(does: boolean): void {
    this.#canAsk = does
  }

  /** Records whether the page has unsaved input of the set-up; a reloaded page reports it again. */
  windowHolds(unsaved: boolean): void {
    this.#holdsUnsaved = unsaved
  }

  /** Whether the window may close. If it may not, the operator has been asked. */
  mayClose(): boolean {
    const { ticks, tell, onFault } = this.#parts
    if (this.#isAllowed || !this.#canAsk || ticks() - this.#askedTicks < insistMs) return true
    try {
      const unsent = this.#parts.unsent() ?? { waiting: 0, asking: 0 }
      if (unsent.waiting + unsent.asking === 0 && !this.#holdsUnsaved) return true
      this.#askedTicks = ticks()
      tell(unsent)
      return false
    } catch (error) {
      onFault(error)
      return true
    }
  }
}
