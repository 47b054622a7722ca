import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Bundles, and sizes of variants as fractions: until here they were whole millimetres and grams. */
export const bundles: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await createBundles(database)
    await widenSizes(database)
  },
}

async function createBundles({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('variant_bundles')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('customer_id', 'text', (column) => column.notNull().references('customers.id'))
    .addColumn('variant_id', 'text', (column) => column.notNull().unique().references('variants.id'))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('modified_at', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createIndex('variant_bundles_by_created_at')
    .on('variant_bundles')
    .columns(['customer_id', 'created_at', 'id'])
    .execute()
  await schema
    .createTable('variant_bundle_items')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('bundle_id', 'text', (column) => column.notNull().references('variant_bundles.id'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('variant_id', 'text', (column) => column.notNull().references('variants.id'))
    .addColumn('quantity', 'integer', (column) => column.notNull())
    .addUniqueConstraint('variant_bundle_items_place', ['bundle_id', 'position'])
    .execute()
}

/** A column's type cannot be changed in place on both engines. */
async function widenSizes(database: Kysely<unknown>): Promise<void> {
  const { schema } = database
  for (const column of ['height', 'depth', 'width', 'weight']) {
    const exact = `exact_${column}`
    await schema.alterTable('variants').addColumn(exact, 'double precision').execute()
    await sql`update variants set ${sql.ref(exact)} = ${sql.ref(column)}`.execute(database)
    await schema.alterTable('variants').dropColumn(column).execute()
    await schema.alterTable('variants').renameColumn(exact, column).execute()
  }
}
