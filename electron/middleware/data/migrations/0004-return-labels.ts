import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { bytesColumn } from '../engine/dialect.ts'

/** Return labels and the PDFs the carriers drew for them. */
export const returnLabels: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database
    await schema
      .createTable('documents')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('customer_id', 'text', (column) => column.notNull().references('customers.id'))
      .addColumn('content', bytesColumn, (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .execute()
    await schema
      .createTable('return_labels')
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
      .addUniqueConstraint('return_labels_reference', ['customer_id', 'external_reference'])
      .execute()
    for (const column of ['serial', 'created_at']) {
      await schema
        .createIndex(`return_labels_by_${column}`)
        .on('return_labels')
        .columns(['customer_id', column, 'id'])
        .execute()
    }
  },
}
