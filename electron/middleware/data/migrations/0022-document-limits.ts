import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Schema } from '../schema/schema.ts'

/**
 * What the documents take that clients sent with their orders, so that they can have a limit. Labels and papers that the
 * service makes do not count. Triggers also count those that are deleted with a redaction.
 */
export const documentLimits: Migration = {
  async up(database: Kysely<Schema>): Promise<void> {
    await database.schema
      .createTable('document_storage')
      .addColumn('customer_id', 'text', (column) => column.primaryKey())
      .addColumn('bytes', 'integer', (column) => column.notNull())
      .execute()
    await sql`insert into document_storage select customer_id, sum(octet_length(content)) from documents
      where document_type in ('order_document', 'shipping_label') group by customer_id`.execute(database)
    await sql`create trigger document_stored after insert on documents
      when new.document_type in ('order_document', 'shipping_label') begin
      insert into document_storage values (new.customer_id, octet_length(new.content))
        on conflict (customer_id) do update set bytes = bytes + excluded.bytes;
      end`.execute(database)
    await sql`create trigger document_deleted after delete on documents
      when old.document_type in ('order_document', 'shipping_label') begin
      update document_storage set bytes = bytes - octet_length(old.content) where customer_id = old.customer_id;
      end`.execute(database)
  },
}
