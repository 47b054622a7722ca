import { setImmediate as turn } from 'node:timers/promises'
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
  const lookUp = <Result>(work: () => Promise<Result>): Promise<Result> =>
    context.turns.lookUp(networkOf(link.address), work)
  const document = await lookUp(() => measureDocument(context.database, link.documentId))
  if (document === null) throw documentNotFound()
  const { title, mime_type: mimeType, document_type: documentType, size } = document
  const read = (start: number): Promise<Uint8Array | null> =>
    lookUp(() => readDocumentPart(context.database, link.documentId, { start, length: pieceBytes }))
  return { title, mimeType, documentType, size, content: pieces(read, size) }
}

/**
 * Size of a piece. A small piece saves memory, because a slow client keeps two pieces in memory. A large piece saves
 * reads, because the database reads the whole document for each piece.
 */
const pieceBytes = 1024 * 1024

/** `read` returns the piece that begins at a byte, or null if the document no longer exists. */
async function* pieces(
  read: (start: number) => Promise<Uint8Array | null>,
  size: number,
): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < size; start += pieceBytes) {
    const piece = await read(start)
    if (piece === null) throw documentNotFound()
    yield piece
    // other calls run before the next piece of the document is read
    await turn()
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
