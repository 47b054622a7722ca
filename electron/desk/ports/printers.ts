import type { Failure } from '#shared/errors/catalogue.ts'

export interface PrintRequest {
  readonly jobId: string
  readonly document: Uint8Array
  readonly isReprint: boolean
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

/** How a printer is before anything is sent; `failure` says why it is not ready, where it can tell. */
export interface PrinterCondition {
  readonly state: 'ready' | 'refused' | 'unknown'
  readonly failure: Failure | null
}

/** One printer. Never throws: whatever happens is an outcome. */
export interface PrinterPort {
  readonly name: string
  /** Where the folder printer puts its files, else null. */
  readonly folder: string | null
  status(): Promise<PrinterCondition>
  print(request: PrintRequest): Promise<PrintOutcome>
  /** Evidence that a job whose try was cut short did print, or null. */
  lookFor(request: Omit<PrintRequest, 'document'>): Promise<{ evidence: string; file: string | null } | null>
}
