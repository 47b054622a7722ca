import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Stock that changes hands between customers, and who may do that. */
export const transfers: Migration = {
  async up({ schema }: Kysely<unknown>): Promise<void> {
    await schema
      .alterTable('users')
      .addColumn('transfers_granted', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await schema
      .createTable('transfers')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('serial', 'integer', (column) => column.notNull().unique())
      .addColumn('customer_id', 'text', (column) => column.notNull().references('customers.id'))
      .addColumn('to_customer_id', 'text', (column) => column.notNull().references('customers.id'))
      .addColumn('external_reference', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('cancel_note', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('modified_at', 'text', (column) => column.notNull())
      .execute()
    for (const column of ['serial', 'created_at'])
      await schema
        .createIndex(`transfers_by_${column}`)
        .on('transfers')
        .columns(['customer_id', column, 'id'])
        .execute()
    await schema
      .createTable('transfer_lines')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('transfer_id', 'text', (column) => column.notNull().references('transfers.id'))
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('from_variant_id', 'text', (column) => column.notNull().references('variants.id'))
      .addColumn('to_variant_id', 'text', (column) => column.notNull().references('variants.id'))
      .addColumn('quantity', 'integer', (column) => column.notNull())
      .addColumn('finalized_quantity', 'integer', (column) => column.notNull())
      .addUniqueConstraint('transfer_lines_place', ['transfer_id', 'position'])
      .execute()
  },
}
