import type { PrintJobRow } from '#desk/ports/print-jobs.ts'
import type { PrintState } from '#shared/domain/print-state.ts'
import { failureFromColumn } from '../failure-column.ts'

/** A row of `print_jobs` as SQLite hands it over. */
export interface PrintJobRecord {
  id: string
  label_id: string
  document_hash: string
  printer: string
  state: PrintState
  is_reprint: number
  file: string | null
  failure: string | null
  created_at: number
  state_at: number
}

export function toPrintJobRow(record: PrintJobRecord): PrintJobRow {
  return {
    id: record.id,
    labelId: record.label_id,
    documentHash: record.document_hash,
    printer: record.printer,
    state: record.state,
    isReprint: record.is_reprint === 1,
    file: record.file,
    failure: failureFromColumn(record.failure),
    createdAt: record.created_at,
    stateAt: record.state_at,
  }
}
