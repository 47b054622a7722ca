import type { Database } from 'better-sqlite3'
import { CataloguedError } from '#shared/errors/result.ts'
import type { Migration } from './migrations/migration.ts'

export function schemaVersion(database: Database): number {
  return Number(database.pragma('user_version', { simple: true }))
}

/**
 * Brings a database to the newest schema, all steps or none. A database that holds something is first copied to
 * `backupFile`. Throws CataloguedError `store.unavailable` for a schema from a newer Scandesk: going on would lose what
 * that one wrote.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  backupFile: ((fromVersion: number) => string) | null,
): Promise<void> {
  const from = schemaVersion(database)
  const newest = migrations.length
  if (from > newest) throw new CataloguedError('store.unavailable', { schema: from, known: newest })
  if (from === newest) return
  if (from > 0 && backupFile) await database.backup(backupFile(from))
  database
    .transaction(() => {
      for (const migration of migrations.slice(from)) {
        database.exec(migration.sql)
        database.pragma(`user_version = ${migration.version}`)
      }
    })
    .immediate()
}
