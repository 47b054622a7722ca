import type { DeliveryTable } from '../../data/schema/clients.ts'
import {
  attemptsOf,
  countDeliveries,
  type DeliveryAttempt,
  findDelivery,
  listDeliveries as listRows,
  type ListedDelivery,
  replayDeliveries,
} from '../../data/deliveries.ts'
import type { Connection } from '../../data/engine/database.ts'
import { type Customer, type ServiceContext, storedNow } from '../context.ts'
import { type Listing, type ListQuery, toPage } from '../paging.ts'
import { Refusal } from '../refusal.ts'
import { getWebhook } from './registrations.ts'

type Sort = 'id' | 'createdAt'

const listing: Listing<Sort> = {
  columns: { id: 'id', createdAt: 'created_at' },
  sort: 'createdAt',
  direction: 'desc',
}

/** A delivery with its attempts, the oldest first. */
export type LoggedDelivery = ListedDelivery & { readonly log: readonly DeliveryAttempt[] }

/** One page of what a webhook was or is to be told, and how many there are in all. */
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

/** Sends one delivery anew, whatever became of it, with the attempts of a new one. */
export async function replayDelivery(
  context: ServiceContext,
  customer: Customer,
  webhookId: string,
  id: number,
): Promise<LoggedDelivery> {
  await getWebhook(context, customer, webhookId)
  const row = await context.database.transaction().execute(async (connection) => {
    await replayDeliveries(connection, webhookId, { id }, storedNow(context))
    const found = await findDelivery(connection, webhookId, id)
    if (found === null) throw new Refusal('not_found', 'Delivery not found.')
    return (await withLogs(connection, [found]))[0]
  })
  if (row === undefined) throw new Refusal('not_found', 'Delivery not found.')
  context.deliveries.wake()
  return row
}

/** Sends all deliveries of a webhook anew whose event happened at `since` (a moment, or a UTC day) or later; returns how many. */
export async function replaySince(
  context: ServiceContext,
  customer: Customer,
  webhookId: string,
  since: string,
): Promise<number> {
  await getWebhook(context, customer, webhookId)
  const from = new Date(since).toISOString()
  const replayed = await context.database
    .transaction()
    .execute((connection) => replayDeliveries(connection, webhookId, { since: from }, storedNow(context)))
  context.deliveries.wake()
  return replayed
}

async function withLogs(connection: Connection, rows: readonly ListedDelivery[]): Promise<LoggedDelivery[]> {
  const attempts = await attemptsOf(
    connection,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({ ...row, log: attempts.get(row.id) ?? [] }))
}
