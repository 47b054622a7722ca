import type { Database } from 'better-sqlite3'
import type { ScopeValues } from '#desk/ports/store.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import { guard } from './sqlite-failure.ts'

/**
 * Creates the store of the small values of one scope, such as the last user. The values must never contain a secret.
 */
export function createScopeValues(database: Database, scope: ScopeKey): ScopeValues {
  const read = database
    .prepare<[string, string], string>('SELECT value FROM settings WHERE scope = ? AND key = ?')
    .pluck()
  const write = database.prepare<{ scope: ScopeKey; key: string; value: string; at: Instant | null }>(
    `INSERT INTO settings (scope, key, value, at) VALUES (@scope, @key, @value, @at)
     ON CONFLICT DO UPDATE SET value = excluded.value, at = excluded.at`,
  )
  const remove = database.prepare<[string, string]>('DELETE FROM settings WHERE scope = ? AND key = ?')
  return {
    read: guard((key) => read.get(scope, key) ?? null),
    write: guard((key, value, at) => void write.run({ scope, key, value, at: at ?? null })),
    remove: guard((key) => void remove.run(scope, key)),
  }
}

/** Returns the function that finds the scopes for which the database has a value under the given key. */
export function createScopesWith(database: Database): (key: string) => ScopeKey[] {
  const scopes = database.prepare<[string], ScopeKey>('SELECT scope FROM settings WHERE key = ?').pluck()
  return guard((key) => scopes.all(key))
}
