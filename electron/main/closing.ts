import type { Closing } from '#shared/bridge/views.ts'

interface ClosingParts {
  /** Returns the waiting work; null if no desk is open. May throw: then the window closes without a question. */
  readonly unsent: () => Closing | null
  /** Notifies the window, which asks the operator. */
  readonly tell: (closing: Closing) => void
  /** Returns monotonic milliseconds. */
  readonly ticks: () => number
  readonly onFault: (error: unknown) => void
}

/**
 * A second attempt to close within this time closes the window, in milliseconds, because a window that cannot show the
 * question must still close.
 */
const insistMs = 10_000

/**
 * Decides whether the window may close now. The operator is asked first if work is waiting, because it would wait until
 * the app is started again, or if input of the set-up is not saved. No work is lost either way. So a second attempt, a
 * window that cannot show the question, and a shutdown of the system or an end of the process are never delayed.
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

  /** Allows closing from now on: the operator confirmed it, or the system shuts down. */
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

  /** Whether the window may close. False: the operator was asked instead. */
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
