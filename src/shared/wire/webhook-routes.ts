import { z } from 'zod'
import { listQuery } from './listing.ts'
import { byId } from './primitives.ts'
import { createdWebhook, webhook, webhookCreate, webhookPage, webhookPatch } from './webhook.ts'

/** api.md, Webhooks: registration. Its example changes one by PUT. */
export const webhookRoutes = {
  listWebhooks: {
    method: 'GET',
    path: '/webhooks/',
    query: listQuery(['createdAt']),
    status: 200,
    response: webhookPage,
    role: 'WEBHOOKS_READ',
  },
  getWebhook: {
    method: 'GET',
    path: '/webhooks/:id/',
    params: byId,
    status: 200,
    response: webhook,
    role: 'WEBHOOKS_READ',
  },
  createWebhook: {
    method: 'POST',
    path: '/webhooks/',
    body: webhookCreate,
    status: 201,
    response: createdWebhook,
    role: 'WEBHOOKS_CREATE',
  },
  patchWebhook: {
    method: 'PATCH',
    path: '/webhooks/:id/',
    params: byId,
    body: webhookPatch,
    status: 200,
    response: webhook,
    role: 'WEBHOOKS_UPDATE',
  },
  putWebhook: {
    method: 'PUT',
    path: '/webhooks/:id/',
    params: byId,
    body: webhookPatch,
    status: 200,
    response: webhook,
    role: 'WEBHOOKS_UPDATE',
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/webhooks/:id/',
    params: byId,
    status: 204,
    response: z.null(),
    role: 'WEBHOOKS_DELETE',
  },
} as const
