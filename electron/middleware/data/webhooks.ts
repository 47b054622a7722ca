import type { Connection } from './engine/database.ts'
import { type Page, readPage } from './engine/listing.ts'
import type { WebhookTable } from './schema/webhooks.ts'

type Subscription = Pick<WebhookTable, 'id' | 'customer_id' | 'topic_group' | 'topic_action'>

/** Returns the webhooks of the customers, and for each webhook the events that it receives. */
export async function subscriptionsOf(
  connection: Connection,
  customerIds: readonly string[],
): Promise<Subscription[]> {
  return connection
    .selectFrom('webhooks')
    .select(['id', 'customer_id', 'topic_group', 'topic_action'])
    .where('customer_id', 'in', customerIds)
    .where('deleted_at', 'is', null)
    .execute()
}

export async function listWebhooks(
  connection: Connection,
  customerId: string,
  page: Page,
): Promise<WebhookTable[]> {
  return readPage(
    connection,
    connection
      .selectFrom('webhooks')
      .selectAll()
      .where('customer_id', '=', customerId)
      .where('deleted_at', 'is', null),
    page,
  )
}

/** Counts the webhooks on all pages of a list. */
export async function countWebhooks(
  connection: Connection,
  customerId: string,
  page: Pick<Page, 'from' | 'to'>,
): Promise<number> {
  let query = connection
    .selectFrom('webhooks')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('customer_id', '=', customerId)
    .where('deleted_at', 'is', null)
  if (page.from !== null) query = query.where('created_at', '>=', page.from)
  if (page.to !== null) query = query.where('created_at', '<=', page.to)
  return (await query.executeTakeFirstOrThrow()).count
}

export async function findWebhook(
  connection: Connection,
  customerId: string,
  id: string,
): Promise<WebhookTable | null> {
  const row = await connection
    .selectFrom('webhooks')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

export async function insertWebhook(connection: Connection, row: WebhookTable): Promise<void> {
  await connection.insertInto('webhooks').values(row).execute()
}

export async function updateWebhook(
  connection: Connection,
  id: string,
  change: Partial<Omit<WebhookTable, 'id' | 'customer_id' | 'created_at'>>,
): Promise<void> {
  await connection.updateTable('webhooks').set(change).where('id', '=', id).execute()
}

/** Marks a webhook as deleted: it is no longer listed or notified. Its secret is deleted at once. */
export async function markWebhookDeleted(connection: Connection, id: string, now: string): Promise<void> {
  await updateWebhook(connection, id, { deleted_at: now, hash_secret: '' })
}

/** Returns the id of a webhook that is marked as deleted. Null: there is none. */
export async function nextDeletedWebhook(connection: Connection): Promise<string | null> {
  const row = await connection
    .selectFrom('webhooks')
    .select('id')
    .where('deleted_at', 'is not', null)
    .orderBy('deleted_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}

/**
 * Deletes a webhook. Its deliveries must have been deleted before, because otherwise they would all be deleted in one
 * step.
 */
export async function deleteWebhook(connection: Connection, id: string): Promise<void> {
  await connection.deleteFrom('webhooks').where('id', '=', id).execute()
}
