import type { Database } from 'better-sqlite3'
import { CataloguedError } from '#shared/errors/result.ts'

/** One step of the schema of desk.db. Never edited after a release: a change is the next step. */
export interface Migration {
  /** 1, 2, 3 without gaps: the `user_version` after this step. */
  readonly version: number
  readonly sql: string
}

export function schemaVersion(database: Database): number {
  return Number(database.pragma('user_version', { simple: true }))
}

/**
 * Throws CataloguedError `store.other_version` for a schema that this version of Scandesk cannot read: to continue
 * would lose data.
 */
export function refuseUnknown(database: Database, migrations: readonly Migration[]): void {
  const version = schemaVersion(database)
  if (version > migrations.length)
    throw new CataloguedError('store.other_version', { schema: version, known: migrations.length })
}

/**
 * Brings a database to the newest schema, all steps or none. `backUp` is called first if the database is not empty;
 * `onMigrated` is called inside the transaction. Throws as refuseUnknown.
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
      // another process may have been faster
      const from = schemaVersion(database)
      if (from === migrations.length) return
      applyMigrations(database, migrations.slice(from))
      onMigrated(from, migrations.length)
    })
    .immediate()
}

/** Runs inside the caller's transaction. */
export function applyMigrations(database: Database, migrations: readonly Migration[]): void {
  for (const migration of migrations) {
    database.exec(migration.sql)
    database.pragma(`user_version = ${migration.version}`)
  }
}
