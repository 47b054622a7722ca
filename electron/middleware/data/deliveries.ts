import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Connection } from './engine/database.ts'
import { type Page, paged } from './engine/paging.ts'
import { portions } from './engine/portions.ts'
import type { DeliveryAttemptTable, DeliveryTable, EventTable, WebhookTable } from './schema/clients.ts'

/** A delivery that is to be sent now. */
export interface WaitingDelivery {
  readonly id: number
  readonly entity_id: string
}

/** In words, not as a bound value: the indexes of what is pending serve only where the condition is a constant. */
const isPending = sql<boolean>`state = 'pending'`

/** Whether no older one of the same resource is pending: the events of a resource are sent in order. */
const isFirstOfEntity = sql<boolean>`not exists (select 1 from deliveries as older
  where older.state = 'pending' and older.webhook_id = deliveries.webhook_id
    and older.entity_id = deliveries.entity_id and older.id < deliveries.id)`

/** Up to `limit` of a webhook that were never tried and are the first of their resource, of ids above `after`. */
export async function untriedDeliveries(
  connection: Connection,
  webhookId: string,
  after: number,
  limit: number,
): Promise<WaitingDelivery[]> {
  return firstOfEntities(connection, webhookId, limit)
    .where('next_at', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .execute()
}

/** Up to `limit` of a webhook whose time to be sent again has come and that are the first of their resource. */
export async function dueDeliveries(
  connection: Connection,
  webhookId: string,
  now: string,
  limit: number,
): Promise<WaitingDelivery[]> {
  return firstOfEntities(connection, webhookId, limit)
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .orderBy('id')
    .execute()
}

function firstOfEntities(connection: Connection, webhookId: string, limit: number) {
  return connection
    .selectFrom('deliveries')
    .select(['id', 'entity_id'])
    .where(isPending)
    .where('webhook_id', '=', webhookId)
    .where(isFirstOfEntity)
    .limit(limit)
}

/** The first that is pending of a webhook and a resource, where it may be sent now; else null. */
export async function nextOfEntity(
  connection: Connection,
  webhookId: string,
  entityId: string,
  now: string,
): Promise<WaitingDelivery | null> {
  const row = await connection
    .selectFrom('deliveries')
    .select(['id', 'entity_id', 'next_at'])
    .where(isPending)
    .where('webhook_id', '=', webhookId)
    .where('entity_id', '=', entityId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row === undefined || (row.next_at !== null && row.next_at > now) ? null : row
}

/** The webhooks that have something pending: of ids above `after`, and the highest id of all deliveries. */
export async function webhooksToTell(
  connection: Connection,
  after: number,
): Promise<{ webhookIds: string[]; last: number }> {
  const rows = await connection
    .selectFrom('deliveries')
    .select((select) => ['webhook_id', select.fn.max('id').as('last')])
    .where('id', '>', after)
    .where(isPending)
    .groupBy('webhook_id')
    .execute()
  return {
    webhookIds: rows.map(({ webhook_id }) => webhook_id),
    last: Math.max(after, ...rows.map(({ last }) => last)),
  }
}

/** The webhooks that have something whose time to be sent again came from `since` to `now`. */
export async function webhooksDue(connection: Connection, since: string, now: string): Promise<string[]> {
  const rows = await connection
    .selectFrom('deliveries')
    .select('webhook_id')
    .distinct()
    .where(isPending)
    .where('next_at', '>=', since)
    .where('next_at', '<=', now)
    .execute()
  return rows.map(({ webhook_id }) => webhook_id)
}

/** When the next one after `now` is to be sent again; null: none is. */
export async function nextRetry(connection: Connection, now: string): Promise<string | null> {
  const row = await connection
    .selectFrom('deliveries')
    .select('next_at')
    .where(isPending)
    .where('next_at', '>', now)
    .orderBy('next_at')
    .limit(1)
    .executeTakeFirst()
  return row?.next_at ?? null
}

/** All that sending takes. */
export type Notification = Pick<DeliveryTable, 'attempts'> &
  Pick<WebhookTable, 'url' | 'hash_secret'> &
  Pick<EventTable, 'content' | 'topic_group' | 'topic_action'> & { readonly event_id: string }

/** Null: it is not pending any more, or it is gone with its webhook or its event. */
export async function notificationOf(
  connection: Connection,
  deliveryId: number,
): Promise<Notification | null> {
  const row = await connection
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .innerJoin('webhooks', 'webhooks.id', 'deliveries.webhook_id')
    .select([
      'deliveries.event_id',
      'deliveries.attempts',
      'events.content',
      'events.topic_group',
      'events.topic_action',
      'webhooks.url',
      'webhooks.hash_secret',
    ])
    .where('deliveries.id', '=', deliveryId)
    .where('deliveries.state', '=', 'pending')
    .executeTakeFirst()
  return row ?? null
}

/** What became of an attempt, and of the delivery by it. */
export interface Outcome {
  readonly deliveryId: number
  readonly state: DeliveryTable['state']
  readonly nextAt: string | null
  readonly attempt: Pick<DeliveryAttemptTable, 'started_at' | 'duration_ms' | 'status' | 'failure'>
}

/** Keeps outcomes; one whose delivery is gone meanwhile is left out. */
export async function recordOutcomes(connection: Connection, outcomes: readonly Outcome[]): Promise<void> {
  for (const { deliveryId, state, nextAt, attempt } of outcomes) {
    const { numUpdatedRows } = await connection
      .updateTable('deliveries')
      .set((row) => ({ state, next_at: nextAt, attempts: row('attempts', '+', 1) }))
      .where('id', '=', deliveryId)
      .executeTakeFirst()
    if (numUpdatedRows > 0n)
      await connection
        .insertInto('delivery_attempts')
        .values({ ...attempt, delivery_id: deliveryId })
        .execute()
  }
}

export type DeliveryAttempt = Selectable<DeliveryAttemptTable>

/** A delivery as its list shows it. */
export type ListedDelivery = Selectable<DeliveryTable> & Pick<EventTable, 'topic_group' | 'topic_action'>

/** One page of a webhook's deliveries. */
export async function listDeliveries(
  connection: Connection,
  webhookId: string,
  state: DeliveryTable['state'] | null,
  page: Page,
): Promise<ListedDelivery[]> {
  const all = connection.selectFrom('deliveries').selectAll().where('webhook_id', '=', webhookId)
  const rows = await paged(state === null ? all : all.where('state', '=', state), page).execute()
  const events = new Map<string, Pick<EventTable, 'topic_group' | 'topic_action'>>()
  for (const portion of portions(rows.map(({ event_id }) => ({ event_id })))) {
    const ids = portion.map(({ event_id }) => event_id)
    const found = await connection
      .selectFrom('events')
      .select(['id', 'topic_group', 'topic_action'])
      .where('id', 'in', ids)
      .execute()
    for (const { id, ...topic } of found) events.set(id, topic)
  }
  return rows.flatMap((row) => {
    const topic = events.get(row.event_id)
    return topic === undefined ? [] : [{ ...row, ...topic }]
  })
}

/** How many there are over all pages of the list. */
export async function countDeliveries(
  connection: Connection,
  webhookId: string,
  state: DeliveryTable['state'] | null,
  { from, to }: Pick<Page, 'from' | 'to'>,
): Promise<number> {
  let query = connection
    .selectFrom('deliveries')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('webhook_id', '=', webhookId)
  if (state !== null) query = query.where('state', '=', state)
  if (from !== null) query = query.where('created_at', '>=', from)
  if (to !== null) query = query.where('created_at', '<=', to)
  return (await query.executeTakeFirstOrThrow()).count
}

export async function findDelivery(
  connection: Connection,
  webhookId: string,
  id: number,
): Promise<ListedDelivery | null> {
  const row = await connection
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .selectAll('deliveries')
    .select(['events.topic_group', 'events.topic_action'])
    .where('deliveries.webhook_id', '=', webhookId)
    .where('deliveries.id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/** The attempts of the deliveries, the oldest first. */
export async function attemptsOf(
  connection: Connection,
  deliveryIds: readonly number[],
): Promise<Map<number, DeliveryAttempt[]>> {
  const found = new Map<number, DeliveryAttempt[]>(deliveryIds.map((id) => [id, []]))
  for (const portion of portions(deliveryIds.map((id) => ({ id })))) {
    const ids = portion.map(({ id }) => id)
    const rows = await connection
      .selectFrom('delivery_attempts')
      .selectAll()
      .where('delivery_id', 'in', ids)
      .orderBy('id')
      .execute()
    for (const row of rows) found.get(row.delivery_id)?.push(row)
  }
  return found
}

/**
 * Has what was sent, tried or given up be sent anew: those of a webhook that are given, by id or by the earliest time of
 * their event. What was never tried waits for its turn anyway. Returns how many are pending by that.
 */
export async function replayDeliveries(
  connection: Connection,
  webhookId: string,
  which: { readonly id: number } | { readonly since: string },
  now: string,
): Promise<number> {
  const isMeant: RawBuilder<boolean> =
    'id' in which ? sql<boolean>`id = ${which.id}` : sql<boolean>`created_at >= ${which.since}`
  await connection
    .deleteFrom('delivery_attempts')
    .where('id', 'in', outdatedAttempts(webhookId, isMeant))
    .execute()
  const { numUpdatedRows } = await connection
    .updateTable('deliveries')
    .set({ state: 'pending', attempts: 0, next_at: now })
    .where('webhook_id', '=', webhookId)
    .where(isMeant)
    .where((row) => row.or([row('state', '<>', 'pending'), row('next_at', 'is not', null)]))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** How many attempts of a delivery are kept when it is sent anew, so that no log grows without end. */
const keptAttempts = 20

/** Attempts of those deliveries that are older than the newest `keptAttempts` of their delivery. */
function outdatedAttempts(webhookId: string, isMeant: RawBuilder<boolean>): RawBuilder<number> {
  return sql<number>`(select id from (
    select id, row_number() over (partition by delivery_id order by id desc) as place from delivery_attempts
    where delivery_id in (select id from deliveries where webhook_id = ${webhookId} and ${isMeant}))
    where place > ${keptAttempts})`
}
