import type { Document } from '#shared/wire/document.ts'
import type { DocumentRow } from '../data/documents/documents.ts'
import { toWireTime } from './time.ts'

/** api.md, Document: both spellings of its title. A document never changes after it was made. */
export function toWireDocument(row: DocumentRow, linkTo: (documentId: string) => string): Document {
  return {
    id: row.id,
    name: row.title,
    title: row.title,
    mime_type: row.mime_type,
    document_type: row.document_type,
    url: linkTo(row.id),
    created_at: toWireTime(row.created_at),
    modified_at: toWireTime(row.created_at),
  }
}
