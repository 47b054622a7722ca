import { z } from 'zod'
import type { DocumentTable } from '../data/schema/shipments.ts'
import { openDocument } from '../services/documents/documents.ts'
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
      .type(document.mime_type)
      .header('content-disposition', disposition(document))
      .send(Buffer.from(document.content))
  })
}

/** Shown where it is safe to show, else saved. */
function disposition({ document_type, mime_type, title }: DocumentTable): string {
  const shown = mime_type === 'application/pdf' || mime_type.startsWith('image/')
  const name = document_type === 'return_label' ? 'return-label.pdf' : title.replaceAll(/[^\w.-]+/g, '-')
  return `${shown ? 'inline' : 'attachment'}; filename="${name}"`
}
