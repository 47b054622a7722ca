import { type Insertable, type Selectable, sql } from 'kysely'
import type { WebhookGroup } from '#shared/domain/webhook-topics.ts'
import { bytesOfText, type Connection, portions } from './engine/database.ts'
import { bytesOfEvent, type EventTable, type EventPortionTable } from './schema/webhooks.ts'

/** An event, and the ids of the webhooks that must be notified of it. */
export interface NewEvent {
  readonly row: Omit<EventTable, 'deliveries' | 'bytes'>
  readonly webhookIds: readonly string[]
}

export async function insertEvents(connection: Connection, events: readonly NewEvent[]): Promise<void> {
  for (const { row, webhookIds } of events)
    await connection
      .insertInto('events')
      .values({ ...row, deliveries: webhookIds.length })
      .execute()
}

/** Inserts one delivery for each event and each of its webhooks. */
export async function insertDeliveries(connection: Connection, events: readonly NewEvent[]): Promise<void> {
  const rows = events.flatMap(({ row, webhookIds }) =>
    webhookIds.map((webhookId) => ({
      webhook_id: webhookId,
      event_id: row.id,
      entity_id: row.entity_id,
      state: 'pending' as const,
      attempts: 0,
      next_at: null,
      created_at: row.created_at,
    })),
  )
  for (const portion of portions(rows)) await connection.insertInto('deliveries').values(portion).execute()
}

/** Stores portions of changes whose events will be written later. Call this in the transaction of the changes. */
export async function insertEventPortions(
  connection: Connection,
  rows: readonly Insertable<EventPortionTable>[],
): Promise<void> {
  for (const portion of portions(rows))
    await connection.insertInto('event_portions').values(portion).execute()
}

export async function countEventPortions(connection: Connection, customerId: string): Promise<number> {
  const { count } = await connection
    .selectFrom('event_portions')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('customer_id', '=', customerId)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Returns the id of the next customer with a stored portion of changes whose events are not written yet: the first id
 * after `after`, otherwise the first of all. Null: no customer has a portion.
 */
export async function customerOfEventPortions(connection: Connection, after: string): Promise<string | null> {
  const all = connection.selectFrom('event_portions').select('customer_id').orderBy('customer_id').limit(1)
  const next = await all.where('customer_id', '>', after).executeTakeFirst()
  // if `after` is the empty text, the first query has already read all customers, because every id comes after the
  // empty text
  const row = next ?? (after === '' ? undefined : await all.executeTakeFirst())
  return row?.customer_id ?? null
}

/** Removes a customer's oldest stored portion of changes. Its events are not written. */
export async function removeEventPortion(connection: Connection, customerId: string): Promise<void> {
  await connection
    .deleteFrom('event_portions')
    .where('id', '=', (select) =>
      select
        .selectFrom('event_portions')
        .select('id')
        .where('customer_id', '=', customerId)
        .orderBy('id')
        .limit(1),
    )
    .execute()
}

/**
 * Removes a customer's oldest stored portion of changes and returns it. `webhookIds`: the webhooks to notify,
 * without those that were deleted. Null: the customer has no portion.
 */
export async function takeEventPortion(
  connection: Connection,
  customerId: string,
): Promise<{ portion: Selectable<EventPortionTable>; webhookIds: string[] } | null> {
  const portion = await connection
    .selectFrom('event_portions')
    .selectAll()
    .where('customer_id', '=', customerId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (portion === undefined) return null
  await connection.deleteFrom('event_portions').where('id', '=', portion.id).execute()
  const wanted = new Set(JSON.parse(portion.webhook_ids) as string[])
  const webhooks = await connection
    .selectFrom('webhooks')
    .select('id')
    .where('customer_id', '=', customerId)
    .where('deleted_at', 'is', null)
    .execute()
  return { portion, webhookIds: webhooks.flatMap(({ id }) => (wanted.has(id) ? [id] : [])) }
}

/** Returns the notification of an event in UTF-8. Null: the event was deleted. */
export async function contentOfEvent(connection: Connection, id: string): Promise<Buffer | null> {
  const row = await connection
    .selectFrom('events')
    // the content is read as bytes, because a text would be in memory in addition to its bytes
    .select(bytesOfText(connection, 'content').as('content'))
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.content ?? null
}

/**
 * `makeRoomForEvents` searches for events to delete only among this number of a customer's oldest events, because the
 * search is part of the transaction that writes events, which must be short.
 */
const lookedThrough = 1000
/**
 * Approximate number of deliveries that one step deletes together with their events. If more must be deleted, the next
 * write of events deletes them.
 */
const mostDeletedDeliveries = 1000
/**
 * A deletion of events frees the necessary space and, in addition, this fraction of the maximum size, so that the next
 * changes need not delete events.
 */
const freedAtOnce = 1 / 256

/**
 * Limits the size of a customer's stored events. If the stored events and the `wanted` events together have more than
 * `mostBytes`, deletes stored events: first those without pending deliveries, then the oldest with pending deliveries.
 * Deletes only from the customer's oldest thousand events (`lookedThrough`). Returns the number of deleted deliveries
 * that were pending.
 */
export async function makeRoomForEvents(
  connection: Connection,
  customerId: string,
  { wanted, mostBytes }: { wanted: readonly NewEvent[]; mostBytes: number },
): Promise<number> {
  const row = await connection
    .selectFrom('event_storage')
    .select('bytes')
    .where('customer_id', '=', customerId)
    .executeTakeFirst()
  const sizes = wanted.map(({ row, webhookIds }) =>
    bytesOfEvent({ content: row.content, deliveries: webhookIds.length }),
  )
  const stored = sizes.reduce((sum, size) => sum + size, row?.bytes ?? 0)
  if (stored <= mostBytes) return 0
  const surplus = stored - Math.floor(mostBytes * (1 - freedAtOnce))
  const oldest = await oldestEvents(connection, customerId)
  const chosen: typeof oldest = []
  let freed = 0
  let deliveries = 0
  for (const event of oldest.toSorted((a, b) => Math.sign(a.waiting) - Math.sign(b.waiting))) {
    if (freed >= surplus || deliveries >= mostDeletedDeliveries) break
    chosen.push(event)
    freed += event.bytes
    deliveries += event.deliveries
  }
  await deleteEvents(
    connection,
    chosen.map(({ id }) => id),
  )
  return chosen.reduce((sum, { waiting }) => sum + waiting, 0)
}

async function oldestEvents(
  connection: Connection,
  customerId: string,
): Promise<{ id: string; bytes: number; deliveries: number; waiting: number }[]> {
  return connection
    .selectFrom('events')
    .select([
      'id',
      'bytes',
      'deliveries',
      sql<number>`(select count(*) from deliveries where event_id = events.id and state = 'pending')`.as(
        'waiting',
      ),
    ])
    .where('customer_id', '=', customerId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(lookedThrough)
    .execute()
}

async function deleteEvents(connection: Connection, ids: readonly string[]): Promise<void> {
  for (const portion of portions(ids.map((id) => ({ id }))))
    await connection
      .deleteFrom('events')
      .where(
        'id',
        'in',
        portion.map(({ id }) => id),
      )
      .execute()
}

/**
 * Deletes up to `limit` events of the given resources with their deliveries, because the resources name a person whose
 * data is redacted. Returns the number of deleted events.
 */
export async function deleteEventsOf(
  connection: Connection,
  group: WebhookGroup,
  entityIds: readonly string[],
  limit: number,
): Promise<number> {
  const result = await connection
    .deleteFrom('events')
    .where('id', 'in', (select) =>
      select
        .selectFrom('events')
        .select('id')
        .where('entity_id', 'in', entityIds)
        .where('topic_group', '=', group)
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}

/**
 * Deletes up to `limit` events that were created before `before`, with their deliveries and attempts. Returns the
 * number of deleted events.
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
