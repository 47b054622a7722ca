import type { Batch } from '#shared/wire/batch.ts'
import { isoTime } from '../timing/iso-time.ts'
import type { StoredLot } from '../ports/recent-store.ts'

/** As much of a reference as is shown, in characters. A service's own are a tenth of it. */
const longestReference = 120

/** A lot as the desk keeps and shows it: a longer reference ends in an ellipsis. */
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
  return reference.length <= longestReference ? reference : `${reference.slice(0, longestReference - 1)}…`
}

/** The day the goods came in, as a moment: a plain day counts from its start in UTC (api.md, Inbound). */
function receivedAt(inbound: Batch['inbound']): string | null {
  if (!inbound) return null
  const ms = Date.parse(inbound.inbound_date ?? inbound.created_at)
  return Number.isNaN(ms) ? null : isoTime(ms)
}
