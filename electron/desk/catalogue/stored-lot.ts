import type { Batch } from '#shared/wire/batch.ts'
import { isoTime } from '../timing/iso-time.ts'
import type { StoredLot } from '../ports/recent-store.ts'

/** The window shows a longer code by its start (ui/code-groups.ts). A service's own references have 14 characters. */
const longestReference = 120
const shownStart = 60

/** A lot as the desk keeps and shows it: of a reference that is longer than shown, the start and an ellipsis. */
export function toStoredLot({ id, quantity, expiration_date: expirationDate, inbound }: Batch): StoredLot {
  return {
    id,
    quantity,
    expirationDate,
    inboundReference: inbound && shortened(inbound.reference),
    receivedAt: receivedAt(inbound),
  }
}

function shortened(reference: string): string {
  return reference.length <= longestReference ? reference : `${reference.slice(0, shownStart)}…`
}

/** The day the goods came in, as a moment: a plain day counts from its start in UTC (api.md, Inbound). */
function receivedAt(inbound: Batch['inbound']): string | null {
  if (!inbound) return null
  const ms = Date.parse(inbound.inbound_date ?? inbound.created_at)
  return Number.isNaN(ms) ? null : isoTime(ms)
}
