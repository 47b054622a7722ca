import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** When the stock of a variant last changed, the pickup labels of shipments, and persons still to be redacted. */
export const stockAndPersons: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database
    await schema
      .alterTable('variants')
      .addColumn('stock_modified_at', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    await sql`UPDATE variants SET stock_modified_at = COALESCE(
      (SELECT MAX(batches.created_at) FROM batches WHERE batches.variant_id = variants.id), modified_at)`.execute(
      database,
    )
    await schema
      .createIndex('variants_by_stock_modified_at')
      .on('variants')
      .columns(['customer_id', 'stock_modified_at', 'id'])
      .execute()
    await schema
      .createTable('shipment_documents')
      .addColumn('shipment_id', 'text', (column) => column.primaryKey().references('shipments.id'))
      .addColumn('document_id', 'text', (column) => column.notNull().references('documents.id'))
      .execute()
    await schema
      .createIndex('shipment_documents_by_document')
      .on('shipment_documents')
      .columns(['document_id'])
      .execute()
    await schema
      .createTable('redactions')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('customer_id', 'text', (column) => column.notNull().references('customers.id'))
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .execute()
  },
}
