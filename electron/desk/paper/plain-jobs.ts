import { failure } from '#shared/errors/catalogue.ts'
import type { PrinterPort, PrintOutcome, PrintRequest } from '../ports/printers.ts'

interface PlainJob {
  readonly request: PrintRequest
  readonly settle: (outcome: PrintOutcome) => void
}

/**
 * Paper of one printer that is no label's: a test page, a sheet of barcodes. Nothing of it is written down and nothing is
 * repeated: whoever wants it again asks again. It waits here for its turn in the line of jobs.
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

  /** Resolves once it was sent, or nothing will come of it. */
  add(request: PrintRequest): Promise<PrintOutcome> {
    return new Promise((settle) => {
      if (this.#isClosed) settle(refusedBy('', 'closing'))
      else this.#waiting.push({ request, settle })
    })
  }

  /** Makes the next one ready and sends it; null where none waits. Never throws. */
  async printNext(name: string, printer: PrinterPort | null): Promise<PrintOutcome | null> {
    const job = this.#waiting.shift()
    if (!job) return null
    const outcome = printer ? await this.#print(printer, job.request) : refusedBy(name, 'gone')
    job.settle(outcome)
    return outcome
  }

  /** What still waits does not print any more. */
  close(): void {
    this.#isClosed = true
    for (const { settle } of this.#waiting.splice(0)) settle(refusedBy('', 'closing'))
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
      // a driver that throws has told nothing: once it has begun there may be paper
      return hasBegun
        ? { kind: 'unconfirmed', failure: failure('printer.outcome_unknown', { cause: 'driver' }) }
        : { kind: 'refused', failure: failure('document.unreadable', { cause: 'driver' }) }
    }
  }
}

function refusedBy(printer: string, cause: string): PrintOutcome {
  return { kind: 'refused', failure: failure('printer.refused', { printer, cause }) }
}
