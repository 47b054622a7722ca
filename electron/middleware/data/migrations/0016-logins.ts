import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** A login and what came from it. Refresh tokens of earlier versions have no login until they are used. */
export const logins: Migration = {
  async up({ schema }: Kysely<unknown>): Promise<void> {
    await schema
      .createTable('logins')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .execute()
    await schema
      .alterTable('refresh_tokens')
      .addColumn('login', 'text', (column) => column.references('logins.hash').onDelete('cascade'))
      .execute()
    await schema.alterTable('refresh_tokens').addColumn('used_at', 'text').execute()
    await schema.createIndex('refresh_tokens_by_login').on('refresh_tokens').column('login').execute()
    await schema.createIndex('logins_by_user').on('logins').column('user_id').execute()
  },
}
