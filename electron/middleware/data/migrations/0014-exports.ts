import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Exports, and their files in parts: a large one is never whole in memory. */
export const exports: Migration = {
  async up({ schema }: Kysely<unknown>): Promise<void> {
    await schema
      .createTable('exports')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('customer_id', 'text', (column) => column.notNull().references('customers.id'))
      .addColumn('family', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('filters', 'text', (column) => column.notNull())
      .addColumn('fields', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('modified_at', 'text', (column) => column.notNull())
      .execute()
    await schema
      .createTable('export_parts')
      .addColumn('export_id', 'text', (column) => column.notNull().references('exports.id'))
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('content', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('export_parts_key', ['export_id', 'position'])
      .execute()
    for (const [name, columns] of [
      ['exports_by_created_at', ['customer_id', 'created_at', 'id']],
      ['exports_by_status', ['status', 'created_at', 'id']],
    ] as const)
      await schema
        .createIndex(name)
        .on('exports')
        .columns([...columns])
        .execute()
  },
}
