import type { ArgsOf } from '#shared/bridge/contract.ts'
import type {
  ArticleList,
  ExpiringList,
  LotsView,
  StockView,
  VariantView,
} from '#shared/bridge/stock-views.ts'
import type { Milliseconds } from '#shared/domain/instants.ts'
import type { Result } from '#shared/errors/result.ts'
import type { ApiPort } from '../ports/api.ts'
import type { CatalogueStore, StoredVariant } from '../ports/catalogue-store.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { LotsStore, StockStore } from '../ports/recent-store.ts'
import type { Line } from '../service/line.ts'
import type { Session } from '../service/session.ts'
import { isoTime } from '../view-parts.ts'
import { expiringLots, Lots } from './lots.ts'
import { StockFigures } from './stock-figures.ts'

interface ArticlesParts {
  readonly api: Pick<ApiPort, 'listBatches' | 'listStock'>
  readonly session: Pick<Session, 'isSignedIn' | 'withAccess'>
  readonly line: Pick<Line, 'isOffline'>
  readonly clock: ClockPort
  readonly catalogue: Pick<CatalogueStore, 'variant' | 'details' | 'search' | 'state'>
  readonly lots: LotsStore
  readonly stock: StockStore
  /** Maximum time for which a request of an operator waits for the service, in milliseconds. */
  readonly askMs: Milliseconds
}

/** Handles the window's requests about articles, except scans. */
export class Articles {
  readonly #parts: ArticlesParts
  readonly #lots: Lots
  readonly #stock: StockFigures

  constructor(parts: ArticlesParts) {
    const { api, session, line, clock, catalogue, askMs } = parts
    this.#parts = parts
    this.#lots = new Lots({ api, session, line, clock, catalogue, store: parts.lots, askMs })
    this.#stock = new StockFigures({ api, session, line, clock, catalogue, store: parts.stock, askMs })
  }

  /** Returns the lots of a variant from the service, or the kept lots if the service does not respond. */
  lots({ variantId }: ArgsOf<'article', 'lots'>): Promise<Result<LotsView>> {
    return this.#lots.lots(variantId)
  }

  /** Returns salable and quarantine stock from the service, or the kept figures if the service does not respond. */
  stock({ variantId }: ArgsOf<'article', 'stock'>): Promise<Result<StockView>> {
    return this.#stock.figures(variantId)
  }

  /** Searches articles while the operator types; sends no request. */
  search({ text, limit }: ArgsOf<'article', 'search'>): ArticleList {
    return searchArticles(this.#parts.catalogue, text, limit)
  }

  /**
   * Returns the kept lots that have expired or expire within `withinDays` days, at most 500 and only of expirable
   * articles; sends no request.
   */
  expiring({ withinDays }: ArgsOf<'article', 'expiring'>): Promise<ExpiringList> {
    return expiringLots(this.#parts, withinDays)
  }
}

/**
 * Searches without the network. Until the catalogue is complete, searches the articles that were kept from responses of
 * the service.
 */
export function searchArticles(
  store: Pick<CatalogueStore, 'search' | 'state'>,
  text: string,
  limit: number,
): ArticleList {
  const { complete, asOf } = store.state()
  const { variants, more } = store.search(text, limit)
  // until the catalogue is complete, each of its articles was read at a different time; the list then shows the oldest
  // of these times
  const oldest = variants.length > 0 ? Math.min(...variants.map((one) => one.asOf)) : null
  const age = complete ? asOf : oldest
  return {
    articles: variants.map(toVariantView),
    more,
    complete,
    asOf: age === null ? null : isoTime(age),
  }
}

/** Converts an article for its card. */
export function toVariantView({ variant, asOf }: StoredVariant): VariantView {
  return {
    id: variant.id,
    name: variant.name,
    articleCode: variant.article_code,
    description: variant.description,
    ean: variant.ean,
    sku: variant.sku,
    expirable: variant.expirable,
    usingSerialNumbers: variant.using_serial_numbers,
    asOf: isoTime(asOf),
  }
}
