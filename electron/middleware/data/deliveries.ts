import { type RawBuilder, type Selectable, sql } from 'kysely'
import { equalsWithoutIndex, type Connection, portions } from './engine/database.ts'
import { type Page, readPage } from './engine/listing.ts'
import type { DeliveryAttemptTable, DeliveryTable, EventTable, WebhookTable } from './schema/webhooks.ts'

/** A delivery that can be sent now. */
export interface WaitingDelivery {
  readonly id: number
  readonly entity_id: string
}

/**
 * The state is a literal instead of a bound value, because SQLite uses the partial indexes of pending deliveries only
 * with a constant condition.
 */
const isPending = sql<boolean>`state = 'pending'`

/**
 * SQL condition: the delivery is the oldest pending delivery of its resource. The events of a resource are sent in
 * order.
 */
const isFirstOfEntity = sql<number>`not exists (select 1 from deliveries as older
  where older.state = 'pending' and older.webhook_id = deliveries.webhook_id
    and older.entity_id = deliveries.entity_id and older.id < deliveries.id)`

/** A pending delivery, as `walkUntried` and `walkDue` return it. */
export interface WalkedDelivery extends WaitingDelivery {
  /** Time of the next attempt. Null: the delivery has no attempt yet. */
  readonly next_at: string | null
  /**
   * 1: the delivery is the oldest pending delivery of its resource. 0: it waits for an older delivery of the same
   * resource.
   */
  readonly is_first: number
}

/**
 * Returns the oldest pending deliveries of a webhook that have no attempt yet: at most `limit`, with ids above `after`.
 */
export async function walkUntried(
  connection: Connection,
  webhookId: string,
  after: number,
  limit: number,
): Promise<WalkedDelivery[]> {
  return walked(connection, webhookId, limit)
    .where('next_at', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .execute()
}

/** The last delivery that `walkDue` returned. The next call continues after it. */
export interface DuePlace {
  readonly nextAt: string
  readonly id: number
}

/**
 * Returns the pending deliveries of a webhook whose retry is due at the time `now`, in the order of their due times: at
 * most `limit`, beginning after the given place.
 */
export async function walkDue(
  connection: Connection,
  webhookId: string,
  { nextAt, id }: DuePlace,
  now: string,
  limit: number,
): Promise<WalkedDelivery[]> {
  return walked(connection, webhookId, limit)
    .where('next_at', '<=', now)
    .where(sql<boolean>`(next_at, id) > (${nextAt}, ${id})`)
    .orderBy('next_at')
    .orderBy('id')
    .execute()
}

function walked(connection: Connection, webhookId: string, limit: number) {
  return connection
    .selectFrom('deliveries')
    .select(['id', 'entity_id', 'next_at', isFirstOfEntity.as('is_first')])
    .where(isPending)
    .where('webhook_id', '=', webhookId)
    .limit(limit)
}

/** Whether a webhook has a pending delivery. `untried`: whether it has one that had no attempt yet. */
export async function hasPending(
  connection: Connection,
  webhookId: string,
  which: 'any' | 'untried',
): Promise<boolean> {
  const pending = walked(connection, webhookId, 1)
  const rows = await (which === 'any' ? pending : pending.where('next_at', 'is', null)).execute()
  return rows.length > 0
}

/** Returns the oldest pending delivery of a resource to a webhook if it can be sent now, otherwise null. */
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

/** A webhook that has deliveries to send. */
export interface ToldWebhook {
  readonly webhook_id: string
  readonly customer_id: string
}

/**
 * Returns the webhooks that have pending deliveries with ids above `after`, without deleted webhooks. `last`: the
 * highest id of these deliveries, or `after` if there are none.
 */
export async function webhooksToTell(
  connection: Connection,
  after: number,
): Promise<{ webhooks: ToldWebhook[]; last: number }> {
  // the condition on the webhook id uses an expression: with the plain column, SQLite would read all pending deliveries
  // in the order of their webhooks
  const webhookId = sql<string>`deliveries.webhook_id || ''`
  const rows = await connection
    .selectFrom('deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'deliveries.webhook_id')
    .select((select) => [
      webhookId.as('webhook_id'),
      select.fn.max('webhooks.customer_id').as('customer_id'),
      select.fn.max('deliveries.id').as('last'),
    ])
    .where('webhooks.deleted_at', 'is', null)
    .where('deliveries.id', '>', after)
    .where(isPending)
    .groupBy(webhookId)
    .execute()
  return { webhooks: rows, last: Math.max(after, ...rows.map(({ last }) => last)) }
}

/** Returns the webhooks with deliveries whose retry became due between `since` and `now`. */
export async function webhooksDue(
  connection: Connection,
  since: string,
  now: string,
): Promise<ToldWebhook[]> {
  return connection
    .selectFrom('deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'deliveries.webhook_id')
    .select(['deliveries.webhook_id', 'webhooks.customer_id'])
    .distinct()
    .where('webhooks.deleted_at', 'is', null)
    .where(isPending)
    .where('next_at', '>=', since)
    .where('next_at', '<=', now)
    .execute()
}

/** Returns the time of the next retry after `now`. Null: no retry is planned. */
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

/**
 * Makes pending deliveries due at once: sets the time of the next attempt to `now` if it is later than `latest`. One
 * call changes at most `limit` deliveries, those with the earliest times first. Returns the number of changed
 * deliveries.
 */
export async function advanceRetries(
  connection: Connection,
  { now, latest, limit }: { now: string; latest: string; limit: number },
): Promise<number> {
  const { numUpdatedRows } = await connection
    .updateTable('deliveries')
    .set({ next_at: now })
    .where('id', 'in', (select) =>
      select
        .selectFrom('deliveries')
        .select('id')
        .where(isPending)
        .where('next_at', '>', latest)
        .orderBy('next_at')
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** The data for sending a notification, except its content. */
export type Notification = Pick<DeliveryTable, 'attempts' | 'next_at'> &
  Pick<WebhookTable, 'url' | 'hash_secret'> &
  Pick<EventTable, 'topic_group' | 'topic_action'> & {
    readonly event_id: string
    /** The present group of the webhook, which may have changed since the event. */
    readonly webhook_group: WebhookTable['topic_group']
    /** Size of the content in bytes. */
    readonly bytes: number
  }

/**
 * Returns the data for sending a delivery. Null: the delivery is no longer pending, or it or its webhook was deleted.
 */
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
      'deliveries.next_at',
      sql<number>`octet_length(events.content)`.as('bytes'),
      'events.topic_group',
      'events.topic_action',
      'webhooks.url',
      'webhooks.hash_secret',
      'webhooks.topic_group as webhook_group',
    ])
    .where('deliveries.id', '=', deliveryId)
    .where('deliveries.state', '=', 'pending')
    .where('webhooks.deleted_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

/** Deletes up to `limit` deliveries of a webhook with their attempts. Returns the number of deleted deliveries. */
export async function deleteSomeDeliveries(
  connection: Connection,
  webhookId: string,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await connection
    .deleteFrom('deliveries')
    .where('id', 'in', (select) =>
      select.selectFrom('deliveries').select('id').where('webhook_id', '=', webhookId).limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** The result of an attempt, and the new state of its delivery. */
export interface Outcome {
  readonly deliveryId: number
  readonly state: DeliveryTable['state']
  readonly nextAt: string | null
  readonly attempt: Pick<DeliveryAttemptTable, 'started_at' | 'duration_ms' | 'status' | 'failure'>
  /** The values of the delivery when the attempt began. */
  readonly before: Pick<DeliveryTable, 'attempts' | 'next_at'>
}

/**
 * Stores the outcomes of attempts. An outcome is ignored in two cases: its delivery was deleted meanwhile, or the
 * delivery is no longer pending because another process has sent it. If a client replayed the delivery during an
 * attempt that failed, the delivery keeps the attempts and the time of the replay, and only the attempt is stored. The
 * rows are changed in the order of their ids, so that two such transactions cannot deadlock.
 */
export async function recordOutcomes(connection: Connection, outcomes: readonly Outcome[]): Promise<void> {
  const ordered = outcomes.toSorted((one, other) => one.deliveryId - other.deliveryId)
  for (const { deliveryId, state, nextAt, attempt, before } of ordered) {
    const isUnchanged = sql<boolean>`attempts = ${before.attempts} and next_at is not distinct from ${before.next_at}`
    const counts = state === 'delivered' ? sql<boolean>`true` : isUnchanged
    const { numUpdatedRows } = await connection
      .updateTable('deliveries')
      .set({
        state: sql`case when ${counts} then ${state} else state end`,
        next_at: sql`case when ${counts} then ${nextAt} else next_at end`,
        attempts: sql`case when ${counts} then attempts + 1 else attempts end`,
      })
      .where('id', '=', deliveryId)
      // the delivery is no longer pending if another process has taken the lease of the webhook and sent the delivery
      .where(isPending)
      .executeTakeFirst()
    if (numUpdatedRows > 0n)
      await connection
        .insertInto('delivery_attempts')
        .values({ ...attempt, delivery_id: deliveryId })
        .execute()
  }
}

export type DeliveryAttempt = Selectable<DeliveryAttemptTable>

/** A delivery as lists show it. */
export type ListedDelivery = Selectable<DeliveryTable> & Pick<EventTable, 'topic_group' | 'topic_action'>

/** Returns one page of a webhook's deliveries. */
export async function listDeliveries(
  connection: Connection,
  webhookId: string,
  state: DeliveryTable['state'] | null,
  page: Page,
): Promise<ListedDelivery[]> {
  const all = connection.selectFrom('deliveries').selectAll().where('webhook_id', '=', webhookId)
  const rows = await readPage(connection, state === null ? all : all.where('state', '=', state), page)
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

/** Counts the deliveries of all pages of the list. */
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

/** Returns the attempts of the given deliveries, the oldest attempt first. */
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
 * Marks deliveries of a webhook to be sent again, and deletes all except the newest `keptAttempts` of their stored
 * attempts. A pending delivery without an attempt is not marked, because it will be sent anyway. Returns the number of
 * marked deliveries.
 */
export async function replayDeliveries(
  connection: Connection,
  webhookId: string,
  ids: readonly number[],
  now: string,
): Promise<number> {
  if (ids.length === 0) return 0
  await connection
    .deleteFrom('delivery_attempts')
    .where('id', 'in', outdatedAttempts(webhookId, ids))
    .execute()
  const { numUpdatedRows } = await connection
    .updateTable('deliveries')
    .set({ state: 'pending', attempts: 0, next_at: now })
    .where(equalsWithoutIndex('webhook_id', webhookId))
    .where('id', 'in', ids)
    .where((row) => row.or([row('state', '<>', 'pending'), row('next_at', 'is not', null)]))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** The position of a delivery among the deliveries of its webhook, which are in the order of their events. */
export type DeliveryPlace = Pick<DeliveryTable, 'created_at'> & { readonly id: number }

/** Returns the positions of a webhook's deliveries that follow `after`, up to and including `last`: at most `limit`. */
export async function deliveriesBetween(
  connection: Connection,
  webhookId: string,
  after: DeliveryPlace,
  last: DeliveryPlace,
  limit: number,
): Promise<DeliveryPlace[]> {
  return connection
    .selectFrom('deliveries')
    .select(['created_at', 'id'])
    .where('webhook_id', '=', webhookId)
    .where(sql<boolean>`(created_at, id) > (${after.created_at}, ${after.id})`)
    .where(sql<boolean>`(created_at, id) <= (${last.created_at}, ${last.id})`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/**
 * Selects up to `most` deliveries of a webhook from the time `since` on. Returns the position of the last selected
 * delivery (null: none was found), and the time of the first event after it (null: there is no further event).
 */
export async function deliveriesSince(
  connection: Connection,
  webhookId: string,
  since: string,
  most: number,
): Promise<{ last: DeliveryPlace | null; nextAt: string | null }> {
  const rows = await connection
    .selectFrom('deliveries')
    .select(['created_at', 'id'])
    .where('webhook_id', '=', webhookId)
    .where('created_at', '>=', since)
    .orderBy('created_at')
    .orderBy('id')
    .limit(most + 1)
    .execute()
  return { last: rows.slice(0, most).at(-1) ?? null, nextAt: rows[most]?.created_at ?? null }
}

/**
 * Whether deliveries that the replay of a webhook at `replayedAt` marked still wait for their first attempt after it.
 */
export async function isReplayPending(
  connection: Connection,
  webhookId: string,
  replayedAt: string,
): Promise<boolean> {
  const row = await connection
    .selectFrom('deliveries')
    .select('id')
    .where(isPending)
    .where('webhook_id', '=', webhookId)
    .where('next_at', '=', replayedAt)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Number of earlier attempts that a delivery keeps when it is sent again, so that its log has a maximum length. */
const keptAttempts = 20

/**
 * Selects the attempts of the given deliveries that are to be deleted: all except the newest `keptAttempts` attempts of
 * each delivery.
 */
function outdatedAttempts(webhookId: string, ids: readonly number[]): RawBuilder<number> {
  return sql<number>`(select id from (
    select id, row_number() over (partition by delivery_id order by id desc) as place from delivery_attempts
    where delivery_id in (select id from deliveries where ${equalsWithoutIndex('webhook_id', webhookId)} and id in (${sql.join(ids)})))
    where place > ${keptAttempts})`
}
