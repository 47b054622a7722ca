import { setImmediate } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import type { RecentDatabase } from './recent-database.ts'
import { prepareLookedLots, prepareSeenVariants, prepareStockFigures } from './seen-rows.ts'
import { labelTables, type OldestWanted, oldestRows, prepareRemove, shipmentTables } from './walked-list.ts'

const dayMs = 24 * 3600_000

/** Rows that are removed in one transaction: some milliseconds. */
const atOnce = 200

/** Tables of recent.db with somebody's name in them, each with how far it reaches. */
const lists = [
  { tables: shipmentTables, stretch: 'shipment_stretch' },
  { tables: labelTables, stretch: 'label_stretch' },
] as const

/**
 * Removes what was made before that moment, except what the service has said again within a day: that was asked for. The
 * index then reaches back no further; and lots, stock figures and variants not seen for so long. A few rows at a time, so that it never
 * holds up this thread. Returns how many rows went.
 */
export function createRecentPurge(recent: RecentDatabase): (at: number, before: number) => Promise<number> {
  const part = recent.part(prepare)
  return async (at, before) => {
    for (let rows = 0; ;) {
      const gone = part.use(
        (purge) => purge(at, before),
        () => 0,
      )
      if (gone === 0) return rows
      rows += gone
      await setImmediate()
    }
  }
}

/** Removes some of the rows; 0: none is left. */
function prepare(database: Database): (at: number, before: number) => number {
  const steps = [
    ...lists.map(({ tables, stretch }) => {
      const scopes = prepareScopes(database, tables.rows)
      const oldest = database.prepare<OldestWanted, string>(oldestRows(tables.rows)).pluck()
      const remove = prepareRemove(database, tables)
      const reach = database.prepare<{ before: number }>(
        `UPDATE ${stretch} SET oldest = @before WHERE oldest < @before AND newest >= @before`,
      )
      return (at: number, before: number): number => {
        // before its rows: it must not claim what is gone
        reach.run({ before })
        for (const scope of scopes()) {
          const gone = remove(scope, oldest.all({ scope, before, said: at - dayMs, most: atOnce }))
          if (gone > 0) return gone
        }
        return 0
      }
    }),
    ...[prepareLookedLots, prepareStockFigures, prepareSeenVariants]
      .map((prepareRows) => prepareRows(database))
      .map((seen) => (_at: number, before: number) => seen.forget(atOnce, before)),
  ]
  const run = database.transaction((at: number, before: number) => {
    for (const step of steps) {
      const gone = step(at, before)
      if (gone > 0) return gone
    }
    return 0
  })
  return (at, before) => run.immediate(at, before)
}

/** The scopes of a table, one question of its index each. */
function prepareScopes(database: Database, rows: 'shipments' | 'labels'): () => Iterable<string> {
  const next = database
    .prepare<[string], string | null>(`SELECT min(scope) FROM ${rows} WHERE scope > ?`)
    .pluck()
  return function* () {
    for (let scope = next.get(''); typeof scope === 'string'; scope = next.get(scope)) yield scope
  }
}
