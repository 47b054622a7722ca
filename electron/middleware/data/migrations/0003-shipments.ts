import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Shipped orders and their lines. */
export const shipments: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database
    await schema
      .createTable('shipments')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('customer_id', 'text', (column) => column.notNull().references('customers.id'))
      .addColumn('reference', 'text', (column) => column.notNull().unique())
      .addColumn('po_number', 'text')
      .addColumn('order_external_reference', 'text', (column) => column.notNull())
      .addColumn('shipment_external_reference', 'text')
      .addColumn('shipping_method_id', 'text', (column) => column.notNull().references('shipping_methods.id'))
      .addColumn('shipping_address', 'text', (column) => column.notNull())
      .addColumn('labels', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('modified_at', 'text', (column) => column.notNull())
      .execute()
    await schema
      .createTable('shipment_lines')
      .addColumn('shipment_id', 'text', (column) => column.notNull().references('shipments.id'))
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('variant_id', 'text', (column) => column.notNull().references('variants.id'))
      .addColumn('quantity', 'integer', (column) => column.notNull())
      .addColumn('serial_numbers', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('shipment_lines_key', ['shipment_id', 'position'])
      .execute()
    for (const column of ['reference', 'created_at', 'order_external_reference']) {
      await schema
        .createIndex(`shipments_by_${column}`)
        .on('shipments')
        .columns(['customer_id', column, 'id'])
        .execute()
    }
  },
}
