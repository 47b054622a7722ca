import type { Database } from 'better-sqlite3'
import type { IndexState } from '#desk/ports/recent-store.ts'

interface StretchRecord {
  newest: number
  oldest: number
  complete: number
  synced_at: number
}

export interface Stretch {
  read(): IndexState | null
  write(state: IndexState): void
}

/** How far an index of recent.db reaches, in its own table. */
export function prepareStretch(
  database: Database,
  table: 'shipment_stretch' | 'label_stretch',
  scope: string,
): Stretch {
  const read = database.prepare<[string], StretchRecord>(
    `SELECT newest, oldest, complete, synced_at FROM ${table} WHERE scope = ?`,
  )
  const write = database.prepare<Omit<IndexState, 'complete'> & { scope: string; complete: number }>(
    `INSERT INTO ${table} (scope, newest, oldest, complete, synced_at)
     VALUES (@scope, @newest, @oldest, @complete, @syncedAt)
     ON CONFLICT DO UPDATE SET newest = excluded.newest, oldest = excluded.oldest, complete = excluded.complete,
       synced_at = excluded.synced_at`,
  )
  return {
    read() {
      const record = read.get(scope)
      if (!record) return null
      const { newest, oldest, complete, synced_at: syncedAt } = record
      return { newest, oldest, complete: complete === 1, syncedAt }
    },
    write: ({ newest, oldest, complete, syncedAt }) =>
      void write.run({ scope, newest, oldest, complete: complete ? 1 : 0, syncedAt }),
  }
}
