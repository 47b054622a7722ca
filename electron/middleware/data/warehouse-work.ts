import type { Connection } from './engine/database.ts'
import type { WarehouseWorkTable } from './schema/warehouse.ts'

/** What clients made or changed after a place in the sequence, the oldest first. */
export async function workAfter(
  connection: Connection,
  sequence: number,
  limit: number,
): Promise<(Omit<WarehouseWorkTable, 'sequence'> & { sequence: number })[]> {
  return connection
    .selectFrom('warehouse_work')
    .selectAll()
    .where('sequence', '>', sequence)
    .orderBy('sequence')
    .limit(limit)
    .execute()
}
