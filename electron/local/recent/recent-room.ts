import { setImmediate } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import type { Instant } from '#shared/domain/instants.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import { type RecentDatabase, usedBytes } from './recent-database.ts'
import { prepareLookedLots, prepareSeenVariants, prepareStockFigures } from './seen-rows.ts'
import {
  labelTables,
  oldestRows,
  type OldestWanted,
  prepareRemove,
  type RecentRoom,
  shipmentTables,
  type WalkedTables,
} from './walked-list.ts'

/** The tables of recent.db that contain names of people. */
const walkedTables = [shipmentTables, labelTables]

/**
 * Maximum size of the used pages of recent.db, in bytes. The file does not shrink, but removed rows make space in it. A
 * shipment with its codes takes about 3 kB, so there is space for more than a million shipments, or two years of 2,000
 * shipments a day.
 */
const mostBytes = 4 * 1024 ** 3
/**
 * If the file was too large, rows are removed until it has 95 % of the maximum size, so that the next page does not
 * exceed the limit again at once.
 */
const enough = 0.95

/**
 * Keeps recent.db below its maximum size. All lists share the file, so they are handled together. Removes variants,
 * stock figures and lots from single responses first: those of other scopes, then those of the scope `scope`. Then
 * removes list rows of other scopes, and at last the oldest list rows of `scope`.
 */
export function createRecentRoom(recent: RecentDatabase, scope: ScopeKey, limit = mostBytes): RecentRoom {
  const part = recent.part((database) => prepareRoom(database, scope))
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
  /**
   * Rows of this scope that were created before this time may be missing now; null: no row of this scope was removed.
   */
  readonly before: Instant | null
}

function prepareRoom(database: Database, scope: ScopeKey) {
  const lists = walkedTables.map((tables) => prepareOldest(database, tables))
  const seen = [prepareSeenVariants(database), prepareLookedLots(database), prepareStockFigures(database)]
  const removeOldest = database.transaction((most: number): Removed => {
    // Variants, lots and stock figures from single responses are removed first, because the service returns them again
    // when the desk needs them. Shipments and labels are removed later, because the desk cannot find a removed shipment
    // without a connection.
    for (const keptScope of [scope, undefined])
      for (const rows of seen) {
        const removed = rows.forget(most, undefined, keptScope)
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
    bytes: (): number => usedBytes(database),
  }
}

interface Row {
  readonly id: string
  readonly created_at: number
}

function prepareOldest(database: Database, tables: WalkedTables) {
  const { rows, stretch } = tables
  const others = database
    .prepare<[string, string], ScopeKey>(
      `SELECT scope FROM (SELECT scope FROM ${rows} WHERE scope < ? LIMIT 1)
       UNION ALL SELECT scope FROM (SELECT scope FROM ${rows} WHERE scope > ? LIMIT 1) LIMIT 1`,
    )
    .pluck()
  const oldest = database.prepare<[string, number], Row>(
    `SELECT id, created_at FROM ${rows} WHERE scope = ? ORDER BY created_at LIMIT ?`,
  )
  const shorten = database.prepare<{ scope: ScopeKey; before: Instant }>(
    `UPDATE ${stretch} SET oldest = max(oldest, @before) WHERE scope = @scope AND newest >= @before`,
  )
  const forget = database.prepare<{ scope: ScopeKey; before: Instant }>(
    `DELETE FROM ${stretch} WHERE scope = @scope AND newest < @before`,
  )
  const removeRows = prepareRemove(database, tables)
  return {
    otherScope: (own: string) => others.get(own, own),
    oldest: (scope: ScopeKey, most: number): Row[] => oldest.all(scope, most),
    /**
     * Removes rows and shortens the range of times that the list covers. `rows`: the oldest rows of the scope, by age.
     */
    remove(scope: ScopeKey, rows: readonly Row[]): Removed {
      const removed = removeRows(
        scope,
        rows.map(({ id }) => id),
      )
      const last = rows[removed - 1]
      if (!last) return { removed, before: null }
      // a row with this creation time was removed, so the covered range begins after this time
      const before = last.created_at + 1
      forget.run({ scope, before })
      shorten.run({ scope, before })
      return { removed, before }
    },
  }
}

const dayMs = 24 * 3600_000

/** The number of rows that one transaction removes. The transaction takes some milliseconds. */
const atOnce = 200

/**
 * Removes the rows that were created before `before`, from all scopes. Rows that the service returned within the last
 * day stay, because an operator asked for them. The range of times that each list covers then begins at `before`. Also
 * removes lots, stock figures and variants that the service has not returned since `before`. Removes a few rows at a
 * time, so that it never blocks this thread. Returns the number of removed rows.
 */
export function createRecentPurge(recent: RecentDatabase): (at: Instant, before: Instant) => Promise<number> {
  const part = recent.part(preparePurge)
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

/**
 * Removes all shipments and labels of a scope, because they contain names and addresses. Removes a few rows at a time,
 * so that it never blocks this thread. No desk of this scope may be open.
 */
export function createRecentRemoval(recent: RecentDatabase): (scope: ScopeKey) => Promise<void> {
  const part = recent.part((database) => {
    const lists = walkedTables.map((tables) => prepareOldest(database, tables))
    const remove = database.transaction((scope: ScopeKey) =>
      lists.reduce((sum, list) => sum + list.remove(scope, list.oldest(scope, atOnce)).removed, 0),
    )
    return (scope: ScopeKey) => remove.immediate(scope)
  })
  return async (scope) => {
    while (
      part.use(
        (remove) => remove(scope),
        () => 0,
      ) > 0
    )
      await setImmediate()
  }
}

/**
 * Returns the function that removes some of the rows that are too old (see `createRecentPurge`) and returns their
 * number; 0 means that no such row is left.
 */
function preparePurge(database: Database): (at: Instant, before: Instant) => number {
  const steps = [
    ...walkedTables.map((tables) => {
      const { stretch } = tables
      const scopes = prepareScopes(database, tables.rows)
      const oldest = database.prepare<OldestWanted, string>(oldestRows(tables.rows)).pluck()
      const remove = prepareRemove(database, tables)
      const reach = database.prepare<{ before: Instant }>(
        `UPDATE ${stretch} SET oldest = @before WHERE oldest < @before AND newest >= @before`,
      )
      return (at: Instant, before: Instant): number => {
        // the covered range is changed before the rows are removed, so that it never covers removed rows
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
      .map((seen) => (_at: number, before: Instant) => seen.forget(atOnce, before)),
  ]
  const run = database.transaction((at: Instant, before: Instant) => {
    for (const step of steps) {
      const gone = step(at, before)
      if (gone > 0) return gone
    }
    return 0
  })
  return (at, before) => run.immediate(at, before)
}

/** Returns the scopes of a table. One index query finds each scope. */
function prepareScopes(database: Database, rows: 'shipments' | 'labels'): () => Iterable<ScopeKey> {
  const next = database
    .prepare<[string], ScopeKey | null>(`SELECT min(scope) FROM ${rows} WHERE scope > ?`)
    .pluck()
  return function* () {
    for (let scope = next.get(''); typeof scope === 'string'; scope = next.get(scope)) yield scope
  }
}
