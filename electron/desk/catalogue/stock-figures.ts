import type { StockView } from '#shared/bridge/stock-views.ts'
import type { Milliseconds } from '#shared/domain/instants.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { isoTime } from '../view-parts.ts'
import type { Line } from '../service/line.ts'
import type { ApiOutcome, ApiPort } from '../ports/api.ts'
import type { CatalogueStore } from '../ports/catalogue-store.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { KeptStock, StockStore } from '../ports/recent-store.ts'
import { isFinalRefusal } from '../service/answers.ts'
import type { Session } from '../service/session.ts'
import { SharedCalls, withTimeout } from '../timing/calls.ts'
import { saidAt } from '../timing/said-at.ts'

interface StockFiguresParts {
  readonly api: Pick<ApiPort, 'listStock'>
  readonly session: Pick<Session, 'isSignedIn' | 'withAccess'>
  readonly line: Pick<Line, 'isOffline'>
  readonly clock: ClockPort
  readonly catalogue: Pick<CatalogueStore, 'variant'>
  readonly store: StockStore
  /** Maximum time for which a request of an operator waits for the service, in milliseconds. */
  readonly askMs: Milliseconds
}

/**
 * Reads how many pieces of a variant may be sold and how many are in quarantine. Returns the service's figures, or the
 * kept figures if the service does not respond.
 */
export class StockFigures {
  readonly #parts: StockFiguresParts
  /** Calls that have not ended, by variant id. */
  readonly #calls = new SharedCalls<ApiOutcome<KeptStock | null>>()

  constructor(parts: StockFiguresParts) {
    this.#parts = parts
  }

  /**
   * Returns the figures of a variant. Errors: `article.unknown`; `article.stock_not_kept` if the service returned no
   * figures and this desk has kept none; or the service's final refusal.
   */
  async figures(variantId: string): Promise<Result<StockView>> {
    const { session, line, clock, catalogue, store, askMs } = this.#parts
    const variant = catalogue.variant(variantId)?.variant
    if (!variant) return fail('article.unknown')
    if (session.isSignedIn && !line.isOffline()) {
      const request = this.#calls.ask(variantId, () => this.#ask(variantId, variant.article_code))
      const read = await withTimeout<ApiOutcome<KeptStock | null> | null>(clock, askMs, request, () => null)
      if (read?.kind === 'answer' && read.value) return ok(toView(variantId, read.value, 'service'))
      // shows a final refusal, because the kept figures would hide its reason
      if (read?.kind === 'refused' && isFinalRefusal(read)) return { ok: false, error: read.failure }
    }
    const kept = store.kept(variantId)
    return kept ? ok(toView(variantId, kept, 'kept')) : fail('article.stock_not_kept')
  }

  /**
   * Asks the service and keeps the figures, even if the caller no longer waits. Returns null if the service does not
   * list the variant.
   */
  async #ask(variantId: string, articleCode: string): Promise<ApiOutcome<KeptStock | null>> {
    const { api, session, store, clock } = this.#parts
    const outcome = await session.withAccess((token) => api.listStock(token, articleCode))
    if (outcome.kind !== 'answer') return outcome
    // selects the variant by its id: several variants may have this article code, and a service that does not support
    // the filter lists all variants
    const row = outcome.value.rows.find(({ id }) => id === variantId)
    if (!row) return { ...outcome, value: null }
    const { stock_salable: salable, stock_quarantine: quarantine } = row
    const figures = { salable, quarantine, asOf: saidAt(outcome, clock) }
    store.keep(variantId, figures)
    return { ...outcome, value: figures }
  }
}

function toView(
  variantId: string,
  { salable, quarantine, asOf }: KeptStock,
  source: StockView['source'],
): StockView {
  return { variantId, salable, quarantine, asOf: isoTime(asOf), source }
}
