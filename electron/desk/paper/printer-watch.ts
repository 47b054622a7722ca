import type { ClockPort } from '../ports/clock.ts'
import type { PrinterCondition, PrinterPort, PrintOutcome } from '../ports/printers.ts'

export interface PrinterWatchParts {
  readonly clock: ClockPort
  /** Null where it stands here no more. */
  readonly printer: () => PrinterPort | null
  /** It is otherwise than it was, or for another reason. */
  readonly changed: () => void
}

const lookAgainMs = 30_000

/** How one printer is, as far as it says so and as its jobs show it. */
export class PrinterWatch {
  readonly #parts: PrinterWatchParts
  #condition: PrinterCondition = { state: 'unknown', failure: null }
  #notedAt = 0

  constructor(parts: PrinterWatchParts) {
    this.#parts = parts
  }

  get condition(): PrinterCondition {
    return this.#condition
  }

  async look(): Promise<void> {
    const now = await this.#parts.printer()?.status()
    if (now) this.#note(now)
  }

  /** A job of it ended so. One that was ready stays as it was, with what there is to mind of it. */
  async after(outcome: PrintOutcome): Promise<void> {
    switch (outcome.kind) {
      case 'refused':
        this.#note({ state: 'refused', failure: outcome.failure })
        return
      case 'partial':
      case 'unconfirmed':
        return this.look()
      default: {
        const { state } = this.#condition
        if (state === 'ready') return
        // it printed, whatever it says or does not say; one that is well again may have something to mind
        const now = state === 'refused' ? await this.#parts.printer()?.status() : null
        this.#note(now && now.state !== 'unknown' ? now : { state: 'ready', failure: null })
      }
    }
  }

  /**
   * Nothing is sent to a printer that refused while nothing waits for it, so it is asked now and then: else nobody would
   * hear that it is well again. Answers in how many milliseconds next; null: no need.
   */
  async lookAgain(): Promise<number | null> {
    if (this.#condition.state !== 'refused') return null
    const waitMs = this.#notedAt + lookAgainMs - this.#parts.clock.ticks()
    if (waitMs > 0) return waitMs
    await this.look()
    return this.condition.state === 'refused' ? lookAgainMs : null
  }

  #note(condition: PrinterCondition): void {
    const isSame = JSON.stringify(condition) === JSON.stringify(this.#condition)
    this.#condition = condition
    this.#notedAt = this.#parts.clock.ticks()
    if (!isSame) this.#parts.changed()
  }
}
