import type { z } from 'zod'
import { webhookTopic } from '#shared/domain/webhook-topics.ts'
import type {
  CreatedWebhook,
  Webhook,
  WebhookDelivery,
  webhookPatch,
  WebhookReplayed,
} from '#shared/wire/webhook.ts'
import type { WebhookTable } from '../data/schema/clients.ts'
import type { LoggedDelivery, replaySince } from '../services/webhooks/delivery-log.ts'
import type { WebhookChange } from '../services/webhooks/registrations.ts'
import { toWireTime } from './time.ts'

/** api.md, Webhook: without its secret. */
export function toWireWebhook(row: WebhookTable): Webhook {
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

export function toWireCreatedWebhook(row: WebhookTable): CreatedWebhook {
  return { ...toWireWebhook(row), hash_secret: row.hash_secret }
}

export function fromWireWebhookChange(body: z.output<typeof webhookPatch>): WebhookChange {
  return { url: body.url ?? null, group: body.group ?? null, action: body.action ?? null }
}

export function toWireDelivery(row: LoggedDelivery): WebhookDelivery {
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

export function toWireReplay({ replayed, nextAt }: Awaited<ReturnType<typeof replaySince>>): WebhookReplayed {
  return { replayed, next_since: nextAt === null ? null : toWireTime(nextAt) }
}
