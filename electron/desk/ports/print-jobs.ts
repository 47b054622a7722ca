import type { LabelId } from '#shared/domain/ids.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { PrintHold, PrintPlacement, ReprintReason, PrintState } from '#shared/domain/print-job.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

export interface NewPrintJob {
  readonly id: string
  readonly printer: string
  readonly isReprint: boolean
  /** Why the label is printed again; null for a first print. */
  readonly reason: ReprintReason | null
  readonly at: Instant
}

export interface PrintJobRow {
  readonly id: string
  readonly labelId: LabelId
  readonly documentHash: string
  readonly printer: string
  readonly state: PrintState
  readonly isReprint: boolean
  readonly reason: ReprintReason | null
  /** Why the job waits for an operator before it is sent. */
  readonly hold: PrintHold | null
  /** The placement that an operator chose; null: no operator chose one. */
  readonly placement: PrintPlacement | null
  /** Whether an operator released the job for printing unchanged. */
  readonly isReleased: boolean
  /** Unknown barcodes on the label that the operator must see. */
  readonly unlisted: readonly string[]
  readonly file: string | null
  readonly failure: Failure | null
  readonly createdAt: Instant
  readonly stateAt: Instant
}

export interface PrintMove {
  readonly at: Instant
  readonly failure: Failure | null
  readonly evidence: string | null
  readonly file: string | null
}

/** A log entry of an operator's decision about a job. */
export interface PrintNote {
  readonly at: Instant
  readonly by: string | null
  readonly decision: string
  readonly details: string | null
}

/** The change that a decision makes to a job of which no part was sent yet. */
export type PrintChange =
  | { readonly do: 'release' }
  | { readonly do: 'place'; readonly placement: PrintPlacement }
  | { readonly do: 'move'; readonly printer: string }

export interface PrintCounts {
  readonly asking: number
  readonly waiting: number
}

export interface PrintJobStore {
  get(id: string): PrintJobRow | null
  /** Adds a job. Adding a job with an existing id changes nothing. */
  add(labelId: LabelId, documentHash: string, job: NewPrintJob): void
  /**
   * Moves queued and refused jobs whose printer is not among `known` to the printer `printer`. No part of these jobs
   * has reached a printer.
   */
  reroute(known: readonly string[], printer: string): void
  /** Returns the oldest job of this printer that is queued or refused and not held. */
  due(printer: string): PrintJobRow | null
  /** Returns the open jobs, oldest first. Their number has no limit; what is read at each change uses `listed`. */
  open(): PrintJobRow[]
  /** Returns the oldest 200 open jobs that wait for an operator and the oldest 200 others, oldest first. */
  listed(): PrintJobRow[]
  /** Returns the numbers of all open jobs that wait for an operator, and of the others. */
  openCounts(): PrintCounts
  /**
   * Returns the jobs that were printed on paper and not scanned afterwards, newest first. Files of a folder printer do
   * not count.
   */
  onPaper(since: Instant, limit: number): PrintJobRow[]
  /** Turns jobs in `sending` into `unknown` after the desk has stopped. */
  recover(at: Instant): void
  /** Moves the job to another state; false if the job is no longer in `from`. */
  move(id: string, from: PrintState, to: PrintState, details: PrintMove): boolean
  /** Holds a queued job, so that it is not sent; false if the job is no longer queued. */
  hold(id: string, hold: PrintHold): boolean
  /** Stores unknown codes of a job that the operator must see. */
  noteUnlisted(id: string, codes: readonly string[]): void
  /** Whether unknown codes were reported already for a label of this shipping method. */
  wasUnlistedReported(shippingMethodId: string | null): boolean
  /** Logs a decision and applies it, in one transaction; false if the job is not queued or refused any more. */
  change(id: string, note: PrintNote, change: PrintChange): boolean
  /** Logs a decision together with the move to another state; false if the job is no longer in `from`. */
  decide(id: string, note: PrintNote, from: PrintState, to: PrintState, details: PrintMove): boolean
}
