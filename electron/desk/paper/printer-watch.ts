import type { ClockPort } from '../ports/clock.ts'
import type { PrinterCondition, PrinterPort, PrintOutcome } from '../ports/printers.ts'

interface PrinterWatchParts {
  readonly clock: ClockPort
  /** Returns the printer. Returns null if the printer was removed. */
  readonly printer: () => PrinterPort | null
  /** Reports that the condition of the printer, or its failure, has changed. */
  readonly changed: () => void
}

const lookAgainMs = 30_000

/**
 * Tracks the condition of one printer. The sources are the status that the printer reports and the outcomes of its
 * jobs.
 */
export class PrinterWatch {
  readonly #parts: PrinterWatchParts
  #condition: PrinterCondition = { state: 'unknown', failure: null }
  #notedAt = 0
  /** The read of the status under way; null: there is none. */
  #reading: Promise<void> | null = null
  /** The read that follows the one under way; null: none is wanted. */
  #next: Promise<void> | null = null

  constructor(parts: PrinterWatchParts) {
    this.#parts = parts
  }

  get condition(): PrinterCondition {
    return this.#condition
  }

  /**
   * Reads the status of the printer. One such read runs at a time, because each opens a connection or starts a program:
   * calls during a read share one more read, which begins after it and so sees every change before these calls.
   */
  look(): Promise<void> {
    if (this.#next !== null) return this.#next
    if (this.#reading === null) return this.#read()
    const again = (): Promise<void> => {
      this.#next = null
      return this.#read()
    }
    this.#next = this.#reading.then(again, again)
    return this.#next
  }

  #read(): Promise<void> {
    const read = async (): Promise<void> => {
      const printer = this.#parts.printer()
      const now = await printer?.status()
      // the status of a printer that was replaced during the read says nothing about the new one
      if (now && this.#parts.printer() === printer) this.#note(now)
    }
    this.#reading = read().finally(() => (this.#reading = null))
    return this.#reading
  }

  /**
   * Updates the condition after a job of `printer`. If the printer was ready and has printed the job, keeps the
   * condition and its warning.
   */
  async after(outcome: PrintOutcome, printer: PrinterPort | null): Promise<void> {
    // the outcome at a printer that was replaced during the job says nothing about the new one
    if (this.#parts.printer() !== printer) return this.look()
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
        // the printer has printed, so it counts as ready. If its condition was `refused`, its status is read and used,
        // because the status may show a warning; a status `unknown` also counts as ready
        const now = state === 'refused' ? await printer?.status() : null
        if (this.#parts.printer() === printer)
          this.#note(now && now.state !== 'unknown' ? now : { state: 'ready', failure: null })
      }
    }
  }

  /**
   * Reads the status of a printer that refused its last job. While no job waits, only this read shows the operator that
   * the printer is ready again. Returns the milliseconds until the next read; null: no read is needed.
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
