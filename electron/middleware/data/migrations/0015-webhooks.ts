import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Who wants to be told of what. */
export const webhooks: Migration = {
  async up({ schema }: Kysely<unknown>): Promise<void> {
    await schema
      .createTable('webhooks')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('customer_id', 'text', (column) => column.notNull().references('customers.id'))
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('topic_group', 'text', (column) => column.notNull())
      .addColumn('topic_action', 'text', (column) => column.notNull())
      .addColumn('hash_secret', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('modified_at', 'text', (column) => column.notNull())
      .execute()
    for (const [name, columns] of [
      ['webhooks_by_created_at', ['customer_id', 'created_at', 'id']],
      ['webhooks_by_topic', ['customer_id', 'topic_group', 'topic_action']],
    ] as const)
      await schema
        .createIndex(name)
        .on('webhooks')
        .columns([...columns])
        .execute()
  },
}
