import {
  deleteDocument,
  type DocumentRow,
  findDocument,
  measureDocument,
  readDocumentPart,
  unlinkDocument,
} from '../../data/documents/documents.ts'
import { inTransaction, type Connection } from '../../data/engine/database.ts'
import { forgetDocument } from '../../data/shipments/return-labels.ts'
import { networkOf } from '../access/network-of-address.ts'
import { type Customer, type ServiceContext, storedNow } from '../context.ts'
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
 * of the client.
 */
export async function openDocument(
  context: ServiceContext,
  link: { documentId: string; expires: string; signature: string; address: string },
): Promise<OpenedDocument> {
  context.links.verify(link.documentId, link.expires, link.signature)
  const document = await context.turns.lookUp(networkOf(link.address), () =>
    measureDocument(context.database, link.documentId),
  )
  if (document === null) throw documentNotFound()
  const { title, mime_type: mimeType, document_type: documentType, customer_id: owner, size } = document
  const read = (start: number): Promise<Uint8Array | null> =>
    context.turns.step(owner, () =>
      context.turns.lookUp(owner, () =>
        readDocumentPart(context.database, link.documentId, { start, length: partBytes }),
      ),
    )
  return { title, mimeType, documentType, size, content: inPieces(context, owner, parts(read, size)) }
}

/**
 * Size of a part that is read at once. A small part saves memory, because a slow client keeps a part in memory. A large
 * part saves reads, because the database reads the whole document for each part.
 */
const partBytes = 1024 * 1024

/** `read` returns the part that begins at a byte, or null if the document no longer exists. */
async function* parts(
  read: (start: number) => Promise<Uint8Array | null>,
  size: number,
): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < size; start += partBytes) {
    const part = await read(start)
    if (part === null) throw documentNotFound()
    yield part
  }
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

/** Deletes a document permanently. */
export async function removeDocument(context: ServiceContext, customer: Customer, id: string): Promise<void> {
  await getDocument(context, customer, id)
  await inTransaction(context.database, (transaction) => discardDocument(transaction, id, storedNow(context)))
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
