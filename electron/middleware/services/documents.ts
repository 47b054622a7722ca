import { readDocument } from '../data/documents.ts'
import type { ServiceContext } from './context.ts'
import { Refusal } from './refusal.ts'

/** The PDF behind a signed link. The link is judged before the document is looked for. */
export async function openDocument(
  context: ServiceContext,
  link: { documentId: string; expires: string; signature: string },
): Promise<Uint8Array> {
  context.links.verify(link.documentId, link.expires, link.signature)
  const content = await readDocument(context.database, link.documentId)
  if (content === null) throw new Refusal('not_found', 'Document not found.')
  return content
}
