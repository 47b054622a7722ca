import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Schema } from '../schema/schema.ts'

/**
 * What the file of each export takes, so that the files of a customer can have a limit, and why an export failed. Triggers
 * keep the size: they also count parts that are deleted with something else.
 */
export const exportLimits: Migration = {
  async up(database: Kysely<Schema>): Promise<void> {
    const { schema } = database
    await schema
      .alterTable('exports')
      .addColumn('bytes', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await schema.alterTable('exports').addColumn('failure', 'text').execute()
    await sql`update exports set bytes = (
      select coalesce(sum(octet_length(content)), 0) from export_parts where export_id = exports.id)`.execute(
      database,
    )
    await sql`create trigger export_part_stored after insert on export_parts begin
      update exports set bytes = bytes + octet_length(new.content) where id = new.export_id;
      end`.execute(database)
    await sql`create trigger export_part_deleted after delete on export_parts begin
      update exports set bytes = bytes - octet_length(old.content) where id = old.export_id;
      end`.execute(database)
    await schema
      .createIndex('exports_with_file')
      .on('exports')
      .columns(['customer_id', 'modified_at', 'id', 'bytes'])
      .where('bytes', '>', 0)
      .execute()
  },
}
