import type { InboundStatus, InboundType } from '#shared/domain/resource-states.ts'
import type { DocumentRow } from '../documents/documents.ts'
import { type Connection, portions } from '../engine/database.ts'
import { type Page, readPage } from '../engine/listing.ts'
import type { InboundLineTable, InboundTable, QualityControlTable } from '../schema/moves.ts'

/** The columns of an inbound that a list shows. */
const listedInboundColumns = [
  'id',
  'customer_id',
  'reference',
  'external_reference',
  'is_return',
  'status',
  'type',
  'inbound_date',
  'note',
  'created_at',
  'modified_at',
] as const satisfies readonly (keyof InboundTable)[]

/** An inbound without its `meta_data`, as lists and the responses about batches (API.md 4.1) contain it. */
export type ListedInbound = Pick<InboundTable, (typeof listedInboundColumns)[number]>

/** Filters of inbounds. An inbound must match all fields exactly; a field with null restricts nothing. */
export interface InboundFilters {
  readonly reference: string | null
  readonly status: InboundStatus | null
  readonly type: InboundType | null
}

export async function listInbounds(
  connection: Connection,
  customerId: string,
  { reference, status, type }: InboundFilters,
  page: Page,
): Promise<ListedInbound[]> {
  let query = connection
    .selectFrom('inbounds')
    .select(listedInboundColumns)
    .where('customer_id', '=', customerId)
  if (reference !== null) query = query.where('reference', '=', reference)
  if (status !== null) query = query.where('status', '=', status)
  if (type !== null) query = query.where('type', '=', type)
  return readPage(connection, query, page)
}

export async function findInbound(
  connection: Connection,
  customerId: string,
  id: string,
): Promise<InboundTable | null> {
  const row = await connection
    .selectFrom('inbounds')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Returns an inbound of any customer by its id, for the warehouse, which serves all customers. Null: it does not exist.
 */
export async function findAnyInbound(connection: Connection, id: string): Promise<InboundTable | null> {
  const row = await connection.selectFrom('inbounds').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}

export async function findInbounds(
  connection: Connection,
  ids: readonly string[],
): Promise<Map<string, ListedInbound>> {
  if (ids.length === 0) return new Map()
  const rows = await connection
    .selectFrom('inbounds')
    .select(listedInboundColumns)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns the lines of one inbound, sorted by position. */
export async function linesOfInbound(connection: Connection, inboundId: string): Promise<InboundLineTable[]> {
  return connection
    .selectFrom('inbound_lines')
    .selectAll()
    .where('inbound_id', '=', inboundId)
    .orderBy('position')
    .execute()
}

const listedLineColumns = [
  'inbound_id',
  'variant_id',
  'quantity',
  'processed',
  'packing_slip',
] as const satisfies readonly (keyof InboundLineTable)[]

/**
 * The columns of an inbound's line that the responses about batches need (API.md 4.1), without serial numbers and
 * `meta_data`.
 */
export type ListedInboundLine = Pick<InboundLineTable, (typeof listedLineColumns)[number]>

/** Returns the lines of the given inbounds, sorted by inbound and then by position. */
export async function linesOfInbounds(
  connection: Connection,
  inboundIds: readonly string[],
): Promise<ListedInboundLine[]> {
  if (inboundIds.length === 0) return []
  return connection
    .selectFrom('inbound_lines')
    .select(listedLineColumns)
    .where('inbound_id', 'in', inboundIds)
    .orderBy('inbound_id')
    .orderBy('position')
    .execute()
}

export async function insertInbound(
  connection: Connection,
  row: InboundTable,
  lines: readonly InboundLineTable[],
): Promise<void> {
  await connection.insertInto('inbounds').values(row).execute()
  await insertLines(connection, lines)
}

/** Replaces all lines of the inbound. */
export async function replaceInboundLines(
  connection: Connection,
  inboundId: string,
  lines: readonly InboundLineTable[],
): Promise<void> {
  await connection.deleteFrom('inbound_lines').where('inbound_id', '=', inboundId).execute()
  await insertLines(connection, lines)
}

async function insertLines(connection: Connection, lines: readonly InboundLineTable[]): Promise<void> {
  for (const rows of portions(lines)) await connection.insertInto('inbound_lines').values(rows).execute()
}

/**
 * Stores the counted quantity and the serial numbers of a line. If the line was not announced, adds it to the inbound.
 */
export async function putInboundLine(connection: Connection, line: InboundLineTable): Promise<void> {
  const { processed, serial_numbers } = line
  await connection
    .insertInto('inbound_lines')
    .values(line)
    .onConflict((conflict) =>
      conflict.columns(['inbound_id', 'position']).doUpdateSet({ processed, serial_numbers }),
    )
    .execute()
}

type InboundChanges = Partial<
  Pick<InboundTable, 'external_reference' | 'inbound_date' | 'note' | 'meta_data' | 'status'>
>

/**
 * Changes an inbound if its status in the database is still that of `inbound`. Otherwise returns false and changes
 * nothing.
 */
export async function changeInbound(
  connection: Connection,
  inbound: Pick<InboundTable, 'id' | 'status'>,
  changes: InboundChanges,
  modifiedAt: string,
): Promise<boolean> {
  const result = await connection
    .updateTable('inbounds')
    .set({ ...changes, modified_at: modifiedAt })
    .where('id', '=', inbound.id)
    .where('status', '=', inbound.status)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** A document, with the id of the quality control or inbound to which it belongs. */
export type OwnedDocument = Pick<DocumentRow, 'id' | 'title' | 'mime_type' | 'created_at'> & {
  readonly owner_id: string
}

/** Returns the quality controls of an inbound, the earliest first. */
export async function controlsOfInbound(
  connection: Connection,
  inboundId: string,
): Promise<QualityControlTable[]> {
  return connection
    .selectFrom('quality_controls')
    .selectAll()
    .where('inbound_id', '=', inboundId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function documentsOfControls(
  connection: Connection,
  controlIds: readonly string[],
): Promise<OwnedDocument[]> {
  if (controlIds.length === 0) return []
  return connection
    .selectFrom('quality_control_documents')
    .innerJoin('documents', 'documents.id', 'document_id')
    .select(['quality_control_id as owner_id', 'documents.id', 'title', 'mime_type', 'created_at'])
    .where('quality_control_id', 'in', controlIds)
    .orderBy('created_at')
    .orderBy('documents.id')
    .execute()
}

/** Returns the documents that arrived with the goods of an inbound. */
export async function documentsOfInbound(
  connection: Connection,
  inboundId: string,
): Promise<OwnedDocument[]> {
  return connection
    .selectFrom('inbound_documents')
    .innerJoin('documents', 'documents.id', 'document_id')
    .select(['inbound_id as owner_id', 'documents.id', 'title', 'mime_type', 'created_at'])
    .where('inbound_id', '=', inboundId)
    .orderBy('created_at')
    .orderBy('documents.id')
    .execute()
}

export async function insertQualityControl(connection: Connection, row: QualityControlTable): Promise<void> {
  await connection.insertInto('quality_controls').values(row).execute()
}
