import type { z } from 'zod'
import { type WebhookGroup, webhookTopic } from '#shared/domain/webhook-topics.ts'
import type { Role } from '#shared/wire/roles.ts'
import { routes } from '#shared/wire/routes.ts'
import type {
  CreatedWebhook,
  Webhook,
  WebhookDelivery,
  webhookPatch,
  WebhookReplayed,
} from '#shared/wire/webhook.ts'
import type { WebhookTable } from '../data/schema/webhooks.ts'
import { type Caller, requireRole } from '../plugins/callers.ts'
import {
  listDeliveries,
  type LoggedDelivery,
  replayDelivery,
  replaySince,
} from '../services/webhooks/delivery-log.ts'
import {
  changeWebhook,
  createWebhook,
  getWebhook,
  listWebhooks,
  removeWebhook,
  type WebhookChange,
} from '../services/webhooks/registrations.ts'
import { register, type RouteHost } from './register.ts'
import { toWireTime } from './wire-values.ts'

const options = { expand: [] } as const

/** The roles that a user needs to read everything that the notifications of each group contain. */
const readRoles: Readonly<Record<WebhookGroup, readonly Role[]>> = {
  article: [routes.getArticle.role],
  batch: [routes.getBatch.role],
  inbound: [routes.getInbound.role],
  modification: [routes.getModification.role],
  // the role to list documents is needed too, because notifications of orders contain the titles of the documents
  order: [routes.getOrder.role, routes.listOrderDocuments.role],
  shipment: [routes.getShipment.role],
  stock: [routes.listStock.role],
  variant: [routes.getVariant.role],
}

interface Listed<Row> {
  readonly count: number
  readonly page: number
  readonly limit: number
  readonly rows: readonly Row[]
}

/** Returns a page of a list under /webhooks/, with links to the adjacent pages. */
function wrapped<Row, Result>(
  { count, page, limit, rows }: Listed<Row>,
  linkToPage: (page: number) => string,
  toWire: (row: Row) => Result,
): { count: number; next: string | null; previous: string | null; results: Result[] } {
  return {
    count,
    next: page * limit < count ? linkToPage(page + 1) : null,
    previous: page > 1 ? linkToPage(page - 1) : null,
    results: rows.map(toWire),
  }
}

/**
 * Webhooks (API.md 13): registration and the log of the notifications. Notifications contain the resources of their
 * group, so a user who may not read these resources may not decide where notifications are sent.
 */
export function registerWebhooks(host: RouteHost): void {
  const { context } = host
  const admit = (caller: Caller, group: WebhookGroup): void => {
    for (const role of readRoles[group]) requireRole(caller, role)
  }
  register(host, routes.listWebhooks, options, async ({ caller, query, linkToPage }) =>
    wrapped(await listWebhooks(context, caller.customer, query), linkToPage, toWireWebhook),
  )
  register(host, routes.getWebhook, options, async ({ caller, params }) =>
    toWireWebhook(await getWebhook(context, caller.customer, params.id)),
  )
  register(host, routes.createWebhook, options, async ({ caller, body }) => {
    const { hash_secret: hashSecret, ...rest } = body
    admit(caller, body.group)
    return toWireCreatedWebhook(await createWebhook(context, caller.customer, { ...rest, hashSecret }))
  })
  for (const route of [routes.patchWebhook, routes.putWebhook])
    register(host, route, options, async ({ caller, params, body }) => {
      const change = fromWireWebhookChange(body)
      const ofCaller = (group: WebhookGroup): void => {
        admit(caller, group)
      }
      return toWireWebhook(
        await changeWebhook(context, caller.customer, params.id, { change, admit: ofCaller }),
      )
    })
  register(host, routes.deleteWebhook, options, async ({ caller, params }) => {
    await removeWebhook(context, caller.customer, params.id)
    return null
  })
  register(host, routes.listDeliveries, options, async ({ caller, params, query, linkToPage }) =>
    wrapped(await listDeliveries(context, caller.customer, params.id, query), linkToPage, toWireDelivery),
  )
  register(host, routes.replayDelivery, options, async ({ caller, params }) =>
    toWireDelivery(await replayDelivery(context, caller.customer, params.id, params.delivery)),
  )
  register(host, routes.replayWebhook, options, async ({ caller, params, body }) =>
    toWireReplay(await replaySince(context, caller.customer, params.id, body.since)),
  )
}

/** Returns a webhook (API.md 13.1) without its secret. */
function toWireWebhook(row: WebhookTable): Webhook {
  return {
    id: row.id,
    url: row.url,
    group: row.topic_group,
    action: row.topic_action,
    topic: webhookTopic(row.topic_group, row.topic_action),
    customer: row.customer_id,
    created_at: toWireTime(row.created_at),
    modified_at: toWireTime(row.modified_at),
  }
}

function toWireCreatedWebhook(row: WebhookTable): CreatedWebhook {
  return { ...toWireWebhook(row), hash_secret: row.hash_secret }
}

function fromWireWebhookChange(body: z.output<typeof webhookPatch>): WebhookChange {
  return { url: body.url ?? null, group: body.group ?? null, action: body.action ?? null }
}

function toWireDelivery(row: LoggedDelivery): WebhookDelivery {
  return {
    id: row.id,
    event_id: row.event_id,
    topic: webhookTopic(row.topic_group, row.topic_action),
    entity_id: row.entity_id,
    state: row.state,
    attempts: row.attempts,
    next_at: row.next_at === null ? null : toWireTime(row.next_at),
    created_at: toWireTime(row.created_at),
    log: row.log.map(({ started_at, duration_ms, status, failure }) => ({
      started_at: toWireTime(started_at),
      duration_ms,
      status,
      failure,
    })),
  }
}

function toWireReplay({ replayed, nextAt }: Awaited<ReturnType<typeof replaySince>>): WebhookReplayed {
  // with its milliseconds, because one second may have more deliveries than a replay marks
  return { replayed, next_since: nextAt }
}
