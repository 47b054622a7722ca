import type { Database } from 'better-sqlite3'
import type { KeptStock, StockStore } from '#desk/ports/recent-store.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import type { RecentDatabase } from './recent-database.ts'
import { prepareStockFigures } from './seen-rows.ts'

/** Each write removes at most this many of the rows beyond the limit. */
const mostCut = 50

/** The last stock figures of the service; a damaged recent.db has none. */
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
