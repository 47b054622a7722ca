import type { Insertable } from 'kysely'
import { type Connection, highestNumber } from './engine/database.ts'
import type { WarehouseCallTable, WarehouseWorkTable } from './schema/warehouse.ts'

/** Stores in the table `warehouse_work` that a client created or changed a resource, so that the warehouse reads it. */
export async function insertWork(
  connection: Connection,
  work: Insertable<WarehouseWorkTable>,
): Promise<void> {
  await connection.insertInto('warehouse_work').values(work).execute()
}

/**
 * Returns the changes with numbers above `sequence` that clients made to resources: at most `limit`, in the order of
 * their numbers.
 */
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

/** Returns the highest number that a change ever got. 0: there was no change. */
export function highestWork(connection: Connection): Promise<number> {
  return highestNumber(connection, 'warehouse_work', 'sequence')
}

/** Returns the user's stored call with an idempotency key. Null: there was no such call, or it was deleted. */
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

/**
 * Deletes the stored calls from before a time, the oldest first and at most `limit`. Returns the number of deleted
 * calls.
 */
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
