import { z } from 'zod'
import { inboundStatuses, inboundTypes } from '../domain/resource-states.ts'
import { inbound, inboundCreate, inboundDetail, inboundPatch, qualityControl } from './inbound.ts'
import { listQuery } from './listing.ts'
import { byId } from './primitives.ts'

/** Inbounds (API.md 5). */
export const inboundRoutes = {
  listInbounds: {
    summary: 'List inbounds',
    method: 'GET',
    path: '/wms/inbounds/',
    query: listQuery(['createdAt', 'status', 'modifiedAt', 'inboundDate']).extend({
      reference: z.string().optional(),
      status: z.enum(inboundStatuses).optional(),
      type: z.enum(inboundTypes).optional(),
    }),
    status: 200,
    response: z.array(inbound),
    role: 'INBOUNDS_READ',
  },
  getInbound: {
    summary: 'Get an inbound',
    method: 'GET',
    path: '/wms/inbounds/:id/',
    params: byId,
    status: 200,
    response: inboundDetail,
    role: 'INBOUNDS_READ',
  },
  createInbound: {
    summary: 'Announce an inbound',
    method: 'POST',
    path: '/wms/inbounds/',
    body: inboundCreate,
    status: 201,
    response: inboundDetail,
    role: 'INBOUNDS_CREATE',
  },
  patchInbound: {
    summary: 'Change an inbound',
    method: 'PATCH',
    path: '/wms/inbounds/:id/',
    failures: [412],
    params: byId,
    body: inboundPatch,
    status: 200,
    response: inboundDetail,
    role: 'INBOUNDS_UPDATE',
  },
  cancelInbound: {
    summary: 'Cancel an inbound',
    method: 'PATCH',
    path: '/wms/inbounds/:id/cancel/',
    failures: [412],
    params: byId,
    status: 204,
    response: z.null(),
    role: 'INBOUNDS_CANCEL',
  },
  listQualityControls: {
    summary: 'List the quality controls of an inbound',
    method: 'GET',
    path: '/wms/inbounds/:id/quality-controls/',
    params: byId,
    status: 200,
    response: z.array(qualityControl),
    role: 'INBOUNDS_READ',
  },
} as const
