import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What lies in the warehouse, where, and how it leaves. */
export const goods: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await createShippingMethods(database)
    await createVariants(database)
    await createStock(database)
  },
}

async function createShippingMethods({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('shipping_methods')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('code', 'text', (column) => column.notNull().unique())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('shipper', 'text', (column) => column.notNull())
    .addColumn('shipper_code', 'text', (column) => column.notNull())
    .addColumn('shipping_software', 'text', (column) => column.notNull())
    .addColumn('administration_code', 'text')
    .addColumn('carrier', 'text', (column) => column.notNull())
    .addColumn('supports_return_labels', 'integer', (column) => column.notNull())
    .addColumn('label_layout', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('modified_at', 'text', (column) => column.notNull())
    .execute()
}

async function createVariants({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('articles')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('customer_id', 'text', (column) => column.notNull().references('customers.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('modified_at', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('variants')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('article_id', 'text', (column) => column.notNull().references('articles.id'))
    .addColumn('customer_id', 'text', (column) => column.notNull().references('customers.id'))
    .addColumn('article_code', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('ean', 'text')
    .addColumn('sku', 'text')
    .addColumn('hs_tariff_code', 'text')
    .addColumn('height', 'integer')
    .addColumn('depth', 'integer')
    .addColumn('width', 'integer')
    .addColumn('weight', 'integer')
    .addColumn('expirable', 'integer', (column) => column.notNull())
    .addColumn('country_of_origin', 'text')
    .addColumn('using_serial_numbers', 'integer', (column) => column.notNull())
    .addColumn('value', 'double precision')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('modified_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('variants_article_code', ['customer_id', 'article_code'])
    .execute()
}

async function createStock({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('locations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('code', 'text', (column) => column.notNull().unique())
    .addColumn('pickable', 'integer', (column) => column.notNull())
    .execute()
  await schema
    .createTable('batches')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('customer_id', 'text', (column) => column.notNull().references('customers.id'))
    .addColumn('variant_id', 'text', (column) => column.notNull().references('variants.id'))
    .addColumn('location_id', 'text', (column) => column.notNull().references('locations.id'))
    .addColumn('quantity', 'integer', (column) => column.notNull())
    .addColumn('expiration_date', 'text')
    .addColumn('inbound_reference', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()
}
