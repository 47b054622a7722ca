import type { PaperKind } from '#shared/bridge/printer-views.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { PrintLaid, PrintPlacement } from '#shared/domain/print-job.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'

export interface PrintRequest {
  readonly jobId: string
  readonly document: Uint8Array
  /** Whether the paper gets a mark that identifies it as a reprint. */
  readonly isReprint: boolean
  /** The placement that an operator chose; null: the printer chooses the best one. */
  readonly placement: PrintPlacement | null
  /**
   * A text that identifies the print and its paper. It may contain any characters, so a driver cleans it before use.
   */
  readonly externalReference: string | null
  /** When the job was created, milliseconds since 1970. */
  readonly createdAt: Instant
}

/**
 * The outcome of an attempt to print. refused: nothing was printed, so the job can be sent again; `isOfDocument`: the
 * document is the reason, so the printer can still print other jobs (`perhaps`: the document or the printer is the
 * reason; left out: the printer is the reason). sent: every byte was sent. spooled: another queue has accepted the job.
 * confirmed: there is evidence of the print. partial: not every byte was sent, or the printer reports fewer pages than
 * the document has. unconfirmed: the outcome is unknown for any other reason. After partial and unconfirmed it is
 * unknown whether the label was printed.
 */
export type PrintOutcome =
  | {
      readonly kind: 'refused'
      readonly failure: Failure
      readonly isOfDocument?: boolean | 'perhaps' | undefined
    }
  | { readonly kind: 'sent' | 'spooled' }
  | { readonly kind: 'confirmed'; readonly evidence: string; readonly file: string | null }
  | { readonly kind: 'partial' | 'unconfirmed'; readonly failure: Failure }

/**
 * One piece of paper as the printer will print it: rows of dots from top to bottom. A byte has eight dots, with the
 * leftmost dot in the highest bit. The bit 1 is black.
 */
export interface PrintPage {
  readonly widthDots: number
  readonly heightDots: number
  readonly bytes: Uint8Array
  /** Texts of the readable barcodes on the page. */
  readonly codes: readonly string[]
  /** Whether the page shows the bars of a linear barcode, but no linear barcode can be read. */
  readonly hasUnreadBars: boolean
  /** The placement that was used. Undefined: the page was not placed and is printed as it is in the document. */
  readonly laid?: PrintLaid | undefined
}

/**
 * A prepared job. `send` sends exactly the pages that were checked. Before `send` is called, nothing reaches the
 * printer.
 */
export interface PreparedPrint {
  readonly dpi: number
  readonly pages: readonly PrintPage[]
  send(): Promise<PrintOutcome>
}

/**
 * The condition of a printer before a print. If the printer refuses jobs, `failure` is the reason. If it is ready,
 * `failure` may be a warning, for example `printer.prints_again`, and the printer prints nevertheless. `PrinterWatch`
 * in `desk/paper/printer-watch.ts` decides when the desk reads the condition again.
 */
export interface PrinterCondition {
  readonly state: 'ready' | 'refused' | 'unknown'
  readonly failure: Failure | null
}

/** Evidence that a label was printed. */
export interface PrintEvidence {
  readonly evidence: string
  readonly file: string | null
}

/** One printer. Its methods never throw: every failure is an outcome. */
export interface PrinterPort {
  /** The id of the printer in print jobs. */
  readonly name: string
  /** The name of the printer for operators. */
  readonly title: string
  /** The directory of a folder printer; null for any other printer. */
  readonly folder: string | null
  status(): Promise<PrinterCondition>
  /**
   * Draws the document for this printer. Fails with `document.not_a_pdf`, `document.too_large`, `document.unreadable`,
   * or `printer.paper_too_narrow` {neededMm, printableMm}.
   */
  prepare(request: PrintRequest): Promise<Result<PreparedPrint>>
  /**
   * Searches for evidence that interrupted jobs were printed. Asks a printer about all jobs together, not about each
   * job. Returns the evidence by job id.
   */
  lookFor(
    requests: readonly Omit<PrintRequest, 'document' | 'placement'>[],
  ): Promise<ReadonlyMap<string, PrintEvidence>>
}

/** The printers of this station. The list can change while the desk runs. */
export interface PrintersPort {
  /**
   * Returns all printers, at least one. The first one prints all paper that no route of the station assigns to a
   * printer.
   */
  all(): readonly PrinterPort[]
  /** Returns a printer by its id. Returns null if the printer was removed. */
  named(name: string): PrinterPort | null
  /** Returns the printer for paper of this kind, for use while the document is not known. */
  usual(kind: PaperKind): PrinterPort
  /**
   * Returns the printer to which the routes of the station assign paper of this kind and size. Returns the first
   * printer if no route names the paper, or if the route names a removed printer. Returns the assigned printer even if
   * it refuses jobs. Never throws.
   */
  forPaper(kind: PaperKind, document: Uint8Array): Promise<PrinterPort>
}

/** Returns the title of the printer of a job, or the id of the printer if it was removed. */
export function printerTitle(printers: Pick<PrintersPort, 'named'>, name: string): string {
  return printers.named(name)?.title ?? name
}
