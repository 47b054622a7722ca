import { failure } from '#shared/errors/catalogue.ts'
import type { PrinterPort, PrintOutcome, PrintRequest } from '../ports/printers.ts'

interface PlainJob {
  readonly request: PrintRequest
  readonly resolve: (outcome: PrintOutcome) => void
}

/**
 * The prints of one printer that are not labels, for example a test page or a sheet of barcodes. They are neither
 * stored nor repeated; the operator can request them again. The printer prints them between two print jobs.
 */
export class PlainJobs {
  readonly #onFault: (error: unknown) => void
  readonly #waiting: PlainJob[] = []
  #isClosed = false

  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** Adds a print. Resolves when the print was sent or can no longer be sent. */
  add(request: PrintRequest): Promise<PrintOutcome> {
    return new Promise((resolve) => {
      if (this.#isClosed) resolve(refusedBy('', 'closing'))
      else this.#waiting.push({ request, resolve })
    })
  }

  /** Prepares and sends the next print; null: no print waits. Never throws. */
  async printNext(name: string, printer: PrinterPort | null): Promise<PrintOutcome | null> {
    const job = this.#waiting.shift()
    if (!job) return null
    const outcome = printer ? await this.#print(printer, job.request) : refusedBy(name, 'gone')
    job.resolve(outcome)
    return outcome
  }

  /** Refuses all prints that still wait. */
  close(): void {
    this.#isClosed = true
    for (const { resolve } of this.#waiting.splice(0)) resolve(refusedBy('', 'closing'))
  }

  async #print(printer: PrinterPort, request: PrintRequest): Promise<PrintOutcome> {
    let hasBegun = false
    try {
      const prepared = await printer.prepare(request)
      if (!prepared.ok) return { kind: 'refused', failure: prepared.error }
      if (this.#isClosed) return refusedBy(printer.name, 'closing')
      hasBegun = true
      return await prepared.value.send()
    } catch (error) {
      this.#onFault(error)
      // the driver threw an error instead of returning an outcome: if sending has begun, the paper may be printed
      return hasBegun
        ? { kind: 'unconfirmed', failure: failure('printer.outcome_unknown', { cause: 'driver' }) }
        : { kind: 'refused', failure: failure('document.unreadable', { cause: 'driver' }) }
    }
  }
}

function refusedBy(printer: string, cause: string): PrintOutcome {
  return { kind: 'refused', failure: failure('printer.refused', { printer, cause }) }
}
