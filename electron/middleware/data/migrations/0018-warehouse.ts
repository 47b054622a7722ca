import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { openLedger, openWork } from '../warehouse-opening.ts'
import type { Schema } from '../schema/schema.ts'

/**
 * What a warehouse that works needs: the stock ledger, what it has still to do, answers of its calls by their key, and
 * events with what became of them at each webhook.
 */
export const warehouse: Migration = {
  async up(database: Kysely<Schema>): Promise<void> {
    await addLedger(database)
    await addWork(database)
    await addEvents(database)
    await database.schema.alterTable('articles').addColumn('deleted_at', 'text').execute()
    await freeCodesOfDeletedVariants(database)
    await database.schema
      .alterTable('shipments')
      .addColumn('order_id', 'text', (column) => column.references('orders.id'))
      .execute()
    await database.schema.createIndex('shipments_by_order').on('shipments').column('order_id').execute()
    await sql`insert into counters (name, value) select 'shipment', max(cast(substr(reference, 4) as integer))
      from shipments having count(*) > 0`.execute(database)
    await addWhatIsDue(database)
    await openLedger(database)
    await openWork(database)
  },
}

async function addLedger({ schema }: Kysely<Schema>): Promise<void> {
  await schema
    .createTable('stock_entries')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('variant_id', 'text', (column) => column.notNull().references('variants.id'))
    .addColumn('batch_id', 'text', (column) => column.references('batches.id'))
    .addColumn('order_id', 'text', (column) => column.references('orders.id'))
    .addColumn('pieces', 'integer', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('cause_id', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addCheckConstraint('stock_entries_account', sql`(batch_id is null) <> (order_id is null)`)
    .execute()
  for (const column of ['batch_id', 'order_id', 'variant_id'])
    await schema.createIndex(`stock_entries_by_${column}`).on('stock_entries').column(column).execute()
  await schema
    .createTable('reservations')
    .addColumn('order_id', 'text', (column) => column.notNull().references('orders.id'))
    .addColumn('variant_id', 'text', (column) => column.notNull().references('variants.id'))
    .addColumn('pieces', 'integer', (column) => column.notNull().check(sql`pieces > 0`))
    .addPrimaryKeyConstraint('reservations_place', ['order_id', 'variant_id'])
    .execute()
  await schema.createIndex('reservations_by_variant').on('reservations').column('variant_id').execute()
}

/**
 * Article codes are unique among the variants that are not deleted. SQLite cannot drop a constraint, so the table is made
 * anew; tables that refer to it find it again by its name.
 */
async function freeCodesOfDeletedVariants(database: Kysely<Schema>): Promise<void> {
  const columns = sql.join(variantColumns.map((column) => sql.ref(column)))
  // SQLite heeds this pragma outside transactions only
  await sql`pragma foreign_keys = off`.execute(database)
  await database.transaction().execute(async (transaction) => {
    const { schema } = transaction
    await createNextVariants(transaction)
    await sql`insert into next_variants (${columns}) select ${columns} from variants`.execute(transaction)
    await schema.dropTable('variants').execute()
    await schema.alterTable('next_variants').renameTo('variants').execute()
    await schema
      .createIndex('variants_living_article_code')
      .unique()
      .on('variants')
      .columns(['customer_id', 'article_code'])
      .where(sql<boolean>`deleted_at is null`)
      .execute()
    for (const [name, indexed] of [
      ['variants_by_id', ['customer_id', 'id']],
      ['variants_by_name', ['customer_id', 'name', 'id']],
      ['variants_by_created_at', ['customer_id', 'created_at', 'id']],
      ['variants_by_modified_at', ['customer_id', 'modified_at', 'id']],
      ['variants_by_stock_modified_at', ['customer_id', 'stock_modified_at', 'id']],
      ['variants_by_ean', ['customer_id', 'ean']],
      ['variants_by_sku', ['customer_id', 'sku']],
      ['variants_by_article', ['article_id', 'name', 'id']],
    ] as const)
      await schema
        .createIndex(name)
        .on('variants')
        .columns([...indexed])
        .execute()
  })
  await sql`pragma foreign_keys = on`.execute(database)
}

const variantColumns = [
  'id',
  'article_id',
  'customer_id',
  'article_code',
  'name',
  'description',
  'ean',
  'sku',
  'hs_tariff_code',
  'height',
  'depth',
  'width',
  'weight',
  'expirable',
  'country_of_origin',
  'using_serial_numbers',
  'value',
  'created_at',
  'modified_at',
  'stock_modified_at',
] as const

async function createNextVariants({ schema }: Pick<Kysely<Schema>, 'schema'>): Promise<void> {
  let table = schema
    .createTable('next_variants')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('article_id', 'text', (column) => column.notNull().references('articles.id'))
    .addColumn('customer_id', 'text', (column) => column.notNull().references('customers.id'))
  for (const column of ['article_code', 'name', 'created_at', 'modified_at', 'stock_modified_at'])
    table = table.addColumn(column, 'text', (made) => made.notNull())
  for (const column of ['description', 'ean', 'sku', 'hs_tariff_code', 'country_of_origin', 'deleted_at'])
    table = table.addColumn(column, 'text')
  for (const column of ['height', 'depth', 'width', 'weight', 'value'])
    table = table.addColumn(column, 'double precision')
  for (const column of ['expirable', 'using_serial_numbers'])
    table = table.addColumn(column, 'integer', (made) => made.notNull())
  await table.execute()
}

/** A simulated warehouse looks every few seconds for what is due, of all customers. */
async function addWhatIsDue({ schema }: Kysely<Schema>): Promise<void> {
  for (const [name, table, columns] of [
    ['orders_by_due', 'orders', ['status', 'modified_at', 'reference']],
    ['inbounds_by_due', 'inbounds', ['status', 'modified_at', 'reference']],
    ['modifications_by_due', 'modifications', ['status', 'created_at', 'reference']],
    ['transfers_by_due', 'transfers', ['status', 'modified_at', 'serial']],
    ['batches_by_location', 'batches', ['location_id', 'quantity']],
  ] as const)
    await schema
      .createIndex(name)
      .on(table)
      .columns([...columns])
      .execute()
  await schema
    .createIndex('shipments_untracked')
    .on('shipments')
    .columns(['created_at', 'reference'])
    .where(sql<boolean>`labels = '[]' and order_id is not null`)
    .execute()
}

async function addWork({ schema }: Kysely<Schema>): Promise<void> {
  await schema
    .createTable('warehouse_work')
    .addColumn('sequence', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('customer_id', 'text', (column) => column.notNull().references('customers.id'))
    .addColumn('entity_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('warehouse_calls')
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('answer', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('warehouse_calls_key', ['user_id', 'key'])
    .execute()
  await schema
    .createIndex('warehouse_calls_by_created_at')
    .on('warehouse_calls')
    .column('created_at')
    .execute()
}

async function addEvents(database: Kysely<Schema>): Promise<void> {
  const { schema } = database
  await schema
    .createTable('events')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('customer_id', 'text', (column) => column.notNull().references('customers.id'))
    .addColumn('topic_group', 'text', (column) => column.notNull())
    .addColumn('topic_action', 'text', (column) => column.notNull())
    .addColumn('entity_id', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()
  await schema.createIndex('events_by_entity').on('events').column('entity_id').execute()
  await schema.createIndex('events_by_created_at').on('events').column('created_at').execute()
  await addDeliveries(database)
}

async function addDeliveries({ schema }: Kysely<Schema>): Promise<void> {
  await schema
    .createTable('deliveries')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('webhook_id', 'text', (column) =>
      column.notNull().references('webhooks.id').onDelete('cascade'),
    )
    .addColumn('event_id', 'text', (column) => column.notNull().references('events.id').onDelete('cascade'))
    .addColumn('entity_id', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('next_at', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createIndex('deliveries_by_webhook')
    .on('deliveries')
    .columns(['webhook_id', 'created_at', 'id'])
    .execute()
  await schema.createIndex('deliveries_by_event').on('deliveries').column('event_id').execute()
  // of what is pending alone: it stays small, however much was delivered
  for (const [name, columns] of [
    ['deliveries_waiting', ['webhook_id', 'next_at', 'id']],
    ['deliveries_of_entity', ['webhook_id', 'entity_id', 'id']],
    ['deliveries_due', ['next_at', 'webhook_id']],
  ] as const)
    await schema
      .createIndex(name)
      .on('deliveries')
      .columns([...columns])
      .where(sql<boolean>`state = 'pending'`)
      .execute()
  await schema
    .createTable('delivery_attempts')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('delivery_id', 'integer', (column) =>
      column.notNull().references('deliveries.id').onDelete('cascade'),
    )
    .addColumn('started_at', 'text', (column) => column.notNull())
    .addColumn('duration_ms', 'integer', (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('failure', 'text')
    .execute()
  await schema
    .createIndex('delivery_attempts_by_delivery')
    .on('delivery_attempts')
    .column('delivery_id')
    .execute()
}
