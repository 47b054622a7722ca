import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Who may call, and on whose behalf. */
export const identity: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database
    await schema
      .createTable('meta')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute()
    await schema
      .createTable('counters')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'integer', (column) => column.notNull())
      .execute()
    await schema
      .createTable('customers')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('code', 'text', (column) => column.notNull().unique())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('return_shipping_method_id', 'text')
      .addColumn('return_address', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('modified_at', 'text', (column) => column.notNull())
      .execute()
    await schema
      .createTable('users')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('username', 'text', (column) => column.notNull().unique())
      .addColumn('password_hash', 'text', (column) => column.notNull())
      .addColumn('user_type', 'text', (column) => column.notNull())
      .addColumn('roles', 'text', (column) => column.notNull())
      .execute()
    await schema
      .createTable('user_customers')
      .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
      .addColumn('customer_id', 'text', (column) => column.notNull().references('customers.id'))
      .addPrimaryKeyConstraint('user_customers_key', ['user_id', 'customer_id'])
      .execute()
    await schema
      .createTable('refresh_tokens')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .execute()
  },
}
