import { z } from 'zod'
import { document } from './document.ts'
import { byId } from './primitives.ts'

/** api.md, Documents. */
export const documentRoutes = {
  getDocument: {
    method: 'GET',
    path: '/wms/documents/:id/',
    params: byId,
    status: 200,
    response: document,
    role: 'DOCUMENTS_READ',
  },
  deleteDocument: {
    method: 'DELETE',
    path: '/wms/documents/:id/',
    params: byId,
    status: 204,
    response: z.null(),
    role: 'DOCUMENTS_DELETE',
  },
} as const
