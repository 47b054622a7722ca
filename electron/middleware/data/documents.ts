import type { Connection } from './database.ts'

export async function storeDocument(
  connection: Connection,
  document: { id: string; customerId: string; content: Uint8Array; createdAt: string },
): Promise<void> {
  await connection
    .insertInto('documents')
    .values({
      id: document.id,
      customer_id: document.customerId,
      content: Buffer.from(document.content),
      created_at: document.createdAt,
    })
    .execute()
}

export async function readDocument(connection: Connection, id: string): Promise<Uint8Array | null> {
  const row = await connection
    .selectFrom('documents')
    .select('content')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.content ?? null
}
