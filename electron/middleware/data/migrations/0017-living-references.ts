import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * A cancelled label gives its external reference back: the reference is unique among the labels that are not cancelled.
 * SQLite cannot drop a constraint, so the table is made anew.
 */
export const livingReferences: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database
    await schema
      .createTable('next_return_labels')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('serial', 'integer', (column) => column.notNull().unique())
      .addColumn('customer_id', 'text', (column) => column.notNull().references('customers.id'))
      .addColumn('external_reference', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('shipment_id', 'text', (column) => column.references('shipments.id'))
      .addColumn('shipping_method_id', 'text', (column) => column.notNull().references('shipping_methods.id'))
      .addColumn('sender_address', 'text', (column) => column.notNull())
      .addColumn('tracking', 'text', (column) => column.notNull())
      .addColumn('document_id', 'text', (column) => column.references('documents.id'))
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('modified_at', 'text', (column) => column.notNull())
      .execute()
    const columns = sql.join(
      [
        'id',
        'serial',
        'customer_id',
        'external_reference',
        'state',
        'shipment_id',
        'shipping_method_id',
        'sender_address',
        'tracking',
        'document_id',
        'created_at',
        'modified_at',
      ].map((column) => sql.ref(column)),
    )
    await sql`insert into next_return_labels (${columns}) select ${columns} from return_labels`.execute(
      database,
    )
    await schema.dropTable('return_labels').execute()
    await schema.alterTable('next_return_labels').renameTo('return_labels').execute()
    await createIndexes(database)
  },
}

async function createIndexes({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createIndex('return_labels_living_reference')
    .unique()
    .on('return_labels')
    .columns(['customer_id', 'external_reference'])
    .where(sql<boolean>`state <> 'cancelled'`)
    .execute()
  for (const [name, columns] of [
    ['return_labels_by_serial', ['customer_id', 'serial', 'id']],
    ['return_labels_by_created_at', ['customer_id', 'created_at', 'id']],
    ['return_labels_by_shipment', ['shipment_id', 'serial']],
    ['return_labels_by_document', ['document_id']],
  ] as const)
    await schema
      .createIndex(name)
      .on('return_labels')
      .columns([...columns])
      .execute()
}
