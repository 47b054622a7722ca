import {
  deleteDocument,
  type DocumentRow,
  findDocument,
  measureDocument,
  readDocumentPart,
  touchDocumentHolders,
  unlinkDocument,
} from '../../data/documents/documents.ts'
import type { Connection } from '../../data/engine/database.ts'
import { forgetDocument } from '../../data/shipments/return-labels.ts'
import { networkOf } from '../access/network-of-address.ts'
import { type Customer, type ServiceContext, transact } from '../context.ts'
import { inPieces } from '../downloads.ts'
import { Refusal } from '../refusal.ts'

export interface OpenedDocument {
  readonly title: string
  readonly mimeType: string
  readonly documentType: string
  /** The size in bytes. */
  readonly size: number
  /**
   * The bytes in pieces. Each piece is read when the consumer asks for it. Throws if the document is deleted meanwhile.
   */
  readonly content: AsyncIterable<Uint8Array>
}

/**
 * Opens the document of a signed link. The signature is verified before the database is read. `address`: the IP address
 * of the client. `hasLeft`: whether the client has disconnected. The downloads of one network wait for each other. The
 * downloads of one customer do not wait for each other, because anyone who has a link could then delay all downloads of
 * the customer.
 */
export async function openDocument(
  { database, links, turns }: ServiceContext,
  link: { documentId: string; expires: string; signature: string; address: string },
  hasLeft: () => boolean,
): Promise<OpenedDocument> {
  const { documentId } = link
  links.verify(documentId, link.expires, link.signature)
  const owner = networkOf(link.address)
  const document = await turns.lookUp(owner, () => measureDocument(database, documentId))
  if (document === null) throw documentNotFound()
  const { title, mime_type: mimeType, document_type: documentType, size } = document
  const read = async (position: number): Promise<Uint8Array | null> => {
    const start = position * partBytes
    if (start >= size) return null
    const part = await turns.lookUp(owner, () =>
      readDocumentPart(database, documentId, { start, length: partBytes }),
    )
    if (part === null) throw documentNotFound()
    return part
  }
  const content = inPieces({ turns }, { owner, file: `document ${documentId}`, read, hasLeft })
  return { title, mimeType, documentType, size, content }
}

/**
 * Size of a part that is read at once. A small part saves memory, because a download keeps a part in memory. A large
 * part saves reads, because the database reads the whole document for each part.
 */
const partBytes = 1024 * 1024

export async function getDocument(
  context: ServiceContext,
  customer: Customer,
  id: string,
): Promise<DocumentRow> {
  const document = await findDocument(context.database, customer.id, id)
  if (document === null) throw documentNotFound()
  return document
}

/**
 * Deletes a document permanently. The order or inbound to which it belongs counts as changed, for webhooks and the
 * warehouse too.
 */
export async function removeDocument(context: ServiceContext, customer: Customer, id: string): Promise<void> {
  await getDocument(context, customer, id)
  await transact(context, async (unit) => {
    const holders = await touchDocumentHolders(unit.connection, id, unit.now)
    await discardDocument(unit.connection, id, unit.now)
    for (const holder of holders) {
      const subject = { customerId: customer.id, id: holder.id }
      unit.changed(holder.kind, 'updated', subject)
      unit.forWarehouse(holder.kind, subject)
    }
  })
}

/**
 * Deletes a document and leaves the record to which it belongs unchanged: a label keeps its tracking data, without a
 * PDF.
 */
export async function discardDocument(connection: Connection, id: string, now: string): Promise<void> {
  await forgetDocument(connection, id, now)
  await unlinkDocument(connection, id)
  await deleteDocument(connection, id)
}

function documentNotFound(): Refusal {
  return new Refusal('not_found', 'Document not found.')
}
