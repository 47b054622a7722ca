import { z } from 'zod'
import { listQuery } from './listing.ts'
import { modificationStatuses } from '../domain/modification.ts'
import { modification, modificationCreate } from './modification.ts'
import { byId } from './primitives.ts'

/** Modifications (API.md 9). */
export const modificationRoutes = {
  listModifications: {
    summary: 'List stock modifications',
    method: 'GET',
    path: '/wms/modifications/',
    query: listQuery(['createdAt', 'reference']).extend({ status: z.enum(modificationStatuses).optional() }),
    status: 200,
    response: z.array(modification),
    role: 'MODIFICATIONS_READ',
  },
  getModification: {
    summary: 'Get a stock modification',
    method: 'GET',
    path: '/wms/modifications/:id/',
    params: byId,
    status: 200,
    response: modification,
    role: 'MODIFICATIONS_READ',
  },
  createModification: {
    summary: 'Create a stock modification for the warehouse to decide on',
    method: 'POST',
    path: '/wms/modifications/',
    otherPath: '/wms/modification/',
    body: modificationCreate,
    status: 201,
    response: modification,
    role: 'MODIFICATIONS_CREATE',
  },
} as const
