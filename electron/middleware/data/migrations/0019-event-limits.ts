import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Schema } from '../schema/schema.ts'

/** Of a delivery: its row, its places in the indexes and its log. */
const bytesOfDelivery = 500

/**
 * What the events of each customer take, so that they can have a limit. A column that is worked out costs nothing for the
 * events that are there, and a trigger also counts those that are deleted with something else.
 */
export const eventLimits: Migration = {
  async up(database: Kysely<Schema>): Promise<void> {
    const { schema } = database
    await schema.alterTable('webhooks').addColumn('replayed_at', 'text').execute()
    await schema
      .alterTable('events')
      .addColumn('deliveries', 'integer', (column) => column.notNull().defaultTo(1))
      .execute()
    const bytes = sql`octet_length(content) + ${sql.lit(bytesOfDelivery)} * deliveries`
    await schema
      .alterTable('events')
      .addColumn('bytes', 'integer', (column) => column.notNull().generatedAlwaysAs(bytes))
      .execute()
    await schema
      .createIndex('events_by_customer')
      .on('events')
      .columns(['customer_id', 'created_at', 'id'])
      .execute()
    await schema
      .createTable('event_storage')
      .addColumn('customer_id', 'text', (column) => column.primaryKey())
      .addColumn('bytes', 'integer', (column) => column.notNull())
      .execute()
    await sql`insert into event_storage select customer_id, sum(bytes) from events group by customer_id`.execute(
      database,
    )
    await sql`create trigger event_stored after insert on events begin
      insert into event_storage values (new.customer_id, new.bytes)
        on conflict (customer_id) do update set bytes = bytes + excluded.bytes;
      end`.execute(database)
    await sql`create trigger event_deleted after delete on events begin
      update event_storage set bytes = bytes - old.bytes where customer_id = old.customer_id;
      end`.execute(database)
  },
}
