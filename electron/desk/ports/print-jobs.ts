import type { LabelId } from '#shared/domain/ids.ts'
import type { PrintHold, PrintPlacement, ReprintReason, PrintState } from '#shared/domain/print-job.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

export interface NewPrintJob {
  readonly id: string
  readonly printer: string
  readonly isReprint: boolean
  /** Why it is printed once more; null for a first print. */
  readonly reason: ReprintReason | null
  readonly at: number
}

export interface PrintJobRow {
  readonly id: string
  readonly labelId: LabelId
  readonly documentHash: string
  readonly printer: string
  readonly state: PrintState
  readonly isReprint: boolean
  readonly reason: ReprintReason | null
  /** Why it waits for an operator before anything is sent. */
  readonly hold: PrintHold | null
  /** As an operator laid it on the paper; null: nobody did. */
  readonly placement: PrintPlacement | null
  /** An operator said to print it as it is. */
  readonly isReleased: boolean
  /** Barcodes on it that nothing here knows, where the operator is to hear of them. */
  readonly unlisted: readonly string[]
  readonly file: string | null
  readonly failure: Failure | null
  readonly createdAt: number
  readonly stateAt: number
}

export interface PrintMove {
  readonly at: number
  readonly failure: Failure | null
  readonly evidence: string | null
  readonly file: string | null
}

/** What an operator said about a job, for those who come after. */
export interface PrintNote {
  readonly at: number
  readonly by: string | null
  readonly decision: string
  readonly details: string | null
}

/** What a decision changes of a job that nothing was sent of. */
export type PrintChange =
  | { readonly do: 'release' }
  | { readonly do: 'place'; readonly placement: PrintPlacement }
  | { readonly do: 'move'; readonly printer: string }

export interface PrintJobStore {
  get(id: string): PrintJobRow | null
  /** Adding the same id again changes nothing. */
  add(labelId: LabelId, documentHash: string, job: NewPrintJob): void
  /** Jobs of which nothing reached a printer (queued, refused) and whose printer is not among `known` go to this one. */
  reroute(known: readonly string[], printer: string): void
  /** Queued or refused and not held, oldest first. */
  due(printer: string): PrintJobRow | null
  /** Oldest first. */
  open(): PrintJobRow[]
  /** On paper and not scanned since, newest first; what a folder printer wrote is no paper. */
  onPaper(since: number, limit: number): PrintJobRow[]
  /** Jobs in `sending` when the desk stopped become `unknown`. */
  recover(at: number): void
  /** False if the job is no longer in `from`. */
  move(id: string, from: PrintState, to: PrintState, details: PrintMove): boolean
  /** Holds a job of which nothing was sent; false if it is not queued any more. */
  hold(id: string, hold: PrintHold): boolean
  /** Codes that an operator is to hear of. */
  noteUnlisted(id: string, codes: readonly string[]): void
  /** Whether unlisted codes were told already for a label of this shipping method. */
  wasUnlistedTold(shippingMethodId: string | null): boolean
  /** Notes a decision and takes it, in one transaction; false if the job is not queued or refused any more. */
  change(id: string, note: PrintNote, change: PrintChange): boolean
  /** Notes a decision together with the move it makes; false if the job is no longer in `from`. */
  decide(id: string, note: PrintNote, from: PrintState, to: PrintState, details: PrintMove): boolean
}
