import { sql } from 'kysely'
import { type ExportStatus, exportStatusesBefore } from '#shared/domain/export-state.ts'
import type { Connection } from '../engine/database.ts'
import type { ExportTable } from '../schema/clients.ts'

export async function insertExport(connection: Connection, row: ExportTable): Promise<void> {
  await connection.insertInto('exports').values(row).execute()
}

export async function findExport(
  connection: Connection,
  customerId: string,
  id: string,
): Promise<ExportTable | null> {
  const row = await connection
    .selectFrom('exports')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/** How many exports of the customer are not written yet. */
export async function countWaitingExports(connection: Connection, customerId: string): Promise<number> {
  const { count } = await connection
    .selectFrom('exports')
    .select((from) => from.fn.countAll<number>().as('count'))
    .where('customer_id', '=', customerId)
    .where('status', 'in', ['created', 'processing'])
    .executeTakeFirstOrThrow()
  return count
}

/** The oldest that waits, of the next customer behind this one in the order of their ids; null: of the first customer. */
export async function nextWaitingExport(
  connection: Connection,
  customerId: string | null,
): Promise<ExportTable | null> {
  const row = await connection
    .selectFrom('exports')
    .selectAll()
    .where('status', '=', 'created')
    .orderBy(sql`customer_id > ${customerId ?? ''}`, 'desc')
    .orderBy('customer_id')
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** Answers false, changing nothing, where the export's state does not allow it. */
export async function moveExport(
  connection: Connection,
  id: string,
  to: ExportStatus,
  now: string,
): Promise<boolean> {
  const { numUpdatedRows } = await connection
    .updateTable('exports')
    .set({ status: to, modified_at: now })
    .where('id', '=', id)
    .where('status', 'in', exportStatusesBefore(to))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Gives back what a dead process was writing; the parts it left are thrown away. Answers how many. */
export async function releaseAbandonedExports(connection: Connection, now: string): Promise<number> {
  const rows = await connection
    .selectFrom('exports')
    .select('id')
    .where('status', '=', 'processing')
    .execute()
  for (const { id } of rows) await moveWithoutFile(connection, id, 'created', now)
  return rows.length
}

/** Types that say who ordered, and the one that repeats what was searched for. */
const typesNamingPersons = ['orders', 'shipments', 'exports']

/** Throws away what files say of the customer's persons; what is being written is written anew. */
export async function withdrawExports(
  connection: Connection,
  customerId: string,
  now: string,
): Promise<void> {
  const rows = await connection
    .selectFrom('exports')
    .select(['id', 'status'])
    .where('customer_id', '=', customerId)
    .where('family', '=', 'standard')
    .where('type', 'in', typesNamingPersons)
    .where('status', 'in', ['processing', 'completed'])
    .execute()
  for (const { id, status } of rows)
    await moveWithoutFile(connection, id, status === 'completed' ? 'expired' : 'created', now)
}

/** Throws away the files of exports that were completed before that moment. Answers how many. */
export async function expireExports(connection: Connection, before: string, now: string): Promise<number> {
  const rows = await connection
    .selectFrom('exports')
    .select('id')
    .where('status', '=', 'completed')
    .where('modified_at', '<', before)
    .execute()
  for (const { id } of rows) await moveWithoutFile(connection, id, 'expired', now)
  return rows.length
}

export async function appendExportPart(
  connection: Connection,
  exportId: string,
  position: number,
  content: string,
): Promise<void> {
  await connection.insertInto('export_parts').values({ export_id: exportId, position, content }).execute()
}

/** The first part at or behind this place. */
export async function readExportPart(
  connection: Connection,
  exportId: string,
  position: number,
): Promise<{ position: number; content: string } | null> {
  const row = await connection
    .selectFrom('export_parts')
    .select(['position', 'content'])
    .where('export_id', '=', exportId)
    .where('position', '>=', position)
    .orderBy('position')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

export async function deleteExportParts(connection: Connection, exportId: string): Promise<void> {
  await connection.deleteFrom('export_parts').where('export_id', '=', exportId).execute()
}

async function moveWithoutFile(
  connection: Connection,
  id: string,
  to: ExportStatus,
  now: string,
): Promise<void> {
  await deleteExportParts(connection, id)
  await moveExport(connection, id, to, now)
}
