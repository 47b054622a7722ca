import { z } from 'zod'
import type { PrintJobRow } from '#desk/ports/print-jobs.ts'
import { printHold, printPlacement, reprintReasons } from '#shared/domain/print-hold.ts'
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
  reason: string | null
  hold: string | null
  placement: string | null
  released: number
  unlisted: string | null
  file: string | null
  failure: string | null
  created_at: number
  state_at: number
}

const reason = z.enum(reprintReasons).nullable()
const codes = z.array(z.string())

export function toPrintJobRow(record: PrintJobRecord): PrintJobRow {
  return {
    id: record.id,
    labelId: record.label_id,
    documentHash: record.document_hash,
    printer: record.printer,
    state: record.state,
    isReprint: record.is_reprint === 1,
    reason: reason.parse(record.reason),
    hold: record.hold === null ? null : printHold.parse(JSON.parse(record.hold)),
    placement: record.placement === null ? null : printPlacement.parse(JSON.parse(record.placement)),
    isReleased: record.released === 1,
    unlisted: record.unlisted === null ? [] : codes.parse(JSON.parse(record.unlisted)),
    file: record.file,
    failure: failureFromColumn(record.failure),
    createdAt: record.created_at,
    stateAt: record.state_at,
  }
}
