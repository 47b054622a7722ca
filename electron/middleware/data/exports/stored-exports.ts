import { type Insertable, sql } from 'kysely'
import { z } from 'zod'
import {
  type ExportFamily,
  type ExportStatus,
  exportStatusesBefore,
  type ExportTypeOf,
} from '#shared/domain/exports.ts'
import type { Connection } from '../engine/database.ts'
import type { ExportFailure, ExportRow, ExportTable } from '../schema/exports.ts'

const text = z.string().nullable()
const filters = z.object({ search: text, from: text, to: text })
/** The filters as the client sent them. */
export type StoredExportFilters = z.output<typeof filters>

const fields = z.array(z.string())

/** Parses the filters of an export, which are stored as JSON text. */
export function readExportFilters(stored: string): StoredExportFilters {
  return filters.parse(JSON.parse(stored))
}

export function readExportFields(stored: string): string[] {
  return fields.parse(JSON.parse(stored))
}

/**
 * The conditions of the partial indexes of exports. SQLite uses a partial index only for a query that repeats the
 * condition of the index. Most exports are old and meet only `hasEnded`.
 */
const isUnwritten = sql<boolean>`status in ('created', 'processing')`
/** SQL condition: the export has a file, or parts of a file that is being written or deleted. */
const hasFile = sql<boolean>`bytes > 0`
/** SQL condition: the export is expired or failed, and its file is deleted. */
const hasEnded = sql<boolean>`bytes = 0 and status in ('expired', 'failed')`

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

/** Counts the exports of the customer that are not written yet. */
export async function countWaitingExports(connection: Connection, customerId: string): Promise<number> {
  const { count } = await connection
    .selectFrom('exports')
    .select((from) => from.fn.countAll<number>().as('count'))
    .where('customer_id', '=', customerId)
    .where(isUnwritten)
    .executeTakeFirstOrThrow()
  return count
}

/** ISO times; both ends belong to the period. */
interface Period {
  readonly from: string
  readonly to: string
}

/**
 * Returns the next export to write: the oldest waiting export of the next customer who has one. The customers are in
 * the order of their ids, beginning after `customerId` (null: with the first customer). After the last customer the
 * first one follows. Leaves out the customers in `exceptCustomers`, and exports that the database refused
 * (`refuseExport`) in the period `refused`, so that the other exports of the same customer come before them.
 */
export async function nextWaitingExport(
  connection: Connection,
  customerId: string | null,
  exceptCustomers: readonly string[],
  refused: Period,
): Promise<ExportRow | null> {
  const first = (afterCustomer: string): Promise<ExportRow | null> =>
    firstWaitingExport(connection, { afterCustomer, exceptCustomers, refused })
  const after = await first(customerId ?? '')
  return after !== null || customerId === null ? after : first('')
}

async function firstWaitingExport(
  connection: Connection,
  {
    afterCustomer,
    exceptCustomers,
    refused,
  }: {
    readonly afterCustomer: string
    readonly exceptCustomers: readonly string[]
    readonly refused: Period
  },
): Promise<ExportRow | null> {
  const all = connection
    .selectFrom('exports')
    .selectAll()
    .where(isUnwritten)
    .where('status', '=', 'created')
    .where('customer_id', '>', afterCustomer)
    .where(sql<boolean>`(refusals = 0 or modified_at not between ${refused.from} and ${refused.to})`)
  // the condition is omitted for an empty list, because SQL does not allow an empty list after `not in`
  const left = exceptCustomers.length === 0 ? all : all.where('customer_id', 'not in', exceptCustomers)
  const row = await left
    .orderBy('customer_id')
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Changes the state of an export. If the present state does not allow the transition, returns false and changes
 * nothing.
 */
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

/** Moves an export to `failed` like `moveExport`, and stores the reason. Null: the reason is unknown. */
export async function failExport(
  connection: Connection,
  id: string,
  failure: ExportFailure | null,
  now: string,
): Promise<void> {
  if (await moveExport(connection, id, 'failed', now))
    await connection.updateTable('exports').set({ failure }).where('id', '=', id).execute()
}

/** An export that the database refused this number of times is not written again. */
const mostRefusals = 3

/**
 * Releases an export that is being written and that the database refused for lack of space, memory or time, so that it
 * is written again later. After `mostRefusals` the export becomes `failed` instead. Returns the new state. Null: the
 * export is not being written, and nothing is changed.
 */
export async function refuseExport(
  connection: Connection,
  id: string,
  now: string,
): Promise<ExportStatus | null> {
  const row = await connection
    .updateTable('exports')
    .set({
      status: sql<ExportStatus>`case when refusals + 1 < ${mostRefusals} then 'created' else 'failed' end`,
      refusals: sql<number>`refusals + 1`,
      modified_at: now,
    })
    .where('id', '=', id)
    .where('status', '=', 'processing')
    .returning('status')
    .executeTakeFirst()
  return row?.status ?? null
}

/**
 * An export whose writing was interrupted by this number of crashes is not written again, because the export may cause
 * the crashes.
 */
const mostInterruptions = 2

/** Returns the ids of the customers with exports that a process is writing, or was writing when it crashed. */
export async function customersWithBegunExports(connection: Connection): Promise<string[]> {
  const rows = await connection
    .selectFrom('exports')
    .select('customer_id')
    .distinct()
    .where(isUnwritten)
    .where('status', '=', 'processing')
    .execute()
  return rows.map(({ customer_id }) => customer_id)
}

/**
 * Releases the exports of a customer that a crashed process was writing, so that they are written again. An export that
 * was interrupted by a second crash becomes `failed` instead. Returns the numbers of released and of failed exports.
 */
export async function releaseAbandonedExports(
  connection: Connection,
  customerId: string,
  now: string,
): Promise<{ readonly released: number; readonly failed: number }> {
  const rows = await connection
    .updateTable('exports')
    .set({
      status: sql<ExportStatus>`case when interruptions + 1 < ${mostInterruptions} then 'created' else 'failed' end`,
      interruptions: sql<number>`interruptions + 1`,
      modified_at: now,
    })
    .where('customer_id', '=', customerId)
    .where(isUnwritten)
    .where('status', '=', 'processing')
    .returning('status')
    .execute()
  const failed = rows.filter(({ status }) => status === 'failed').length
  return { released: rows.length - failed, failed }
}

/**
 * Returns up to `limit` exports of the customer after `after`, in the order of their creation. The query has no
 * condition on the filters of the exports, so that it visits no more rows than it returns.
 */
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
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Replaces the search text in the filters of an export. A waiting export uses the new text. */
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

/**
 * Whether a file of a type can name a person. Files of orders and shipments name the recipient. A file that lists
 * exports names a person if one of their search texts does. A redaction withdraws the files of all types that can name
 * a person.
 */
const namesPersons: Readonly<Record<ExportTypeOf<ExportFamily>, boolean>> = {
  ...{ orders: true, shipments: true, exports: true },
  ...{ stock: false, modifications: false, transfers: false, inbounds: false, serial_numbers: false },
  ...{ external_shipments: false, packings: false, locations: false, colloType: false, fillings: false },
}
const typesNamingPersons = Object.entries(namesPersons)
  .filter(([, names]) => names)
  .map(([type]) => type)

/**
 * Withdraws the customer's files that may name persons: clients can no longer read them. An export that is being
 * written is started again. Returns the ids of the exports that may still have parts; `deleteSomeWithdrawnParts`
 * deletes these parts.
 */
export async function withdrawExports(
  connection: Connection,
  customerId: string,
  now: string,
): Promise<string[]> {
  const naming = connection
    .selectFrom('exports')
    .select(['id', 'status'])
    .where('customer_id', '=', customerId)
    .where('family', '=', 'standard')
    .where('type', 'in', typesNamingPersons)
  // the query has no condition on the state of an export, because an expired or failed export may still have parts
  const stored = await naming.where(hasFile).execute()
  const begun = await naming
    .where(isUnwritten)
    .where('status', '=', 'processing')
    .where('bytes', '=', 0)
    .execute()
  const rows = [...stored, ...begun]
  for (const { id, status } of rows)
    await moveExport(connection, id, status === 'processing' ? 'created' : 'expired', now)
  return rows.map(({ id }) => id)
}

/** Returns the number of a customer's files and their total size in bytes. */
export async function measureExportFiles(
  connection: Connection,
  customerId: string,
): Promise<{ readonly files: number; readonly bytes: number }> {
  return connection
    .selectFrom('exports')
    .select(({ fn }) => [fn.countAll<number>().as('files'), sql<number>`coalesce(sum(bytes), 0)`.as('bytes')])
    .where('customer_id', '=', customerId)
    .where(hasFile)
    .executeTakeFirstOrThrow()
}

/**
 * Returns the id of the customer's least recently changed export whose file may be deleted: the export has a file, and
 * neither waits to be written nor is being written. Null: there is none.
 */
export async function oldestExportFile(connection: Connection, customerId: string): Promise<string | null> {
  const row = await connection
    .selectFrom('exports')
    .select('id')
    .where('customer_id', '=', customerId)
    .where(hasFile)
    .where('status', 'in', ['completed', 'expired', 'failed'])
    .orderBy('modified_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}

/**
 * Returns the id of an export of any customer whose file must be deleted: an expired or failed export, or a completed
 * export that last changed before `before`. Null: there is none. Each status has a separate query, because one query
 * for all of them would sort all files.
 */
export async function nextFileToDelete(connection: Connection, before: string): Promise<string | null> {
  const files = connection.selectFrom('exports').select('id').where(hasFile).limit(1)
  for (const status of ['expired', 'failed'] as const) {
    const ended = await files.where('status', '=', status).executeTakeFirst()
    if (ended !== undefined) return ended.id
  }
  const old = await files
    .where('status', '=', 'completed')
    .where('modified_at', '<', before)
    .orderBy('modified_at')
    .orderBy('id')
    .executeTakeFirst()
  return old?.id ?? null
}

/** Number of exports that one step deletes. Other calls run between two steps. */
const exportsDeletedAtOnce = 100

/**
 * Deletes expired and failed exports of any customer that have no file and last changed before `before`. Deletes the
 * oldest first, at most `exportsDeletedAtOnce`. Returns the number of deleted exports.
 */
export async function deleteSomeOldExports(connection: Connection, before: string): Promise<number> {
  const { numDeletedRows } = await connection
    .deleteFrom('exports')
    .where('id', 'in', (select) =>
      select
        .selectFrom('exports')
        .select('id')
        .where(hasEnded)
        .where('modified_at', '<', before)
        .orderBy('modified_at')
        .orderBy('id')
        .limit(exportsDeletedAtOnce),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Adds a part to the file of an export. If the export was withdrawn meanwhile, returns false and changes nothing. */
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
        .select([
          'id',
          sql<number>`cast(${position} as bigint)`.as('position'),
          sql<string>`cast(${content} as text)`.as('content'),
        ])
        .where('id', '=', exportId)
        .where('status', '=', 'processing'),
    )
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Returns the part at a position in the file. Null: the file has no such part. */
export async function readExportPart(
  connection: Connection,
  exportId: string,
  position: number,
): Promise<string | null> {
  const row = await connection
    .selectFrom('export_parts')
    .select('content')
    .where('export_id', '=', exportId)
    .where('position', '=', position)
    .executeTakeFirst()
  return row?.content ?? null
}

/**
 * Number of parts that one step deletes. It is small, because SQLite needs time to overwrite deleted data, and other
 * calls can run only between two steps.
 */
const partsDeletedAtOnce = 4

/** Deletes the first parts of an export, at most `partsDeletedAtOnce`. Returns false if the export has no parts. */
export async function deleteSomeExportParts(connection: Connection, exportId: string): Promise<boolean> {
  const { numDeletedRows } = await connection
    .deleteFrom('export_parts')
    .where('export_id', '=', exportId)
    .where('position', 'in', (select) =>
      select
        .selectFrom('export_parts')
        .select('position')
        .where('export_id', '=', exportId)
        .orderBy('position')
        .limit(partsDeletedAtOnce),
    )
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * Deletes the first parts of a withdrawn export, as `deleteSomeExportParts` does. If the export is being written again,
 * deletes nothing and returns false, because the process that writes it deletes the old parts.
 */
export async function deleteSomeWithdrawnParts(connection: Connection, exportId: string): Promise<boolean> {
  const row = await connection
    .selectFrom('exports')
    .select('id')
    .where('id', '=', exportId)
    .where('status', 'not in', ['processing', 'completed'])
    .executeTakeFirst()
  return row !== undefined && (await deleteSomeExportParts(connection, exportId))
}
