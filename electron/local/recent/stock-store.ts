import type { Database } from 'better-sqlite3'
import type { KeptStock, StockStore } from '#desk/ports/recent-store.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import type { RecentDatabase } from './recent-database.ts'
import { prepareStockFigures } from './seen-rows.ts'

/** Maximum number of old rows that one write deletes when the table has more rows than allowed. */
const mostCut = 50

/**
 * Creates the store of the stock figures that the service returned last. The store is empty after recent.db was damaged
 * and replaced.
 */
export function createStockStore(recent: RecentDatabase, scope: ScopeKey): StockStore {
  const part = recent.part(prepare)
  return {
    kept: (variantId) =>
      part.use(
        ({ kept }) => kept.get(scope, variantId) ?? null,
        () => null,
      ),
    keep(variantId, { salable, quarantine, asOf }) {
      part.use(
        ({ keep, figures }) => {
          keep.run({ scope, variantId, salable, quarantine, asOf })
          figures.cut(scope, mostCut)
        },
        () => undefined,
      )
    },
  }
}

function prepare(database: Database) {
  return {
    figures: prepareStockFigures(database),
    kept: database.prepare<[string, string], KeptStock>(
      'SELECT salable, quarantine, as_of AS asOf FROM stock WHERE scope = ? AND variant_id = ?',
    ),
    keep: database.prepare<KeptStock & { scope: ScopeKey; variantId: string }>(
      `INSERT INTO stock (scope, variant_id, salable, quarantine, as_of)
       VALUES (@scope, @variantId, @salable, @quarantine, @asOf)
       ON CONFLICT DO UPDATE SET salable = excluded.salable, quarantine = excluded.quarantine,
         as_of = excluded.as_of`,
    ),
  }
}
