import type { CommandHead } from '#desk/ports/commands.ts'
import type { BookingLink, ModificationRow } from '#desk/ports/modification-store.ts'
import type { DraftLine } from '#shared/domain/modification-draft.ts'
import type { ModificationReason } from '#shared/domain/modification.ts'

/** A row of `modifications` as SQLite hands it over, with the location's name of today. */
export interface ModificationRecord {
  id: string
  server_id: string | null
  reference: string | null
  status: string | null
  status_as_of: number | null
  reason: ModificationReason
  location_id: string
  location_name: string | null
  note: string
  booked_by: string | null
  created_at: number
  corrects: string | null
  corrects_reference: string | null
}

export interface LineRecord {
  variant_id: string
  name: string
  article_code: string
  ean: string | null
  quantity: number
}

export function toDraftLine(record: LineRecord): DraftLine {
  const { variant_id: id, name, article_code: articleCode, ean, quantity } = record
  return { variant: { id, name, articleCode, ean }, quantity }
}

export function toModificationRow(
  record: ModificationRecord,
  lines: readonly DraftLine[],
  { id, state, failure }: CommandHead,
  correctedBy: BookingLink | null,
): ModificationRow {
  return {
    id: record.id,
    serverId: record.server_id,
    reference: record.reference,
    status: record.status,
    statusAsOf: record.status_as_of,
    reason: record.reason,
    locationId: record.location_id,
    locationCode: record.location_name,
    lines,
    note: record.note,
    bookedBy: record.booked_by,
    createdAt: record.created_at,
    create: { id, state, failure },
    corrects: record.corrects === null ? null : { id: record.corrects, reference: record.corrects_reference },
    correctedBy,
  }
}
