import { z } from 'zod'
import { isWebhookTopic, type WebhookGroup, webhookGroups } from '../domain/webhook-topics.ts'
import { listQuery } from './listing.ts'
import { dateTime, id, byId } from './primitives.ts'

const url = z.url({ protocol: /^https$/, error: 'This value should be an https URL.' }).max(2000)
const group = z.enum(webhookGroups)
const action = z.string().trim().min(1)

/** Webhook (API.md 13.1) without its secret. */
export const webhook = z.object({
  id,
  url: z.string(),
  group: z.string(),
  action: z.string(),
  topic: z.string(),
  customer: id,
  created_at: dateTime,
  modified_at: dateTime,
})
export type Webhook = z.output<typeof webhook>

/** The response to a create: the only response with the secret. */
export const createdWebhook = webhook.extend({ hash_secret: z.string() })
export type CreatedWebhook = z.output<typeof createdWebhook>

/**
 * A page of webhooks. Of the contract's lists only this one is inside an object (API.md 1.8); `next` and `previous` are
 * URLs.
 */
export const webhookPage = z.object({
  count: z.number().int(),
  next: z.string().nullable(),
  previous: z.string().nullable(),
  results: z.array(webhook),
})

/** Body of POST /webhooks/ (API.md 13.1). */
export const webhookCreate = z
  .object({ url, group, action, hash_secret: z.string().min(1).max(255) })
  .superRefine(knownAction)

/** Body of PATCH and PUT /webhooks/:id/: only the fields to change. The secret cannot be changed. */
export const webhookPatch = z.object({ url, group, action }).partial().superRefine(knownAction)

/**
 * Checks that the `action` of a webhook exists in its `group`. A change with only one of these two fields is accepted
 * here, and checked together with the stored value of the other field when the webhook is changed.
 */
function knownAction(
  given: { group?: WebhookGroup | undefined; action?: string | undefined },
  context: z.RefinementCtx,
): void {
  if (given.group === undefined || given.action === undefined) return
  if (!isWebhookTopic(given.group, given.action))
    context.addIssue({
      code: 'custom',
      path: ['action'],
      message: `The group ${given.group} has no such action.`,
    })
}

/** State of a notification. `given_up`: no attempt to deliver it succeeded, and no further attempt follows. */
const deliveryState = z.enum(['pending', 'delivered', 'given_up'])

/** One event for one webhook, and the attempts to deliver it. The contract has no such resource (API.md 13.4). */
export const webhookDelivery = z.object({
  id: z.number().int(),
  /** The value of `X-Webhook-Id` in the request to the receiver. */
  event_id: id,
  topic: z.string(),
  entity_id: id,
  state: deliveryState,
  /** Number of attempts to deliver the event since it occurred, or since its last replay. */
  attempts: z.number().int(),
  /**
   * Time of the next attempt. Null for a pending delivery: the first attempt follows as soon as possible. Null for any
   * other delivery: no attempt follows.
   */
  next_at: dateTime.nullable(),
  created_at: dateTime,
  log: z.array(
    z.object({
      started_at: dateTime,
      duration_ms: z.number().int(),
      /** HTTP status; null: no response arrived. */
      status: z.number().int().nullable(),
      /** Reason for a missing response: `timeout`, `no_public_address`, or a code such as `ECONNREFUSED`. */
      failure: z.string().nullable(),
    }),
  ),
})
export type WebhookDelivery = z.output<typeof webhookDelivery>

/** A page of deliveries, in an object with the same fields as a page of webhooks. */
export const webhookDeliveryPage = webhookPage.extend({ results: z.array(webhookDelivery) })

export const webhookDeliveryQuery = listQuery(['id', 'createdAt']).extend({ state: deliveryState.optional() })

/** Parameters of a path that contains `:id` (the webhook) and `:delivery`. */
export const byDelivery = z.object({
  id,
  delivery: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
})

/** A UTC day, or a time with `Z` or with an offset, which some clients write without a colon (`+0200`). */
const since = z.preprocess(
  (text) => (typeof text === 'string' ? text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2') : text),
  z.union([z.iso.date(), dateTime]),
)

/** POST /webhooks/:id/replay */
export const webhookReplay = z.object({ since })
export const webhookReplayed = z.object({
  replayed: z.number().int(),
  /** `since` for the next call, with milliseconds, if this call could not replay all notifications; otherwise null. */
  next_since: dateTime.nullable(),
})
export type WebhookReplayed = z.output<typeof webhookReplayed>

/**
 * Webhooks (API.md 13): their registration, and this program's log of the notifications (13.4). PUT changes a webhook
 * like PATCH, because the contract's example uses PUT.
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
