import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { openSerials } from '../warehouse-opening.ts'
import type { Schema } from '../schema/schema.ts'

/** Serial numbers of pieces that have left, so that none leaves twice. */
export const shippedSerials: Migration = {
  async up(database: Kysely<Schema>): Promise<void> {
    await database.schema
      .createTable('shipped_serials')
      .addColumn('variant_id', 'text', (column) => column.notNull().references('variants.id'))
      .addColumn('serial', 'text', (column) => column.notNull())
      .addColumn('shipment_id', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('shipped_serials_key', ['variant_id', 'serial'])
      .modifyEnd(sql`without rowid`)
      .execute()
    await openSerials(database)
  },
}
