import type { LabelId } from '#shared/domain/ids.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { PrintHold, PrintPlacement, ReprintReason, PrintState } from '#shared/domain/print-job.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

export interface NewPrintJob {
  readonly id: string
  readonly printer: string
  readonly isReprint: boolean
  /** Why an operator prints the label again; null: a first print, or a print without a given reason. */
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
  /** Why the job is held for an operator before it is sent; null: the job is not held. */
  readonly hold: PrintHold | null
  /** How an operator chose to place the document on its paper; null: no operator chose a placement. */
  readonly placement: PrintPlacement | null
  /** Whether an operator decided to print a held job without changes. */
  readonly isReleased: boolean
  /**
   * Texts of barcodes on the label that an operator must see, because no barcode on the label contains a known code of
   * this label.
   */
  readonly unlisted: readonly string[]
  readonly file: string | null
  /** The evidence that the job was printed. While the job is being sent: the scan of its label (see `noteScan`). */
  readonly evidence: string | null
  /** The number of pages that were last sent; null: none was sent, or an earlier version of Scandesk sent them. */
  readonly pageCount: number | null
  readonly failure: Failure | null
  readonly createdAt: Instant
  readonly stateAt: Instant
}

export interface PrintMove {
  readonly at: Instant
  readonly failure: Failure | null
  readonly evidence: string | null
  readonly file: string | null
  /** For a move to `sending`: the number of pages that will be sent. */
  readonly pageCount?: number
}

/** A log entry of an operator's decision about a job. */
export interface PrintNote {
  readonly at: Instant
  readonly by: string | null
  readonly decision: string
  readonly details: string | null
}

/** What the transaction that adds a print job also stores about earlier jobs of the label. */
export interface PrintReplaced {
  /** The job of unknown outcome that becomes `failed`; null: there is none. */
  readonly unknown: { readonly id: string; readonly details: PrintMove } | null
  /** The decision that asks for the new job, and the job about which it was made; null: no such decision. */
  readonly decided: { readonly id: string; readonly note: PrintNote } | null
}

/** The change that a decision makes to a job, if no part of the job has been sent yet. */
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
  /**
   * Adds a job. Stores the changes to earlier jobs of the label (`replaced`) in the same transaction, because otherwise
   * a crash between the two steps could leave no job and no question to the operator. Adds nothing if a job with this
   * id exists. If `replaced.unknown` is a job whose outcome is no longer unknown, changes nothing and returns false.
   */
  add(labelId: LabelId, documentHash: string, job: NewPrintJob, replaced?: PrintReplaced): boolean
  /**
   * Moves the queued and refused jobs of printers that are not among `known` to the printer `printer`, where all of
   * them are queued. No part of these jobs has reached a printer. Returns the labels of these jobs.
   */
  reroute(known: readonly string[], printer: string, at: Instant): LabelId[]
  /**
   * Ends the hold `does_not_fit` of all waiting jobs except those of the printers `same`, so that they are drawn again
   * for the present paper. Returns the labels of these jobs.
   */
  fitAgain(same: readonly string[]): LabelId[]
  /**
   * Returns the oldest job of this printer that is queued or refused, and is not held. `after`: the id of a job; only
   * jobs that were added after it are considered.
   */
  due(printer: string, after?: string): PrintJobRow | null
  /**
   * Returns all open jobs, oldest first. Their number has no limit, so a caller that reads at each change uses
   * `listed`.
   */
  open(): PrintJobRow[]
  /** Returns the oldest 200 open jobs that wait for an operator and the oldest 200 other open jobs, oldest first. */
  listed(): PrintJobRow[]
  /** Returns the number of open jobs that wait for an operator, and the number of all other open jobs. */
  openCounts(): PrintCounts
  /**
   * Returns the newest job of a label that was or may be printed; null: there is none. Leaves out failed jobs that
   * printed nothing, for example a job that an operator gave up before it was sent: the paper of an earlier job is then
   * still the last one.
   */
  newestToPrint(labelId: LabelId): PrintJobRow | null
  /**
   * Returns at most `limit` jobs that were printed on paper since `since` and not scanned afterwards, newest first.
   * Considers only the job `newestToPrint` of each label. A job of a folder printer is not printed on paper.
   */
  onPaper(since: Instant, limit: number): PrintJobRow[]
  /** Returns the number of jobs that `onPaper` would return without its limit. */
  onPaperCount(since: Instant): number
  /**
   * Changes the state of all jobs from `sending` to `unknown`, because the desk stopped while it sent them. A job whose
   * label was scanned meanwhile becomes `scan_confirmed` if the scan proves it (`provesUnknownPrint`).
   */
  recover(at: Instant): void
  /**
   * Stores that the label of a job was scanned while the job was being sent. The outcome of the job then decides
   * whether the scan confirms the job. Does nothing if the job is in another state.
   */
  noteScan(id: string, evidence: string): void
  /**
   * Moves the job to another state. Returns false if the job is no longer in the state `from`. A move from `sending`
   * replaces the scan that `noteScan` stored, so that the scan does not count for the next attempt.
   */
  move(id: string, from: PrintState, to: PrintState, details: PrintMove): boolean
  /** Holds a queued or refused job, so that it is not sent. Returns false if the job is in another state. */
  hold(id: string, hold: PrintHold): boolean
  /** Stores the unknown barcodes of a job, because an operator must see them. */
  noteUnlisted(id: string, codes: readonly string[]): void
  /** Whether unknown barcodes were already reported for a label of this shipping method. */
  wasUnlistedReported(shippingMethodId: string | null): boolean
  /**
   * Logs an operator's decision and applies it, in one transaction. Does neither, and returns false, unless the job is
   * in the state `queued` or `refused`.
   */
  change(id: string, note: PrintNote, change: PrintChange): boolean
  /**
   * Logs a decision and moves the job to another state, in one transaction. Returns false if the job is no longer in
   * the state `from`.
   */
  decide(id: string, note: PrintNote, from: PrintState, to: PrintState, details: PrintMove): boolean
}
