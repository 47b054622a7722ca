import type { PaperKind } from '#shared/bridge/printer-views.ts'
import type { PrintLaid, PrintPlacement } from '#shared/domain/print-job.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'

export interface PrintRequest {
  readonly jobId: string
  readonly document: Uint8Array
  /** Bears a mark that says so. */
  readonly isReprint: boolean
  /** How an operator wants it laid on the paper; null: as the printer finds best. */
  readonly placement: PrintPlacement | null
  /** For naming and finding the paper again; any text, so a driver cleans it before use. */
  readonly externalReference: string | null
  /** When the job was made, milliseconds since 1970. */
  readonly createdAt: number
}

/**
 * What is known after a try. refused: nothing reached the printer, so it may be tried again; sent: every byte was
 * handed over; spooled: another queue has it; confirmed: there is evidence; partial and unconfirmed: nobody knows.
 */
export type PrintOutcome =
  | { readonly kind: 'refused'; readonly failure: Failure }
  | { readonly kind: 'sent' | 'spooled' }
  | { readonly kind: 'confirmed'; readonly evidence: string; readonly file: string | null }
  | { readonly kind: 'partial' | 'unconfirmed'; readonly failure: Failure }

/** One piece of paper as it will come out: rows of dots from the top, eight a byte, the leftmost highest, 1 is black. */
export interface PrintPage {
  readonly widthDots: number
  readonly heightDots: number
  readonly bytes: Uint8Array
  /** Texts of the barcodes that can be read on it. */
  readonly codes: readonly string[]
  /** It has bars like those of a linear barcode, and no linear barcode can be read. */
  readonly hasUnreadBars: boolean
  /** How it was laid, `auto` or not; without: as the document has it, whatever was wished. */
  readonly laid?: PrintLaid | undefined
}

/** A job made ready: what was looked at is what `send` sends. Nothing has reached the printer before `send`. */
export interface PreparedPrint {
  readonly dpi: number
  readonly pages: readonly PrintPage[]
  send(): Promise<PrintOutcome>
}

/** How a printer is before anything is sent; `failure` says why it is not ready, or what to mind of one that is. */
export interface PrinterCondition {
  readonly state: 'ready' | 'refused' | 'unknown'
  readonly failure: Failure | null
}

/** What shows that a print came out. */
export interface PrintEvidence {
  readonly evidence: string
  readonly file: string | null
}

/** One printer. Never throws: whatever happens is an outcome. */
export interface PrinterPort {
  /** Print jobs name it so. */
  readonly name: string
  /** What operators call it. */
  readonly title: string
  /** Where the folder printer puts its files, else null. */
  readonly folder: string | null
  status(): Promise<PrinterCondition>
  /**
   * The document as it would come out of this printer. Errors: `document.not_a_pdf`, `document.unreadable`,
   * `printer.paper_too_narrow` {neededMm, printableMm}.
   */
  prepare(request: PrintRequest): Promise<Result<PreparedPrint>>
  /** Evidence that jobs whose try was cut short did print, by job id; the printer is asked once for all of them. */
  lookFor(
    requests: readonly Omit<PrintRequest, 'document' | 'placement'>[],
  ): Promise<ReadonlyMap<string, PrintEvidence>>
}

/** The printers that stand here; they may be exchanged while the desk runs. */
export interface PrintersPort {
  /** At least one; the first takes whatever no route names. */
  all(): readonly PrinterPort[]
  /** Null where none is called so any more. */
  named(name: string): PrinterPort | null
  /** The one that labels of this kind come out of, as long as nobody knows the document. */
  usual(kind: PaperKind): PrinterPort
  /**
   * The one that this paper comes out of by the routes of the station: by its kind and size. The first where no route
   * names it, or names a printer that is gone; never another one because that one refuses. Never throws.
   */
  forPaper(kind: PaperKind, document: Uint8Array): Promise<PrinterPort>
}

/** What operators call a job's printer; its id where it stands here no more. */
export function printerTitle(printers: Pick<PrintersPort, 'named'>, name: string): string {
  return printers.named(name)?.title ?? name
}
