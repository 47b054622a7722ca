import { z } from 'zod'
import type { Document } from '#shared/wire/document.ts'
import { routes } from '#shared/wire/routes.ts'
import type { DocumentRow } from '../data/documents/documents.ts'
import {
  getDocument,
  openDocument,
  type OpenedDocument,
  removeDocument,
} from '../services/documents/documents.ts'
import { register, type RouteHost, streamed } from './register.ts'
import { toWireTime } from './wire-values.ts'

const options = { expand: [] } as const

/** Documents (API.md 12). */
export function registerDocuments(host: RouteHost): void {
  const { context } = host
  register(host, routes.getDocument, options, async ({ caller, params, linkTo }) =>
    toWireDocument(await getDocument(context, caller.customer, params.id), linkTo),
  )
  register(host, routes.deleteDocument, options, async ({ caller, params }) => {
    await removeDocument(context, caller.customer, params.id)
    return null
  })
}

/**
 * The parameters of a signed link. A missing or repeated parameter becomes an empty text, so the check of the signature
 * fails.
 */
const link = z.object({ expires: z.string().catch(''), signature: z.string().catch('') })
const file = z.object({ file: z.string() })

/**
 * Documents at signed links (the `url` of a return label or a document). They need no token and no code headers,
 * because label printers and browsers receive only the link. They are not in the shared route table, because clients do
 * not build these links.
 */
export function registerFiles({ app, context, clientAddress }: RouteHost): void {
  app.get('/wms/files/:file', { schema: { hide: true } }, async (request, reply) => {
    const documentId = file.parse(request.params).file.replace(/\.pdf$/, '')
    const { expires, signature } = link.parse(request.query)
    const address = clientAddress(request)
    const document = await openDocument(
      context,
      { documentId, expires, signature, address },
      () => reply.raw.closed,
    )
    return reply
      .type(document.mimeType)
      .header('content-length', String(document.size))
      .header('content-disposition', disposition(document))
      .send(streamed(reply, document.content))
  })
}

/** Returns the header with which a browser shows a file of a safe type and saves a file of any other type. */
function disposition({ documentType, mimeType, title }: OpenedDocument): string {
  const shown = mimeType === 'application/pdf' || mimeType.startsWith('image/')
  const name = documentType === 'return_label' ? 'return-label.pdf' : title.replaceAll(/[^\w.-]+/g, '-')
  return `${shown ? 'inline' : 'attachment'}; filename="${name}"`
}

/**
 * Returns a document (API.md 12.1), with its title as `name` and as `title`. A document never changes after its
 * creation.
 */
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
