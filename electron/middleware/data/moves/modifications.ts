import type { Connection } from '../engine/database.ts'
import { type Page, readPage } from '../engine/listing.ts'
import type { ModificationLineTable, ModificationTable } from '../schema/moves.ts'

/** Returns a page of a customer's modifications. `status` null: in any status. */
export async function listModifications(
  connection: Connection,
  customerId: string,
  status: ModificationTable['status'] | null,
  page: Page,
): Promise<ModificationTable[]> {
  const all = connection.selectFrom('modifications').selectAll().where('customer_id', '=', customerId)
  return readPage(connection, status === null ? all : all.where('status', '=', status), page)
}

export async function findModification(
  connection: Connection,
  customerId: string,
  id: string,
): Promise<ModificationTable | null> {
  const row = await connection
    .selectFrom('modifications')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/** Returns the lines of a modification in the order in which they were sent. */
export async function linesOfModification(
  connection: Connection,
  modificationId: string,
): Promise<ModificationLineTable[]> {
  return connection
    .selectFrom('modification_lines')
    .selectAll()
    .where('modification_id', '=', modificationId)
    .orderBy('position')
    .execute()
}

export async function insertModification(
  connection: Connection,
  row: ModificationTable,
  lines: readonly ModificationLineTable[],
): Promise<void> {
  await connection.insertInto('modifications').values(row).execute()
  await connection.insertInto('modification_lines').values(lines).execute()
}

/** Returns a modification of any customer by its id. Null: it does not exist. */
export async function findAnyModification(
  connection: Connection,
  id: string,
): Promise<ModificationTable | null> {
  const row = await connection.selectFrom('modifications').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}

export async function decideModification(
  connection: Connection,
  id: string,
  status: ModificationTable['status'],
  modifiedAt: string,
): Promise<void> {
  await connection
    .updateTable('modifications')
    .set({ status, modified_at: modifiedAt })
    .where('id', '=', id)
    .execute()
}
