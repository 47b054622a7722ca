import type { PrintState } from '#shared/domain/print-state.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

export interface NewPrintJob {
  readonly id: string
  readonly printer: string
  readonly isReprint: boolean
  readonly at: number
}

export interface PrintJobRow {
  readonly id: string
  readonly labelId: string
  readonly documentHash: string
  readonly printer: string
  readonly state: PrintState
  readonly isReprint: boolean
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

export interface PrintJobStore {
  get(id: string): PrintJobRow | null
  /** Adding the same id again changes nothing. */
  add(labelId: string, documentHash: string, job: NewPrintJob): void
  /** Jobs of which nothing reached a printer (queued, refused) wait for this one from now on. */
  reroute(printer: string): void
  /** Queued or refused, oldest first. */
  due(printer: string): PrintJobRow | null
  open(): PrintJobRow[]
  /** Jobs in `sending` when the desk stopped become `unknown`. */
  recover(at: number): void
  /** False if the job is no longer in `from`. */
  move(id: string, from: PrintState, to: PrintState, details: PrintMove): boolean
}
