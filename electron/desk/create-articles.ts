import { searchArticles } from './catalogue/articles.ts'
import type { Desk } from './desk.ts'
import { expiringLots, Lots } from './catalogue/lots.ts'
import { StockFigures } from './catalogue/stock-figures.ts'
import type { DeskPorts } from './desk-ports.ts'
import type { DeskTuning, Topics } from './topics.ts'

/** What the window asks of articles, besides a scan. */
export function createArticles(
  { store, api, clock }: DeskPorts,
  { session, line }: Topics,
  { askMs }: DeskTuning,
): Desk['articles'] {
  const { catalogue } = store
  const lots = new Lots({ api, session, line, clock, catalogue, store: store.lots, askMs })
  const stock = new StockFigures({ api, session, line, clock, catalogue, store: store.stock, askMs })
  return {
    lots: (variantId) => lots.lots(variantId),
    stock: (variantId) => stock.figures(variantId),
    search: (text, limit) => searchArticles(catalogue, text, limit),
    expiring: (withinDays) => expiringLots({ clock, catalogue, lots: store.lots }, withinDays),
  }
}
