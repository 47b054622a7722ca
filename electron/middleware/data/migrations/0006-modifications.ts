import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Corrections of the stock, and the kinds of places there are. */
export const modifications: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database
    await schema
      .createTable('location_types')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('code', 'text', (column) => column.notNull().unique())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('transport', 'integer', (column) => column.notNull())
      .addColumn('pickable', 'integer', (column) => column.notNull())
      .addColumn('administration_code', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .execute()
    await schema
      .createTable('modifications')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('customer_id', 'text', (column) => column.notNull().references('customers.id'))
      .addColumn('reference', 'text', (column) => column.notNull().unique())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('note', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('modified_at', 'text', (column) => column.notNull())
      .execute()
    await schema
      .createTable('modification_lines')
      .addColumn('modification_id', 'text', (column) => column.notNull().references('modifications.id'))
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('variant_id', 'text', (column) => column.notNull().references('variants.id'))
      .addColumn('location_id', 'text', (column) => column.notNull().references('locations.id'))
      .addColumn('quantity', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('modification_lines_key', ['modification_id', 'position'])
      .execute()
    for (const [name, columns] of [
      ['modifications_by_reference', ['customer_id', 'reference', 'id']],
      ['modifications_by_created_at', ['customer_id', 'created_at', 'id']],
      ['modifications_by_status', ['customer_id', 'status', 'reference', 'id']],
    ] as const)
      await schema
        .createIndex(name)
        .on('modifications')
        .columns([...columns])
        .execute()
  },
}
