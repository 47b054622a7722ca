import { Kysely, type Transaction } from 'kysely'
import { Migrator } from 'kysely/migration'
import { createDialect } from './dialect.ts'
import { migrations } from './migrations.ts'
import type { Schema } from '../schema/schema.ts'

export type Database = Kysely<Schema>
/** What a repository function takes: the database, or the transaction its caller runs. */
export type Connection = Database | Transaction<Schema>

/** Opens the file (or `:memory:`) and brings it to the newest schema; throws when a migration fails. */
export async function openDatabase(databaseFile: string): Promise<Database> {
  const database = new Kysely<Schema>({ dialect: createDialect(databaseFile) })
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: () => Promise.resolve(migrations) },
  })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) {
    await database.destroy()
    throw new Error('The middleware database could not be migrated', { cause: error })
  }
  return database
}
