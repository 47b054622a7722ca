import type { Connection } from '../engine/database.ts'
import type { DocumentRow } from '../documents/documents.ts'
import type { QualityControlTable } from '../schema/goods.ts'

/** A document and what it belongs to: a quality control, or an inbound. */
export type OwnedDocument = Pick<DocumentRow, 'id' | 'title' | 'mime_type' | 'created_at'> & {
  readonly owner_id: string
}

/** Of one inbound, the earliest first. */
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

/** Papers that came with the goods. */
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
