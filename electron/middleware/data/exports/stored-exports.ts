import { type Insertable, sql } from 'kysely'
import { z } from 'zod'
import { type ExportStatus, exportStatusesBefore } from '#shared/domain/exports.ts'
import type { Connection } from '../engine/database.ts'
import type { ExportFailure, ExportRow, ExportTable } from '../schema/clients.ts'

const text = z.string().nullable()
const filters = z.object({ search: text, from: text, to: text })
/** As they were sent. */
export type StoredExportFilters = z.output<typeof filters>

const fields = z.array(z.string())

/** The two structures of an export that are kept as JSON text. */
export function readExportFilters(stored: string): StoredExportFilters {
  return filters.parse(JSON.parse(stored))
}

export function readExportFields(stored: string): string[] {
  return fields.parse(JSON.parse(stored))
}

export async function insertExport(connection: Connection, row: Insertable<ExportTable>): Promise<ExportRow> {
  return connection.insertInto('exports').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function findExport(
  connection: Connection,
  customerId: string,
  id: string,
): Promise<ExportRow | null> {
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
): Promise<ExportRow | null> {
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

/** As `moveExport` to `failed`, with the reason; null: nobody knows one. */
export async function failExport(
  connection: Connection,
  id: string,
  failure: ExportFailure | null,
  now: string,
): Promise<void> {
  if (await moveExport(connection, id, 'failed', now))
    await connection.updateTable('exports').set({ failure }).where('id', '=', id).execute()
}

/** Gives back what a dead process was writing; the parts it left go before it is written anew. Answers how many. */
export async function releaseAbandonedExports(connection: Connection, now: string): Promise<number> {
  const { numUpdatedRows } = await connection
    .updateTable('exports')
    .set({ status: 'created', modified_at: now })
    .where('status', '=', 'processing')
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** The next up to `limit` exports of the customer behind `after` that search for an address, in the order of their creation. */
export async function walkExportSearches(
  connection: Connection,
  customerId: string,
  after: Pick<ExportRow, 'created_at' | 'id'>,
  limit: number,
): Promise<Pick<ExportRow, 'id' | 'created_at' | 'filters'>[]> {
  return connection
    .selectFrom('exports')
    .select(['id', 'created_at', 'filters'])
    .where('customer_id', '=', customerId)
    .where(sql<boolean>`(created_at, id) > (${after.created_at}, ${after.id})`)
    .where('filters', 'like', '%@%')
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Writes another search into the filters of an export; one that waits searches for that. */
export async function overwriteExportSearch(
  connection: Connection,
  id: string,
  filters: StoredExportFilters,
): Promise<void> {
  await connection
    .updateTable('exports')
    .set({ filters: JSON.stringify(filters) })
    .where('id', '=', id)
    .execute()
}

/** Types that say who ordered, and the one that repeats what was searched for. */
const typesNamingPersons = ['orders', 'shipments', 'exports']

/**
 * Withdraws the files that may name persons of the customer; what is being written is written anew. Returns the exports of
 * which parts may be left: nobody is given those any more, and `deleteSomeWithdrawnParts` deletes them.
 */
export async function withdrawExports(
  connection: Connection,
  customerId: string,
  now: string,
): Promise<string[]> {
  const rows = await connection
    .selectFrom('exports')
    .select(['id', 'status'])
    .where('customer_id', '=', customerId)
    .where('family', '=', 'standard')
    .where('type', 'in', typesNamingPersons)
    // of one that expired or failed a part may still be there
    .where((where) => where.or([where('status', 'in', ['processing', 'completed']), where('bytes', '>', 0)]))
    .execute()
  for (const { id, status } of rows)
    await moveExport(connection, id, status === 'processing' ? 'created' : 'expired', now)
  return rows.map(({ id }) => id)
}

/** The files of a customer: how many, and what they take. */
export async function measureExportFiles(
  connection: Connection,
  customerId: string,
): Promise<{ readonly files: number; readonly bytes: number }> {
  return connection
    .selectFrom('exports')
    .select(({ fn }) => [fn.countAll<number>().as('files'), sql<number>`coalesce(sum(bytes), 0)`.as('bytes')])
    .where('customer_id', '=', customerId)
    .where('bytes', '>', sql.lit(0))
    .executeTakeFirstOrThrow()
}

/**
 * An export whose file may go: one that expired or failed, or that was completed, before that moment unless it is null. The
 * one that was changed first; null: there is none. `customerId` null: of any customer.
 */
export async function nextExportToClear(
  connection: Connection,
  customerId: string | null,
  before: string | null,
): Promise<string | null> {
  let query = connection
    .selectFrom('exports')
    .select('id')
    .where('bytes', '>', sql.lit(0))
    .where('status', 'in', ['completed', 'expired', 'failed'])
  if (customerId !== null) query = query.where('customer_id', '=', customerId)
  if (before !== null)
    query = query.where((where) =>
      where.or([where('status', '<>', 'completed'), where('modified_at', '<', before)]),
    )
  const row = await query.orderBy('modified_at').orderBy('id').limit(1).executeTakeFirst()
  return row?.id ?? null
}

/** False, and nothing is added: the export is not being written any more, because it was withdrawn. */
export async function appendExportPart(
  connection: Connection,
  exportId: string,
  position: number,
  content: string,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await connection
    .insertInto('export_parts')
    .columns(['export_id', 'position', 'content'])
    .expression((from) =>
      from
        .selectFrom('exports')
        .select(['id', sql.val(position).as('position'), sql.val(content).as('content')])
        .where('id', '=', exportId)
        .where('status', '=', 'processing'),
    )
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
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

/** Deletes so many parts at most, the first ones; false: there was none. */
export async function deleteSomeExportParts(
  connection: Connection,
  exportId: string,
  most: number,
): Promise<boolean> {
  const { numDeletedRows } = await connection
    .deleteFrom('export_parts')
    .where('export_id', '=', exportId)
    .where('position', 'in', (select) =>
      select
        .selectFrom('export_parts')
        .select('position')
        .where('export_id', '=', exportId)
        .orderBy('position')
        .limit(most),
    )
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** As `deleteSomeExportParts` of an export that was withdrawn; false, too, where it is being written anew: then its old parts are gone. */
export async function deleteSomeWithdrawnParts(
  connection: Connection,
  exportId: string,
  most: number,
): Promise<boolean> {
  const row = await connection
    .selectFrom('exports')
    .select('id')
    .where('id', '=', exportId)
    .where('status', 'not in', ['processing', 'completed'])
    .executeTakeFirst()
  return row !== undefined && (await deleteSomeExportParts(connection, exportId, most))
}
