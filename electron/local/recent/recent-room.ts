import type { Database } from 'better-sqlite3'
import type { RecentDatabase } from './recent-database.ts'
import { prepareLookedLots, prepareSeenVariants, prepareStockFigures } from './seen-rows.ts'
import {
  labelTables,
  prepareRemove,
  type RecentRoom,
  shipmentTables,
  type WalkedTables,
} from './walked-list.ts'

/**
 * Largest recent.db, in bytes; the file itself does not shrink, but what is removed makes room in it. A shipment takes about
 * 3 kB with its codes, so that this holds more than a million: two years of 2000 a day.
 */
const mostBytes = 4 * 1024 ** 3
/** Where it was too large, rows are removed until it is a twentieth smaller: the next page must not be too much again. */
const enough = 0.95

/**
 * Keeps recent.db below its size. For all lists of a scope together, since they share one file. Seen variants and lots go
 * first, then rows of other scopes, then the oldest.
 */
export function createRecentRoom(recent: RecentDatabase, scope: string, limit = mostBytes): RecentRoom {
  const part = recent.part((database) => prepare(database, scope))
  let isMaking = false
  let keptFrom: number | null = null
  return {
    make: (most) =>
      part.use(
        ({ bytes, removeOldest }) => {
          isMaking = bytes() > (isMaking ? limit * enough : limit)
          if (!isMaking) return 0
          const { removed, before } = removeOldest(most)
          if (before !== null) keptFrom = Math.max(keptFrom ?? before, before)
          return removed
        },
        () => 0,
      ),
    keptFrom: () => keptFrom,
  }
}

interface Removed {
  readonly removed: number
  /** Everything older is removed from this scope; null: of this scope nothing was. */
  readonly before: number | null
}

function prepare(database: Database, scope: string) {
  const lists = [
    prepareOldest(database, shipmentTables, 'shipment_stretch'),
    prepareOldest(database, labelTables, 'label_stretch'),
  ]
  const seen = [prepareSeenVariants(database), prepareLookedLots(database), prepareStockFigures(database)]
  const removeOldest = database.transaction((most: number): Removed => {
    // what an answer or a look left is asked for again when it is needed; a shipment that is gone is not found offline
    for (const rows of seen) {
      const removed = rows.forget(most)
      if (removed > 0) return { removed, before: null }
    }
    for (const list of lists) {
      const other = list.otherScope(scope)
      if (other !== undefined)
        return { removed: list.remove(other, list.oldest(other, most)).removed, before: null }
    }
    const oldest = lists
      .flatMap((list) => list.oldest(scope, most).map((row) => ({ list, row })))
      .sort((one, other) => one.row.created_at - other.row.created_at)
      .slice(0, most)
    return lists
      .map((list) =>
        list.remove(
          scope,
          oldest.flatMap((one) => (one.list === list ? one.row : [])),
        ),
      )
      .reduce((one, other) => ({
        removed: one.removed + other.removed,
        before: Math.max(one.before ?? 0, other.before ?? 0) || null,
      }))
  })
  return {
    removeOldest: (most: number) => removeOldest.immediate(most),
    bytes: (): number => {
      const pragma = (name: string): number => Number(database.pragma(name, { simple: true }))
      return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
    },
  }
}

interface Row {
  readonly id: string
  readonly created_at: number
}

function prepareOldest(
  database: Database,
  tables: WalkedTables,
  stretch: 'shipment_stretch' | 'label_stretch',
) {
  const { rows } = tables
  const others = database
    .prepare<[string, string], string>(
      `SELECT scope FROM (SELECT scope FROM ${rows} WHERE scope < ? LIMIT 1)
       UNION ALL SELECT scope FROM (SELECT scope FROM ${rows} WHERE scope > ? LIMIT 1) LIMIT 1`,
    )
    .pluck()
  const oldest = database.prepare<[string, number], Row>(
    `SELECT id, created_at FROM ${rows} WHERE scope = ? ORDER BY created_at LIMIT ?`,
  )
  const shorten = database.prepare<{ scope: string; before: number }>(
    `UPDATE ${stretch} SET oldest = max(oldest, @before) WHERE scope = @scope AND newest >= @before`,
  )
  const forget = database.prepare<{ scope: string; before: number }>(
    `DELETE FROM ${stretch} WHERE scope = @scope AND newest < @before`,
  )
  const removeRows = prepareRemove(database, tables)
  return {
    otherScope: (own: string) => others.get(own, own),
    oldest: (scope: string, most: number): Row[] => oldest.all(scope, most),
    /** `rows`: the oldest ones of the scope, in the order of their age. */
    remove(scope: string, rows: readonly Row[]): Removed {
      const removed = removeRows(
        scope,
        rows.map(({ id }) => id),
      )
      const last = rows[removed - 1]
      if (!last) return { removed, before: null }
      // those of the same moment may be gone or not
      const before = last.created_at + 1
      forget.run({ scope, before })
      shorten.run({ scope, before })
      return { removed, before }
    },
  }
}
