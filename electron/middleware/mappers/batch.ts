import type { Batch } from '#shared/wire/batch.ts'
import type { Inbound } from '#shared/wire/inbound.ts'
import type { ListedInbound, ListedInboundLine } from '../data/moves/inbounds.ts'
import type { BatchRecord } from '../services/goods/batches.ts'
import { toWireInbound } from './inbound.ts'
import { toWireVariant } from './variant.ts'

/** api.md, Batch: with its variant and its inbound, whatever Expand says. */
export function toWireBatch({ batch, variant, inbound, inboundLines }: BatchRecord): Batch {
  return {
    id: batch.id,
    expiration_date: batch.expiration_date,
    quantity: batch.quantity,
    variant: toWireVariant(variant),
    inbound: inbound && toInbound(inbound, inboundLines),
  }
}

/** `lines` null: not asked for. The variant of a line is `{id}` (api.md, Variant). */
function toInbound(inbound: ListedInbound, lines: readonly ListedInboundLine[] | null): Inbound {
  return {
    ...toWireInbound(inbound),
    ...(lines && {
      inbound_lines: lines.map((line) => ({
        variant: { id: line.variant_id },
        quantity: line.quantity,
        processed: line.processed,
        packing_slip: line.packing_slip,
      })),
    }),
  }
}
