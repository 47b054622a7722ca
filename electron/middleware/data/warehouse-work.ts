import type { Insertable } from 'kysely'
import type { Connection } from './engine/database.ts'
import type { WarehouseCallTable, WarehouseWorkTable } from './schema/warehouse.ts'

/** Notes a resource that a client created or changed, for the warehouse. */
export async function insertWork(
  connection: Connection,
  work: Insertable<WarehouseWorkTable>,
): Promise<void> {
  await connection.insertInto('warehouse_work').values(work).execute()
}

/** Returns the resources that clients created or changed after a place in the sequence, the oldest first. */
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

/** Returns the first call with a key of the user. Null: there was none, or it was deleted. */
export async function findCall(
  connection: Connection,
  userId: string,
  key: string,
): Promise<WarehouseCallTable | null> {
  const row = await connection
    .selectFrom('warehouse_calls')
    .selectAll()
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .executeTakeFirst()
  return row ?? null
}

/** Stores a call with its response, in the transaction of its change. */
export async function insertCall(connection: Connection, call: WarehouseCallTable): Promise<void> {
  await connection.insertInto('warehouse_calls').values(call).execute()
}

/** Deletes up to `limit` keys of calls before a time, the oldest first. Returns their number. */
export async function deleteSomeCallsBefore(
  connection: Connection,
  time: string,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await connection
    .deleteFrom('warehouse_calls')
    .where(
      (call) => call.refTuple('user_id', 'key'),
      'in',
      (calls) =>
        calls
          .selectFrom('warehouse_calls')
          .select(['user_id', 'key'])
          .where('created_at', '<', time)
          .orderBy('created_at')
          .limit(limit)
          .$asTuple('user_id', 'key'),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
