import type { LocationView, ModificationDraft, ModificationView } from '#shared/bridge/stock-views.ts'
import { type DraftHistory, type DraftLine, draftOf, missingOf } from '#shared/domain/modification.ts'
import { isoTime, toFailureView, nextViewNumber } from '../view-parts.ts'
import type { LocationRow } from '../ports/location-store.ts'
import type { ModificationRow } from '../ports/modification-store.ts'

export function toLocationView({ id, code, source, seenAt }: LocationRow): LocationView {
  return { id, code, source, seenAt: isoTime(seenAt) }
}

/**
 * Converts the draft for the window. `location`: the draft's location from the location book (LocationStore); null if
 * no location was chosen, or if the book no longer has the chosen one and the operator must choose again. `corrected`:
 * the disapproved booking that the draft replaces.
 */
export function toDraftView(
  history: DraftHistory,
  location: LocationRow | null,
  corrected: ModificationRow | null,
): ModificationDraft {
  const { reason, lines, note, step } = draftOf(history)
  return {
    reason,
    location: location && toLocationView(location),
    lines: toLines(lines),
    note,
    step,
    canUndo: history.length > 1,
    missing: missingOf({ reason, locationId: location?.id ?? null, lines }),
    corrects: corrected && { id: corrected.id, reference: corrected.reference },
  }
}

export function toModificationView(row: ModificationRow): ModificationView {
  return {
    id: row.id,
    serverId: row.serverId,
    reference: row.reference,
    status: row.status,
    statusAsOf: row.statusAsOf === null ? null : isoTime(row.statusAsOf),
    reason: row.reason,
    location: { id: row.locationId, code: row.locationCode },
    lines: toLines(row.lines),
    note: row.note,
    create: row.create.state,
    bookedBy: row.bookedBy,
    failure: toFailureView(row.create.failure),
    createdAt: isoTime(row.createdAt),
    corrects: row.corrects,
    correctedBy: row.correctedBy,
    told: nextViewNumber(),
  }
}

function toLines(lines: readonly DraftLine[]): ModificationView['lines'] {
  return lines.map(({ variant, quantity }) => ({ variant: { ...variant }, quantity }))
}

/**
 * Returns the title of a booking in a list of waiting writes: its reference; without a reference, the code of its
 * location; without this code, the article code of its first line.
 */
export function modificationTitle({ reference, locationCode, lines }: ModificationRow): string {
  return reference ?? locationCode ?? lines[0]?.variant.articleCode ?? ''
}
