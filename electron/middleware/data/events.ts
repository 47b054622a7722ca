import type { WebhookGroup } from '#shared/domain/webhook-topics.ts'
import type { Connection } from './engine/database.ts'
import { portions } from './engine/portions.ts'
import type { EventTable, WebhookTable } from './schema/clients.ts'

export type Subscription = Pick<WebhookTable, 'id' | 'customer_id' | 'topic_group' | 'topic_action'>

/** Which events of the customers somebody wants to be told of. */
export async function subscriptionsOf(
  connection: Connection,
  customerIds: readonly string[],
): Promise<Subscription[]> {
  return connection
    .selectFrom('webhooks')
    .select(['id', 'customer_id', 'topic_group', 'topic_action'])
    .where('customer_id', 'in', customerIds)
    .execute()
}

/** Keeps an event and what is to be sent of it; in the transaction of the change that it tells of. */
export async function insertEvent(
  connection: Connection,
  event: EventTable,
  webhookIds: readonly string[],
): Promise<void> {
  await connection.insertInto('events').values(event).execute()
  const rows = webhookIds.map((webhookId) => ({
    webhook_id: webhookId,
    event_id: event.id,
    entity_id: event.entity_id,
    state: 'pending' as const,
    attempts: 0,
    next_at: null,
    created_at: event.created_at,
  }))
  for (const portion of portions(rows)) await connection.insertInto('deliveries').values(portion).execute()
}

/** Deletes every event of the resources with what was to be sent of it: they name a person who is to be forgotten. */
export async function deleteEventsOf(
  connection: Connection,
  group: WebhookGroup,
  entityIds: readonly string[],
): Promise<void> {
  for (const portion of portions(entityIds.map((id) => ({ id }))))
    await connection
      .deleteFrom('events')
      .where('topic_group', '=', group)
      .where(
        'entity_id',
        'in',
        portion.map(({ id }) => id),
      )
      .execute()
}

/**
 * Deletes up to `limit` events that happened before `before`, with what was to be sent of them and the log of it. Returns
 * how many it deleted.
 */
export async function deleteEventsBefore(
  connection: Connection,
  before: string,
  limit: number,
): Promise<number> {
  const result = await connection
    .deleteFrom('events')
    .where('id', 'in', (select) =>
      select.selectFrom('events').select('id').where('created_at', '<', before).limit(limit),
    )
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
