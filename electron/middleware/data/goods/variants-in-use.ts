import { openInboundStatuses } from '#shared/domain/inbound-state.ts'
import { openOrderStatuses } from '#shared/domain/order-state.ts'
import { openTransferStatuses } from '#shared/domain/transfer-state.ts'
import type { Connection } from '../engine/database.ts'

/** Those of the variants of which pieces are there, announced, ordered, to be corrected or being handed over. */
export async function variantsInUse(
  connection: Connection,
  variantIds: readonly string[],
): Promise<Set<string>> {
  if (variantIds.length === 0) return new Set()
  const lying = connection
    .selectFrom('batches')
    .select('variant_id')
    .where('quantity', '>', 0)
    .where('variant_id', 'in', variantIds)
  const announced = connection
    .selectFrom('inbound_lines')
    .innerJoin('inbounds', 'inbounds.id', 'inbound_id')
    .select('variant_id')
    .where('inbounds.status', 'in', openInboundStatuses)
    .where('variant_id', 'in', variantIds)
  const ordered = connection
    .selectFrom('order_lines')
    .innerJoin('orders', 'orders.id', 'order_id')
    .select('variant_id')
    .where('orders.status', 'in', openOrderStatuses)
    .where('variant_id', 'in', variantIds)
  const corrected = connection
    .selectFrom('modification_lines')
    .innerJoin('modifications', 'modifications.id', 'modification_id')
    .select('variant_id')
    .where('modifications.status', '=', 'created')
    .where('variant_id', 'in', variantIds)
  const given = connection
    .selectFrom('transfer_lines')
    .innerJoin('transfers', 'transfers.id', 'transfer_id')
    .select('from_variant_id as variant_id')
    .where('transfers.status', 'in', openTransferStatuses)
    .where('from_variant_id', 'in', variantIds)
  const taken = connection
    .selectFrom('transfer_lines')
    .innerJoin('transfers', 'transfers.id', 'transfer_id')
    .select('to_variant_id as variant_id')
    .where('transfers.status', 'in', openTransferStatuses)
    .where('to_variant_id', 'in', variantIds)
  const used = new Set<string>()
  for (const query of [lying, announced, ordered, corrected, given, taken])
    for (const row of await query.execute()) used.add(row.variant_id)
  return used
}
