import { Readable } from 'node:stream'
import { z } from 'zod'
import { openDocument, type OpenedDocument } from '../services/documents/documents.ts'
import type { RouteHost } from './register.ts'

/** Missing or doubled parts count as empty: no signature fits those. */
const link = z.object({ expires: z.string().catch(''), signature: z.string().catch('') })
const file = z.object({ file: z.string() })

/**
 * Documents behind signed links (the `url` of a return label or a document). No token and no code headers: the link is the permission,
 * so it goes to label printers and browsers as it is. Not in the shared route table: clients only follow links.
 */
export function registerFiles({ app, context }: RouteHost): void {
  app.get('/wms/files/:file', { schema: { hide: true } }, async (request, reply) => {
    const documentId = file.parse(request.params).file.replace(/\.pdf$/, '')
    const { expires, signature } = link.parse(request.query)
    const document = await openDocument(context, { documentId, expires, signature })
    return reply
      .type(document.mimeType)
      .header('content-length', String(document.size))
      .header('content-disposition', disposition(document))
      .send(Readable.from(document.content, { highWaterMark: 1 }))
  })
}

/** Shown where it is safe to show, else saved. */
function disposition({ documentType, mimeType, title }: OpenedDocument): string {
  const shown = mimeType === 'application/pdf' || mimeType.startsWith('image/')
  const name = documentType === 'return_label' ? 'return-label.pdf' : title.replaceAll(/[^\w.-]+/g, '-')
  return `${shown ? 'inline' : 'attachment'}; filename="${name}"`
}
