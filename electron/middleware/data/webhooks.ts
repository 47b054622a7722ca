import type { Connection } from './engine/database.ts'
import { type Page, paged } from './engine/listing.ts'
import type { WebhookTable } from './schema/clients.ts'

export async function listWebhooks(
  connection: Connection,
  customerId: string,
  page: Page,
): Promise<WebhookTable[]> {
  return paged(
    connection.selectFrom('webhooks').selectAll().where('customer_id', '=', customerId),
    page,
  ).execute()
}

/** How many there are over all pages of a list. */
export async function countWebhooks(
  connection: Connection,
  customerId: string,
  page: Pick<Page, 'from' | 'to'>,
): Promise<number> {
  let query = connection
    .selectFrom('webhooks')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('customer_id', '=', customerId)
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

export async function deleteWebhook(connection: Connection, id: string): Promise<void> {
  await connection.deleteFrom('webhooks').where('id', '=', id).execute()
}
