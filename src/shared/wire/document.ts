import { z } from 'zod'
import { dateTime, id, nullableText, byId } from './primitives.ts'

/** A single document (API.md 12.1); services return its title as `name` or as `title`. `url` is signed and expires. */
export const document = z.object({
  id,
  name: z.string().optional(),
  title: z.string().optional(),
  mime_type: nullableText,
  document_type: nullableText,
  url: nullableText,
  created_at: dateTime,
  modified_at: dateTime,
})
export type Document = z.infer<typeof document>

/** Documents (API.md 12). */
export const documentRoutes = {
  getDocument: {
    summary: 'Get a document with a link to its file',
    method: 'GET',
    path: '/wms/documents/:id/',
    params: byId,
    status: 200,
    response: document,
    role: 'DOCUMENTS_READ',
  },
  deleteDocument: {
    summary: 'Delete a document',
    method: 'DELETE',
    path: '/wms/documents/:id/',
    params: byId,
    status: 204,
    response: z.null(),
    role: 'DOCUMENTS_DELETE',
  },
} as const
