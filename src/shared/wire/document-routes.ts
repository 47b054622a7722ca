import { z } from 'zod'
import { document } from './document.ts'
import { byId } from './primitives.ts'

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
