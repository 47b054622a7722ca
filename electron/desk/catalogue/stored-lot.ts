import type { Batch } from '#shared/wire/batch.ts'
import { isoTime } from '../timing/iso-time.ts'
import type { StoredLot } from '../ports/recent-store.ts'

/** A lot as the desk keeps and shows it. */
export function toStoredLot({ id, quantity, expiration_date: expirationDate, inbound }: Batch): StoredLot {
  return {
    id,
    quantity,
    expirationDate,
    inboundReference: inbound?.reference ?? null,
    receivedAt: receivedAt(inbound),
  }
}

/** The day the goods came in, as a moment: a plain day counts from its start in UTC (api.md, Inbound). */
function receivedAt(inbound: Batch['inbound']): string | null {
  if (!inbound) return null
  const ms = Date.parse(inbound.inbound_date ?? inbound.created_at)
  return Number.isNaN(ms) ? null : isoTime(ms)
}
