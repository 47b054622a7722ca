import type { PaperOutcome } from '#shared/bridge/printer-views.ts'
import type { PrintPlacement } from '#shared/domain/print-job.ts'
import { toFailureView } from '../view-parts.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { PrintOutcome } from '../ports/printers.ts'
import type { PrintQueue } from './print-queue.ts'

export interface PlainPaperRequest {
  /** The id of the printer; null: the first printer, for paper that no route of the station assigns to a printer. */
  readonly printerId: string | null
  readonly document: Uint8Array
  /** A text that identifies the print and the printed paper. */
  readonly reference: string
}

/** Prints the document as it is: it was drawn for the paper of this printer, so it is neither cropped nor turned. */
const asDrawn: PrintPlacement = { turn: 0, crop: 'page' }

/**
 * Prints paper that is not a label of a shipment, between two jobs of the printer. The desk never repeats the print
 * automatically.
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
