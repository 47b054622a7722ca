import { setImmediate } from 'node:timers/promises'
import type { DeliveryTable, WebhookTable } from '../../data/schema/webhooks.ts'
import {
  attemptsOf,
  countDeliveries,
  deliveriesBetween,
  deliveriesSince,
  type DeliveryAttempt,
  type DeliveryPlace,
  findDelivery,
  isReplayPending,
  listDeliveries as listRows,
  type ListedDelivery,
  replayDeliveries,
} from '../../data/deliveries.ts'
import { inTransaction, type Connection } from '../../data/engine/database.ts'
import { findWebhook, updateWebhook } from '../../data/webhooks.ts'
import { type Customer, type ServiceContext, storedNow } from '../context.ts'
import { type Listing, type ListQuery, nearestTime, toPage } from '../paging.ts'
import { Refusal } from '../refusal.ts'
import { outOfTurn } from '../turns.ts'
import { getWebhook } from './registrations.ts'

type Sort = 'id' | 'createdAt'

const listing: Listing<Sort> = {
  columns: { id: 'id', createdAt: 'created_at' },
  sort: 'createdAt',
  direction: 'desc',
}

/** A delivery with its attempts, the oldest first. */
export type LoggedDelivery = ListedDelivery & { readonly log: readonly DeliveryAttempt[] }

/** Lists one page of the deliveries of a webhook, of the given state or of every state, with their total number. */
export async function listDeliveries(
  context: ServiceContext,
  customer: Customer,
  webhookId: string,
  query: ListQuery<Sort> & { readonly state?: DeliveryTable['state'] | undefined },
): Promise<{ count: number; page: number; limit: number; rows: LoggedDelivery[] }> {
  const { database } = context
  const { id } = await getWebhook(context, customer, webhookId)
  const page = toPage(query, listing)
  const state = query.state ?? null
  return {
    count: await countDeliveries(database, id, state, page),
    page: Math.max(query.page ?? 1, 1),
    limit: page.limit,
    rows: await withLogs(database, await listRows(database, id, state, page)),
  }
}

/**
 * Marks one delivery to be sent again, whatever its state is, with as many attempts as a new delivery has. A pending
 * delivery without an attempt stays unchanged. Returns the delivery after the change.
 */
export async function replayDelivery(
  context: ServiceContext,
  customer: Customer,
  webhookId: string,
  id: number,
): Promise<LoggedDelivery> {
  await getWebhook(context, customer, webhookId)
  const row = await inTransaction(context.database, async (connection) => {
    await replayDeliveries(connection, webhookId, [id], storedNow(context))
    const found = await findDelivery(connection, webhookId, id)
    if (found === null) throw new Refusal('not_found', 'Delivery not found.')
    return (await withLogs(connection, [found]))[0]
  })
  if (row === undefined) throw new Refusal('not_found', 'Delivery not found.')
  context.deliveries.replayed({ webhook_id: webhookId, customer_id: customer.id }, row.entity_id)
  return row
}

/** Maximum number of deliveries that one call marks to be sent again. */
const mostReplayed = 10_000
/**
 * A call that marks deliveries of a webhook to be sent again is refused while a delivery that the previous such call
 * marked has had no new attempt. This is the maximum duration of this refusal, in milliseconds.
 */
const replayMs = 3_600_000

/**
 * Number of deliveries that one step marks for sending. It limits the duration of a step, because with SQLite no other
 * call runs during a step, and a step also checks up to about thirty logged attempts of each delivery.
 */
const replayedAtOnce = 250

/**
 * Marks deliveries of a webhook to be sent again: the oldest `mostReplayed` of those whose events happened at `since`
 * or later. A pending delivery without an attempt is not marked, because it will be sent anyway. Works in steps,
 * between which other calls run. `replayed`: the number of marked deliveries. `nextAt`: the time of the first later
 * event; null: there is none. Refused with 429, for `replayMs` at most, while deliveries that an earlier call marked
 * wait for their first attempt.
 */
export async function replaySince(
  context: ServiceContext,
  customer: Customer,
  webhookId: string,
  since: string,
): Promise<{ replayed: number; nextAt: string | null }> {
  const now = storedNow(context)
  const from = nearestTime(since)
  const { last, nextAt } = await inTransaction(context.database, async (connection) => {
    const { replayed_at: replayedAt } = await requireWebhook(connection, customer, webhookId)
    const isRecent = replayedAt !== null && context.clock.now() - Date.parse(replayedAt) < replayMs
    if (isRecent && (await isReplayPending(connection, webhookId, replayedAt))) throw replayPending()
    const found = await deliveriesSince(connection, webhookId, from, mostReplayed)
    if (found.last !== null) await updateWebhook(connection, webhookId, { replayed_at: now })
    return found
  })
  let replayed = 0
  // a position consists of a time and the id of a delivery; ids begin at 1, so the position with the time `from` and
  // the id 0 is before all deliveries of this time
  let after: DeliveryPlace | null = last && { created_at: from, id: 0 }
  try {
    while (last !== null && after !== null) {
      const place = after
      const { portion, count } = await inTransaction(context.database, async (connection) => {
        await requireWebhook(connection, customer, webhookId)
        const found = await deliveriesBetween(connection, webhookId, place, last, replayedAtOnce)
        const ids = found.map(({ id }) => id)
        return { portion: found, count: await replayDeliveries(connection, webhookId, ids, now) }
      })
      replayed += count
      after = portion.length < replayedAtOnce ? null : (portion.at(-1) ?? null)
      if (after !== null) await outOfTurn(() => setImmediate())
    }
  } finally {
    // the queue is notified after a failed step too, because the runner does not find the deliveries that earlier steps
    // have marked
    context.deliveries.replayed({ webhook_id: webhookId, customer_id: customer.id }, null)
  }
  return { replayed, nextAt }
}

/** Refuses with 404 if the webhook does not exist. It can be deleted between two steps. */
async function requireWebhook(
  connection: Connection,
  customer: Customer,
  webhookId: string,
): Promise<WebhookTable> {
  const webhook = await findWebhook(connection, customer.id, webhookId)
  if (webhook === null) throw new Refusal('not_found', 'Webhook not found.')
  return webhook
}

function replayPending(): Refusal {
  const message = 'Repeated deliveries of this webhook are still waiting. Try again when they have been sent.'
  return new Refusal('too_many', message, { retryAfterSeconds: 10 })
}

async function withLogs(connection: Connection, rows: readonly ListedDelivery[]): Promise<LoggedDelivery[]> {
  const attempts = await attemptsOf(
    connection,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({ ...row, log: attempts.get(row.id) ?? [] }))
}
