import { z } from 'zod'
import { openDocument } from '../services/documents.ts'
import type { RouteHost } from './register.ts'

/** Missing or doubled parts count as empty: no signature fits those. */
const link = z.object({ expires: z.string().catch(''), signature: z.string().catch('') })
const file = z.object({ file: z.string() })

/**
 * PDFs behind signed links (the `url` of a return label). No token and no code headers: the link is the permission,
 * so it goes to label printers and browsers as it is. Not in the shared route table: clients only follow links.
 */
export function registerFiles({ app, context }: RouteHost): void {
  app.get('/wms/files/:file', { schema: { hide: true } }, async (request, reply) => {
    const documentId = file.parse(request.params).file.replace(/\.pdf$/, '')
    const { expires, signature } = link.parse(request.query)
    const content = await openDocument(context, { documentId, expires, signature })
    return reply
      .type('application/pdf')
      .header('content-disposition', 'inline; filename="return-label.pdf"')
      .send(Buffer.from(content))
  })
}
