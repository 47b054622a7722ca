import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What an inbound says beside its lines, and what was seen when it came in. */
export const inboundsWhole: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await widenInbounds(database)
    await createQualityControls(database)
    await startReferences(database.$extendTables<Before>())
    for (const column of ['inbound_date', 'created_at', 'modified_at', 'status'])
      await database.schema
        .createIndex(`inbounds_by_${column}`)
        .on('inbounds')
        .columns(['customer_id', column, 'id'])
        .execute()
  },
}

async function widenInbounds({ schema }: Kysely<unknown>): Promise<void> {
  for (const [table, column, standard] of [
    ['inbounds', 'type', 'announced'],
    ['inbounds', 'meta_data', '{}'],
    ['inbound_lines', 'serial_numbers', '[]'],
    ['inbound_lines', 'meta_data', '{}'],
  ] as const)
    await schema
      .alterTable(table)
      .addColumn(column, 'text', (definition) => definition.notNull().defaultTo(standard))
      .execute()
}

async function createQualityControls({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('quality_controls')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('inbound_id', 'text', (column) => column.notNull().references('inbounds.id'))
    .addColumn('pallet_count', 'text', (column) => column.notNull())
    .addColumn('was_delivery_appointment', 'integer', (column) => column.notNull())
    .addColumn('had_packing_list', 'integer', (column) => column.notNull())
    .addColumn('was_correct_quantity', 'integer', (column) => column.notNull())
    .addColumn('had_proper_markings', 'integer', (column) => column.notNull())
    .addColumn('box_condition', 'text', (column) => column.notNull())
    .addColumn('comments', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createIndex('quality_controls_by_inbound')
    .on('quality_controls')
    .columns(['inbound_id', 'created_at', 'id'])
    .execute()
  for (const [owner, owners] of [
    ['inbound', 'inbounds'],
    ['quality_control', 'quality_controls'],
  ] as const)
    await schema
      .createTable(`${owner}_documents`)
      .addColumn(`${owner}_id`, 'text', (column) => column.notNull().references(`${owners}.id`))
      // a document that is deleted is simply no longer there
      .addColumn('document_id', 'text', (column) =>
        column.notNull().references('documents.id').onDelete('cascade'),
      )
      .addPrimaryKeyConstraint(`${owner}_documents_key`, [`${owner}_id`, 'document_id'])
      .execute()
  for (const owner of ['inbound', 'quality_control'])
    await schema
      .createIndex(`${owner}_documents_by_document`)
      .on(`${owner}_documents`)
      .columns(['document_id'])
      .execute()
}

/** The columns this migration reads and writes, as they were when it was written. */
type Before = {
  inbounds: { reference: string }
  counters: { name: string; value: number }
}

/** The sequence of references goes on after those that are there. */
async function startReferences(database: Kysely<Before>): Promise<void> {
  const { last } = await database
    .selectFrom('inbounds')
    .select(sql<string | null>`max(reference)`.as('last'))
    .where(sql<number>`length(reference)`, '=', 14)
    .executeTakeFirstOrThrow()
  const value = Number(/^INB(\d{11})$/.exec(last ?? '')?.[1] ?? 0)
  if (value > 0) await database.insertInto('counters').values({ name: 'inbound', value }).execute()
}
