import type { Closing } from '#shared/bridge/views.ts'

interface ClosingParts {
  /** What waits now; null where no desk is open. May throw: then nobody could be told anything. */
  readonly unsent: () => Closing | null
  /** Tells the window, which asks the operator. */
  readonly tell: (closing: Closing) => void
  /** Monotonic milliseconds. */
  readonly ticks: () => number
  readonly onFault: (error: unknown) => void
}

/** Who closes twice within this time means it, in milliseconds: a window that shows no question must still close. */
const insistMs = 10_000

/**
 * Whether the window may close now. An operator who closes it while something waits is told first, since it would wait
 * until somebody starts the app again; so is one who has not saved what was typed in the set-up. No work is lost
 * either way: so whoever insists, a window that cannot show the question, and the system that shuts down or ends the
 * process are never held up.
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

  /** For good: the operator has said so, or the system wants it. */
  allow(): void {
    this.#isAllowed = true
  }

  /** The page crashed or hangs, or is well again. */
  windowAnswers(does: boolean): void {
    this.#canAsk = does
  }

  /** Whether the page holds something of the set-up that is not saved; a page made anew tells it anew. */
  windowHolds(unsaved: boolean): void {
    this.#holdsUnsaved = unsaved
  }

  /** False: the operator was asked instead. */
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
