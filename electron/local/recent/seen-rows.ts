import type { Database } from 'better-sqlite3'
import type { Instant } from '#shared/domain/instants.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'

/**
 * Maximum number of variants of each scope in recent.db. The same maximum applies separately to articles with lots and
 * to stock figures. Each scope has a separate limit, so that the service of one station cannot take the space of
 * another station.
 */
const mostSeenRows = 5_000

/** Removes the oldest rows of one table. Each method returns the number of removed rows. */
interface SeenRows {
  /** Removes at most `most` rows that are older than `before`, the oldest first, of all scopes except `keptScope`. */
  forget(most: number, before?: Instant, keptScope?: string): number
  /**
   * If a scope has more than `mostSeenRows` rows, removes its oldest surplus rows, but not more than `most` rows in one
   * call.
   */
  cut(scope: ScopeKey, most: number): number
}

/**
 * Two functions that remove at most `most` rows, the oldest first. `others` removes rows that are older than `before`,
 * of all scopes except `keptScope`. `own` removes rows of one scope.
 */
interface Forgetting {
  readonly others: (before: Instant, keptScope: string, most: number) => number
  readonly own: (scope: ScopeKey, most: number) => number
}

export function prepareSeenVariants(database: Database): SeenRows {
  const { others, own } = prepareOldest<{ scope: ScopeKey; id: string }>(database, 'seen_variants', 'id')
  const codes = database.prepare<[string, string]>(
    'DELETE FROM seen_variant_codes WHERE scope = ? AND variant_id = ?',
  )
  const row = database.prepare<[string, string]>('DELETE FROM seen_variants WHERE scope = ? AND id = ?')
  const remove = (rows: readonly { readonly scope: ScopeKey; readonly id: string }[]): number => {
    for (const { scope, id } of rows) {
      codes.run(scope, id)
      row.run(scope, id)
    }
    return rows.length
  }
  return withCut(database, 'seen_variants', {
    others: (...args) => remove(others(...args)),
    own: (...args) => remove(own(...args)),
  })
}

interface LotsKey {
  readonly scope: ScopeKey
  readonly variant_id: string
}

/**
 * The number of lots and ids that one transaction removes; this takes some milliseconds. All lots of an article are
 * removed together, so the last article may exceed this number.
 */
const lotsAtOnce = 2_000

/**
 * Maximum number of bytes of the stored lots of a scope, without their ids. The lots of an article usually take some
 * hundred bytes.
 */
const mostLotBytes = 256 * 1024 * 1024

/** Prepares the removal of stored lots. `mostBytes`: maximum number of bytes of the lots of a scope. */
export function prepareLookedLots(database: Database, mostBytes = mostLotBytes): SeenRows {
  const { others, own } = prepareOldest<LotsKey>(database, 'lots', 'variant_id')
  const ids = database.prepare<[string, string]>('DELETE FROM lot_ids WHERE scope = ? AND variant_id = ?')
  const row = database.prepare<[string, string]>('DELETE FROM lots WHERE scope = ? AND variant_id = ?')
  const remove = database.transaction((oldest: readonly LotsKey[]) => {
    let removed = 0
    let work = 0
    for (const { scope, variant_id: variantId } of oldest) {
      if (work >= lotsAtOnce) break
      work += ids.run(scope, variantId).changes + row.run(scope, variantId).changes
      removed++
    }
    return removed
  })
  const rows = withCut(database, 'lots', {
    others: (...args) => remove(others(...args)),
    own: (...args) => remove(own(...args)),
  })
  const bytes = database
    .prepare<[string], number | null>('SELECT sum(octet_length(body)) FROM lots WHERE scope = ?')
    .pluck()
  return {
    forget: (...args) => rows.forget(...args),
    cut(scope, most) {
      const isTooLarge = (): boolean => (bytes.get(scope) ?? 0) > mostBytes
      return rows.cut(scope, most) || (isTooLarge() ? remove(own(scope, most)) : 0)
    },
  }
}

export function prepareStockFigures(database: Database): SeenRows {
  const row = database.prepare<[string, string]>('DELETE FROM stock WHERE scope = ? AND variant_id = ?')
  const { others, own } = prepareOldest<LotsKey>(database, 'stock', 'variant_id')
  const remove = (rows: readonly LotsKey[]): number => {
    for (const { scope, variant_id: variantId } of rows) row.run(scope, variantId)
    return rows.length
  }
  return withCut(database, 'stock', {
    others: (...args) => remove(others(...args)),
    own: (...args) => remove(own(...args)),
  })
}

type SeenTable = 'seen_variants' | 'lots' | 'stock'

function prepareOldest<Key>(database: Database, table: SeenTable, id: 'id' | 'variant_id') {
  const others = database.prepare<[number, string, number], Key>(
    `SELECT scope, ${id} FROM ${table} WHERE as_of < ? AND scope <> ? ORDER BY as_of LIMIT ?`,
  )
  const own = database.prepare<[string, number], Key>(
    `SELECT scope, ${id} FROM ${table} WHERE scope = ? ORDER BY as_of LIMIT ?`,
  )
  return {
    others: (before: Instant, keptScope: string, most: number) => others.all(before, keptScope, most),
    own: (scope: ScopeKey, most: number) => own.all(scope, most),
  }
}

function withCut(database: Database, table: SeenTable, { others, own }: Forgetting): SeenRows {
  const count = database.prepare<[string], number>(`SELECT count(*) FROM ${table} WHERE scope = ?`).pluck()
  return {
    // the default `''` excludes no scope, because no scope has an empty name
    forget: (most, before = Number.MAX_SAFE_INTEGER, keptScope = '') => others(before, keptScope, most),
    cut(scope, most) {
      const beyond = (count.get(scope) ?? 0) - mostSeenRows
      return beyond > 0 ? own(scope, Math.min(most, beyond)) : 0
    },
  }
}
