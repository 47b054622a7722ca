import { deleteDocument, type DocumentRow, findDocument, readDocument } from '../data/documents.ts'
import { forgetDocument } from '../data/return-labels.ts'
import { type Customer, type ServiceContext, storedNow } from './context.ts'
import { Refusal } from './refusal.ts'

/** The PDF behind a signed link. The link is judged before the document is looked for. */
export async function openDocument(
  context: ServiceContext,
  link: { documentId: string; expires: string; signature: string },
): Promise<Uint8Array> {
  context.links.verify(link.documentId, link.expires, link.signature)
  const content = await readDocument(context.database, link.documentId)
  if (content === null) throw documentNotFound()
  return content
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

/** For good: the label it belongs to stays requested and keeps its tracking, with no PDF. */
export async function removeDocument(context: ServiceContext, customer: Customer, id: string): Promise<void> {
  await getDocument(context, customer, id)
  await context.database.transaction().execute(async (transaction) => {
    await forgetDocument(transaction, id, storedNow(context))
    await deleteDocument(transaction, id)
  })
}

function documentNotFound(): Refusal {
  return new Refusal('not_found', 'Document not found.')
}
