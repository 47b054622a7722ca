import type { Database } from 'better-sqlite3'
import { CataloguedError } from '#shared/errors/result.ts'
import type { Migration } from './migrations/migration.ts'

export function schemaVersion(database: Database): number {
  return Number(database.pragma('user_version', { simple: true }))
}

/**
 * Throws CataloguedError `store.unavailable` for a schema from a newer Scandesk: going on would lose what that one
 * wrote.
 */
export function refuseNewer(database: Database, migrations: readonly Migration[]): void {
  const version = schemaVersion(database)
  if (version > migrations.length)
    throw new CataloguedError('store.unavailable', { schema: version, known: migrations.length })
}

/**
 * Brings a database to the newest schema, all steps or none. `backUp` is called first for one that holds something;
 * `onMigrated` inside the transaction. Throws as refuseNewer.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  backUp: ((fromVersion: number) => Promise<void>) | null,
  onMigrated: (from: number, to: number) => void = () => undefined,
): Promise<void> {
  refuseNewer(database, migrations)
  const before = schemaVersion(database)
  if (before === migrations.length) return
  if (before > 0) await backUp?.(before)
  database
    .transaction(() => {
      // another process may have been faster
      const from = schemaVersion(database)
      if (from === migrations.length) return
      applyMigrations(database, migrations.slice(from))
      onMigrated(from, migrations.length)
    })
    .immediate()
}

/** Inside the caller's transaction. */
export function applyMigrations(database: Database, migrations: readonly Migration[]): void {
  for (const migration of migrations) {
    database.exec(migration.sql)
    database.pragma(`user_version = ${migration.version}`)
  }
}
