import type { WarehouseBench } from './warehouse-bench.ts'

/** Adds lots with one piece each, with ascending ids and times and without entries in the ledger. */
export async function addLots(
  bench: WarehouseBench,
  lots: {
    readonly variantId: string
    readonly locationId: string
    readonly count: number
    readonly expirationDate?: string | null
    /** The lots have consecutive numbers in their ids. This is the lowest number: 1 means the id `lot-00001`. */
    readonly from?: number
  },
): Promise<void> {
  const { variantId, locationId, count, expirationDate = null, from = 1 } = lots
  const number = `substr('0000' || n, -5)`
  await bench.rows(`insert into batches
    (id, customer_id, variant_id, location_id, quantity, expiration_date, inbound_id, created_at)
    with recursive numbers (n) as
      (select ${from} union all select n + 1 from numbers where n < ${from + count - 1})
    select 'lot-' || ${number}, '${bench.alder.id}', '${variantId}', '${locationId}', 1,
      ${expirationDate === null ? 'null' : `'${expirationDate}'`}, null, '2026-01-01T00:00:00.' || ${number}
    from numbers`)
}
