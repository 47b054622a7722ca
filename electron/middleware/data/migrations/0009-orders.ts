import type { CreateTableBuilder, Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Orders, their lines and their documents; an index for each way of listing them. */
export const orders: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await createOrders(database)
    await createParts(database)
    for (const [name, table, columns] of [
      ['orders_by_created_at', 'orders', ['customer_id', 'created_at', 'id']],
      ['orders_by_modified_at', 'orders', ['customer_id', 'modified_at', 'id']],
      ['orders_by_status', 'orders', ['customer_id', 'status', 'id']],
      ['orders_by_status_and_time', 'orders', ['customer_id', 'status', 'created_at', 'id']],
      ['orders_by_delivery_date', 'orders', ['customer_id', 'requested_delivery_date', 'id']],
      ['order_lines_by_variant', 'order_lines', ['variant_id', 'order_id']],
      ['order_documents_by_document', 'order_documents', ['document_id']],
    ] as const)
      await database.schema
        .createIndex(name)
        .on(table)
        .columns([...columns])
        .execute()
  },
}

async function createOrders({ schema }: Kysely<unknown>): Promise<void> {
  const nullable = [
    'external_id',
    'po_number',
    'shipping_email',
    'shipping_contactperson',
    'inco_terms',
    'ioss_number',
    'eori_number',
    'vat_number',
    'inbound_vat_number',
    'inbound_eori_number',
    'currency',
    'note',
    'customer_note',
    'language',
  ]
  const table: CreateTableBuilder<string, string> = schema
    .createTable('orders')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('customer_id', 'text', (column) => column.notNull().references('customers.id'))
    .addColumn('reference', 'text', (column) => column.notNull().unique())
    .addColumn('external_reference', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('requested_delivery_date', 'text', (column) => column.notNull())
    .addColumn('partial_delivery', 'integer', (column) => column.notNull())
    .addColumn('business_to_business', 'integer', (column) => column.notNull())
    .addColumn('applied_business_rules', 'integer')
    .addColumn('shipping_method_id', 'text', (column) => column.references('shipping_methods.id'))
    .addColumn('shipping_address', 'text', (column) => column.notNull())
    .addColumn('address_invalid', 'integer', (column) => column.notNull())
    .addColumn('order_amount', 'integer')
    .addColumn('assured_amount', 'integer')
    .addColumn('meta_data', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('modified_at', 'text', (column) => column.notNull())
  await nullable
    .reduce((wider, column) => wider.addColumn(column, 'text'), table)
    .addUniqueConstraint('orders_external_id', ['customer_id', 'external_id'])
    .addUniqueConstraint('orders_external_reference', ['customer_id', 'external_reference'])
    .execute()
}

async function createParts({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('order_lines')
    .addColumn('order_id', 'text', (column) => column.notNull().references('orders.id'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('variant_id', 'text', (column) => column.notNull().references('variants.id'))
    .addColumn('quantity', 'integer', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('price', 'double precision')
    .addColumn('processed', 'integer', (column) => column.notNull())
    .addColumn('packing_slip', 'integer', (column) => column.notNull())
    .addColumn('serial_numbers', 'text', (column) => column.notNull())
    .addColumn('meta_data', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('order_lines_key', ['order_id', 'position'])
    .execute()
  await schema
    .createTable('order_documents')
    .addColumn('order_id', 'text', (column) => column.notNull().references('orders.id'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('document_id', 'text', (column) => column.notNull().references('documents.id'))
    .addColumn('quantity', 'integer', (column) => column.notNull())
    .addColumn('is_shipping_label', 'integer', (column) => column.notNull())
    .addColumn('order_price', 'integer')
    .addColumn('label_type', 'text')
    .addPrimaryKeyConstraint('order_documents_key', ['order_id', 'position'])
    .execute()
}
