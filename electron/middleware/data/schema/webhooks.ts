import type { WebhookGroup } from '#shared/domain/webhook-topics.ts'
import { instant, integer, json, type RowOf, sequence, table, text } from './table.ts'

/** A deleted webhook stays in the table, without being listed, until its deliveries are deleted. */
const webhooks = table(
  {
    id: text().primaryKey(),
    customer_id: text().references('customers'),
    topic_group: text<WebhookGroup>(),
    topic_action: text(),
    created_at: instant(),
    modified_at: instant(),
    /** When deliveries were last marked to be sent again. Null: never. */
    replayed_at: instant().nullable(),
    /** When the webhook was deleted. First its deliveries are deleted, then this row. Null: not deleted. */
    deleted_at: instant().nullable(),
    /** The secret in plain text, because notifications are signed with it. */
    hash_secret: text(),
    url: text(),
  },
  {
    indexes: {
      by_created_at: ['customer_id', 'created_at', 'id'],
      by_topic: ['customer_id', 'topic_group', 'topic_action'],
      deleted: { on: ['deleted_at', 'id'], where: 'deleted_at is not null' },
    },
  },
)
export type WebhookTable = RowOf<typeof webhooks>

/** Bytes that are counted for each delivery of an event. If you change this number, increase `schemaVersion`. */
const bytesOfDelivery = 600

/**
 * Returns the size of an event with this content and number of deliveries, as the column `bytes` of `events` stores it.
 */
export function bytesOfEvent({ content, deliveries }: { content: string; deliveries: number }): number {
  return Buffer.byteLength(content) + bytesOfDelivery * deliveries
}

/**
 * A change of a resource, with the state of the resource at the commit. An event is stored only if a webhook receives
 * it. Triggers update the total size of each customer's events, even if events are deleted by a cascade.
 */
const events = table(
  {
    /** The id of the event, which the receiver finds in the header `X-Webhook-Id`. */
    id: text().primaryKey(),
    customer_id: text().references('customers'),
    topic_group: text<WebhookGroup>(),
    topic_action: text(),
    entity_id: text(),
    created_at: instant(),
    /** Number of webhooks to which the event is sent. */
    deliveries: integer(),
    /** The notification's body: JSON text that is signed and sent without a change. */
    content: text(),
    /**
     * Size of the event in the database in bytes. For each delivery, `bytesOfDelivery` is added for its row, its index
     * entries and its log.
     */
    bytes: integer().computed(`octet_length(content) + ${bytesOfDelivery} * deliveries`),
  },
  {
    indexes: {
      by_entity: ['entity_id'],
      by_created_at: ['created_at'],
      by_customer: ['customer_id', 'created_at', 'id'],
    },
    triggers: {
      event_stored: {
        after: 'insert',
        run: `insert into event_storage values (new.customer_id, new.bytes)
          on conflict (customer_id) do update set bytes = event_storage.bytes + excluded.bytes`,
      },
      event_deleted: {
        after: 'delete',
        run: 'update event_storage set bytes = bytes - old.bytes where customer_id = old.customer_id',
      },
    },
  },
)
export type EventTable = RowOf<typeof events>

/**
 * If a transaction makes many changes of one topic, it stores them in portions. The events of a portion are written
 * after the transaction.
 */
const event_portions = table(
  {
    /** The number of the portion. The events of portions are written in this order. */
    id: sequence(),
    customer_id: text().references('customers'),
    topic_group: text<WebhookGroup>(),
    topic_action: text(),
    /** When the changes happened. */
    created_at: instant(),
    /** JSON array: the ids of the webhooks to notify, as they were registered at the commit of the changes. */
    webhook_ids: json(),
    /** The changes: a JSON array of `PortionedChange`. */
    changes: json(),
  },
  { indexes: { by_customer: ['customer_id', 'id'] } },
)
export type EventPortionTable = RowOf<typeof event_portions>

/** A change in a portion. `content` null: the resource is read when the event is written. */
export interface PortionedChange {
  readonly entityId: string
  readonly content: string | null
}

/** Total size of a customer's events in the database in bytes. It is limited. */
const event_storage = table({
  customer_id: text().primaryKey(),
  bytes: integer(),
})

/**
 * The delivery of one event to one webhook. The deliveries of one resource are sent in the order of `id`. The indexes
 * of pending deliveries stay small, because they do not contain delivered ones.
 */
const deliveries = table(
  {
    id: sequence(),
    webhook_id: text().belongsTo('webhooks'),
    event_id: text().belongsTo('events'),
    /** The event's resource. The events of one resource are sent one after the other. */
    entity_id: text(),
    /** State of the delivery. `given_up`: all attempts failed. */
    state: text<'pending' | 'delivered' | 'given_up'>(),
    attempts: integer(),
    /** Time of the next retry. Null: the delivery has no attempt yet, or it is not pending. */
    next_at: instant().nullable(),
    /** The time of the event. */
    created_at: instant(),
  },
  {
    indexes: {
      // this index is defined before `by_webhook`, because SQLite uses the newer of two indexes that seem equally good:
      // a list of deliveries in any state must use `by_webhook`
      by_state: ['webhook_id', 'state', 'created_at', 'id'],
      by_webhook: ['webhook_id', 'created_at', 'id'],
      by_event: ['event_id'],
      waiting: { on: ['webhook_id', 'next_at', 'id'], where: `state = 'pending'` },
      of_entity: { on: ['webhook_id', 'entity_id', 'id'], where: `state = 'pending'` },
      due: { on: ['next_at', 'webhook_id'], where: `state = 'pending'` },
    },
  },
)
export type DeliveryTable = RowOf<typeof deliveries>

const delivery_attempts = table(
  {
    id: sequence(),
    delivery_id: integer().belongsTo('deliveries'),
    started_at: instant(),
    duration_ms: integer(),
    /** HTTP status. Null: no response arrived. */
    status: integer().nullable(),
    /** The reason why no response arrived. Null: a response arrived. */
    failure: text().nullable(),
  },
  { indexes: { by_delivery: ['delivery_id'] } },
)
export type DeliveryAttemptTable = RowOf<typeof delivery_attempts>

export const webhookTables = {
  webhooks,
  events,
  event_portions,
  event_storage,
  deliveries,
  delivery_attempts,
}
