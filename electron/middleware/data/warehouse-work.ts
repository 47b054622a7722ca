import type { Insertable } from 'kysely'
import type { Connection } from './engine/database.ts'
import type { WarehouseCallTable, WarehouseWorkTable } from './schema/goods.ts'

/** Notes what a client made or changed, for the warehouse to look at. */
export async function insertWork(
  connection: Connection,
  work: Insertable<WarehouseWorkTable>,
): Promise<void> {
  await connection.insertInto('warehouse_work').values(work).execute()
}

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

/** The first call with a key of the user; null: there was none, or it was forgotten. */
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

/** Keeps a call with its answer, in the transaction of what it changed. */
export async function insertCall(connection: Connection, call: WarehouseCallTable): Promise<void> {
  await connection.insertInto('warehouse_calls').values(call).execute()
}

/** Forgets the keys of calls before a time. */
export async function deleteCallsBefore(connection: Connection, time: string): Promise<void> {
  await connection.deleteFrom('warehouse_calls').where('created_at', '<', time).execute()
}
