import type { Database } from 'better-sqlite3'

/** Most variants, most articles with lots and most stock figures that answers leave in recent.db, of all scopes together. */
const mostSeenRows = 5_000

/** Removes the oldest rows of one of the tables; returns how many. */
interface SeenRows {
  /** At most `most` that are older than that moment, oldest first. */
  forget(most: number, before?: number): number
  /** What is beyond `mostSeenRows`, at most `most` of it. */
  cut(most: number): number
}

export function prepareSeenVariants(database: Database): SeenRows {
  const oldest = database.prepare<[number, number], { scope: string; id: string }>(
    'SELECT scope, id FROM seen_variants WHERE as_of < ? ORDER BY as_of LIMIT ?',
  )
  const codes = database.prepare<[string, string]>(
    'DELETE FROM seen_variant_codes WHERE scope = ? AND variant_id = ?',
  )
  const row = database.prepare<[string, string]>('DELETE FROM seen_variants WHERE scope = ? AND id = ?')
  return withCut(database, 'seen_variants', (most, before) => {
    const rows = oldest.all(before, most)
    for (const { scope, id } of rows) {
      codes.run(scope, id)
      row.run(scope, id)
    }
    return rows.length
  })
}

/** Lots with their ids that are removed in one transaction, beyond those of its last article: some milliseconds. */
const lotsAtOnce = 2_000

/** Most bytes that looks at lots take, without their ids; the usual ones have some hundred for each article. */
const mostLotBytes = 256 * 1024 * 1024

/** `mostBytes`: another limit than the usual one. */
export function prepareLookedLots(database: Database, mostBytes = mostLotBytes): SeenRows {
  const oldest = database.prepare<[number, number], { scope: string; variant_id: string }>(
    'SELECT scope, variant_id FROM lots WHERE as_of < ? ORDER BY as_of LIMIT ?',
  )
  const ids = database.prepare<[string, string]>('DELETE FROM lot_ids WHERE scope = ? AND variant_id = ?')
  const row = database.prepare<[string, string]>('DELETE FROM lots WHERE scope = ? AND variant_id = ?')
  const forget = database.transaction((most: number, before: number) => {
    let removed = 0
    let work = 0
    for (const { scope, variant_id: variantId } of oldest.all(before, most)) {
      if (work >= lotsAtOnce) break
      work += ids.run(scope, variantId).changes + row.run(scope, variantId).changes
      removed++
    }
    return removed
  })
  const rows = withCut(database, 'lots', (most, before) => forget(most, before))
  const bytes = database.prepare<[], number | null>('SELECT sum(octet_length(body)) FROM lots').pluck()
  return {
    forget: (most, before) => rows.forget(most, before),
    cut: (most) => rows.cut(most) || ((bytes.get() ?? 0) > mostBytes ? rows.forget(most) : 0),
  }
}

export function prepareStockFigures(database: Database): SeenRows {
  const rows = database.prepare<[number, number]>(
    `DELETE FROM stock WHERE (scope, variant_id) IN
      (SELECT scope, variant_id FROM stock WHERE as_of < ? ORDER BY as_of LIMIT ?)`,
  )
  return withCut(database, 'stock', (most, before) => rows.run(before, most).changes)
}

function withCut(
  database: Database,
  table: 'seen_variants' | 'lots' | 'stock',
  forget: (most: number, before: number) => number,
): SeenRows {
  const count = database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck()
  return {
    forget: (most, before = Number.MAX_SAFE_INTEGER) => forget(most, before),
    cut(most) {
      const beyond = (count.get() ?? 0) - mostSeenRows
      return beyond > 0 ? forget(Math.min(most, beyond), Number.MAX_SAFE_INTEGER) : 0
    },
  }
}
