import type { Database } from 'better-sqlite3'
import { CataloguedError } from '#shared/errors/result.ts'

/** One step of the schema of desk.db. After a release it is never edited: a later change is a new step. */
export interface Migration {
  /** The `user_version` after this step: 1, 2, 3 and so on without gaps. */
  readonly version: number
  readonly sql: string
}

export function schemaVersion(database: Database): number {
  return Number(database.pragma('user_version', { simple: true }))
}

/**
 * Throws CataloguedError `store.other_version` for a schema that this version of Scandesk does not know, because
 * continuing would lose data.
 */
export function refuseUnknown(database: Database, migrations: readonly Migration[]): void {
  const version = schemaVersion(database)
  if (version > migrations.length)
    throw new CataloguedError('store.other_version', { schema: version, known: migrations.length })
}

/**
 * Brings a database to the newest schema: runs all missing steps, or none if one fails. If the database is not empty,
 * calls `backUp` before the transaction. Calls `onMigrated` inside the transaction. Throws like `refuseUnknown`.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  backUp: ((fromVersion: number) => Promise<void>) | null,
  onMigrated: (from: number, to: number) => void = () => undefined,
): Promise<void> {
  refuseUnknown(database, migrations)
  const before = schemaVersion(database)
  if (before === migrations.length) return
  if (before > 0) await backUp?.(before)
  database
    .transaction(() => {
      // the version is read again, because another process may have migrated the database meanwhile
      const from = schemaVersion(database)
      if (from === migrations.length) return
      applyMigrations(database, migrations.slice(from))
      onMigrated(from, migrations.length)
    })
    .immediate()
}

/** Runs the given migrations in the caller's transaction. */
export function applyMigrations(database: Database, migrations: readonly Migration[]): void {
  for (const migration of migrations) {
    database.exec(migration.sql)
    database.pragma(`user_version = ${migration.version}`)
  }
}
