import type { PaperOutcome } from '#shared/bridge/printer-views.ts'
import type { PrintPlacement } from '#shared/domain/print-job.ts'
import { toFailureView } from '../view-parts.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { PrintOutcome } from '../ports/printers.ts'
import type { PrintQueue } from './print-queue.ts'

export interface PlainPaperRequest {
  /** The id of the printer; null: the first printer, which prints all paper that no route names. */
  readonly printerId: string | null
  readonly document: Uint8Array
  /** Identifies the print and its paper. */
  readonly reference: string
}

/** The document was drawn for this paper, so the printer neither crops it to a label nor turns it. */
const asDrawn: PrintPlacement = { turn: 0, crop: 'page' }

/**
 * Prints paper that is no label of a shipment: once, between the jobs of its printer, and never again automatically.
 */
export class PlainPaper {
  readonly #prints: Pick<PrintQueue, 'standard' | 'printPlain'>
  readonly #clock: ClockPort

  constructor(prints: Pick<PrintQueue, 'standard' | 'printPlain'>, clock: ClockPort) {
    this.#prints = prints
    this.#clock = clock
  }

  async print({ printerId, document, reference }: PlainPaperRequest): Promise<PaperOutcome> {
    const outcome = await this.#prints.printPlain(printerId ?? this.#prints.standard.name, {
      jobId: crypto.randomUUID(),
      document,
      isReprint: false,
      placement: asDrawn,
      externalReference: reference,
      createdAt: this.#clock.now(),
    })
    return toPaperOutcome(outcome)
  }
}

function toPaperOutcome(outcome: PrintOutcome): PaperOutcome {
  switch (outcome.kind) {
    case 'confirmed':
      return { kind: 'printed', file: outcome.file, failure: null }
    case 'sent':
    case 'spooled':
      return { kind: 'sent', file: null, failure: null }
    case 'refused':
      return { kind: 'refused', file: null, failure: toFailureView(outcome.failure) }
    case 'partial':
    case 'unconfirmed':
      return { kind: 'unknown', file: null, failure: toFailureView(outcome.failure) }
  }
}
