import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Inbounds as rows of their own: until here a batch knew only the reference of the one it came with. */
export const inbounds: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await createInbounds(database)
    const { schema } = database
    await schema
      .alterTable('batches')
      .addColumn('inbound_id', 'text', (column) => column.references('inbounds.id'))
      .execute()
    await moveReferences(database.$extendTables<Before>())
    await schema.alterTable('batches').dropColumn('inbound_reference').execute()
    for (const [name, columns] of [
      ['batches_by_id', ['customer_id', 'id']],
      ['batches_by_created_at', ['customer_id', 'created_at', 'id']],
      ['batches_by_variant', ['variant_id', 'id']],
    ] as const)
      await schema
        .createIndex(name)
        .on('batches')
        .columns([...columns])
        .execute()
  },
}

async function createInbounds({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('inbounds')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('customer_id', 'text', (column) => column.notNull().references('customers.id'))
    .addColumn('reference', 'text', (column) => column.notNull())
    .addColumn('external_reference', 'text')
    .addColumn('is_return', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('inbound_date', 'text', (column) => column.notNull())
    .addColumn('note', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('modified_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('inbounds_reference', ['customer_id', 'reference'])
    .execute()
  await schema
    .createTable('inbound_lines')
    .addColumn('inbound_id', 'text', (column) => column.notNull().references('inbounds.id'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('variant_id', 'text', (column) => column.notNull().references('variants.id'))
    .addColumn('quantity', 'integer', (column) => column.notNull())
    .addColumn('processed', 'integer')
    .addColumn('packing_slip', 'integer')
    .addPrimaryKeyConstraint('inbound_lines_key', ['inbound_id', 'position'])
    .execute()
}

/** The columns this migration reads and writes, as they were when it was written. */
type Before = {
  batches: {
    customer_id: string
    inbound_reference: string
    inbound_id: string | null
    created_at: string
  }
  inbounds: {
    id: string
    customer_id: string
    reference: string
    is_return: 0 | 1
    status: string
    inbound_date: string
    created_at: string
    modified_at: string
  }
}

async function moveReferences(database: Kysely<Before>): Promise<void> {
  const known = await database
    .selectFrom('batches')
    .select(({ fn }) => ['customer_id', 'inbound_reference', fn.min('created_at').as('created_at')])
    .groupBy(['customer_id', 'inbound_reference'])
    .execute()
  for (const { customer_id, inbound_reference, created_at } of known) {
    const id = randomUUID()
    await database
      .insertInto('inbounds')
      .values({
        id,
        customer_id,
        reference: inbound_reference,
        is_return: 0,
        status: 'completed',
        inbound_date: created_at.slice(0, 10),
        created_at,
        modified_at: created_at,
      })
      .execute()
    await database
      .updateTable('batches')
      .set({ inbound_id: id })
      .where('customer_id', '=', customer_id)
      .where('inbound_reference', '=', inbound_reference)
      .execute()
  }
}
