import { z } from 'zod'
import { listQuery } from './listing.ts'
import { byId } from './primitives.ts'
import {
  byDelivery,
  createdWebhook,
  webhook,
  webhookCreate,
  webhookDelivery,
  webhookDeliveryPage,
  webhookDeliveryQuery,
  webhookPage,
  webhookPatch,
  webhookReplay,
  webhookReplayed,
} from './webhook.ts'

/**
 * Webhooks (API.md 13): registration, whose example changes a webhook by PUT, and this program's log of the
 * notifications (13.4).
 */
export const webhookRoutes = {
  listWebhooks: {
    summary: 'List webhooks',
    method: 'GET',
    path: '/webhooks/',
    query: listQuery(['createdAt']),
    status: 200,
    response: webhookPage,
    role: 'WEBHOOKS_READ',
  },
  getWebhook: {
    summary: 'Get a webhook',
    method: 'GET',
    path: '/webhooks/:id/',
    params: byId,
    status: 200,
    response: webhook,
    role: 'WEBHOOKS_READ',
  },
  createWebhook: {
    summary: 'Register a webhook',
    method: 'POST',
    path: '/webhooks/',
    failures: [409],
    body: webhookCreate,
    status: 201,
    response: createdWebhook,
    role: 'WEBHOOKS_CREATE',
  },
  patchWebhook: {
    summary: 'Change a webhook',
    method: 'PATCH',
    path: '/webhooks/:id/',
    params: byId,
    body: webhookPatch,
    status: 200,
    response: webhook,
    role: 'WEBHOOKS_UPDATE',
  },
  putWebhook: {
    summary: 'Change a webhook',
    method: 'PUT',
    path: '/webhooks/:id/',
    params: byId,
    body: webhookPatch,
    status: 200,
    response: webhook,
    role: 'WEBHOOKS_UPDATE',
  },
  deleteWebhook: {
    summary: 'Delete a webhook',
    method: 'DELETE',
    path: '/webhooks/:id/',
    params: byId,
    status: 204,
    response: z.null(),
    role: 'WEBHOOKS_DELETE',
  },
  listDeliveries: {
    summary: 'List the deliveries of a webhook with their attempts',
    method: 'GET',
    path: '/webhooks/:id/deliveries/',
    params: byId,
    query: webhookDeliveryQuery,
    status: 200,
    response: webhookDeliveryPage,
    role: 'WEBHOOKS_READ',
  },
  replayDelivery: {
    summary: 'Send a delivery again',
    method: 'POST',
    path: '/webhooks/:id/deliveries/:delivery/replay',
    params: byDelivery,
    status: 200,
    response: webhookDelivery,
    role: 'WEBHOOKS_UPDATE',
  },
  replayWebhook: {
    summary: 'Send all deliveries of a webhook again that happened since a moment',
    method: 'POST',
    path: '/webhooks/:id/replay',
    params: byId,
    body: webhookReplay,
    status: 200,
    response: webhookReplayed,
    role: 'WEBHOOKS_UPDATE',
  },
} as const
