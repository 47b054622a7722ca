import type { Connection } from '../../data/engine/database.ts'
import {
  deleteDocument,
  type DocumentRow,
  findDocument,
  readDocument,
  unlinkDocument,
} from '../../data/documents/documents.ts'
import { forgetDocument } from '../../data/shipments/return-labels.ts'
import type { DocumentTable } from '../../data/schema/shipments.ts'
import { type Customer, type ServiceContext, storedNow } from '../context.ts'
import { Refusal } from '../refusal.ts'

/** The document behind a signed link. The link is judged before the document is looked for. */
export async function openDocument(
  context: ServiceContext,
  link: { documentId: string; expires: string; signature: string },
): Promise<DocumentTable> {
  context.links.verify(link.documentId, link.expires, link.signature)
  const document = await readDocument(context.database, link.documentId)
  if (document === null) throw documentNotFound()
  return document
}

export async function getDocument(
  context: ServiceContext,
  customer: Customer,
  id: string,
): Promise<DocumentRow> {
  const document = await findDocument(context.database, customer.id, id)
  if (document === null) throw documentNotFound()
  return document
}

/** For good. */
export async function removeDocument(context: ServiceContext, customer: Customer, id: string): Promise<void> {
  await getDocument(context, customer, id)
  await context.database
    .transaction()
    .execute((transaction) => discardDocument(transaction, id, storedNow(context)))
}

/** What it hung on stays as it is: a label keeps its tracking, with no PDF. */
export async function discardDocument(connection: Connection, id: string, now: string): Promise<void> {
  await forgetDocument(connection, id, now)
  await unlinkDocument(connection, id)
  await deleteDocument(connection, id)
}

function documentNotFound(): Refusal {
  return new Refusal('not_found', 'Document not found.')
}
