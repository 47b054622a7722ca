import { codeKey, spellingsOf } from '#shared/domain/gtin.ts'
import type { Milliseconds } from '#shared/domain/instants.ts'
import type { Article } from '#shared/wire/article.ts'
import type { ApiOutcome, ApiPort, ArticleFilter, RowPage } from '../ports/api.ts'
import type { CatalogueStore, StoredVariant } from '../ports/catalogue-store.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { Line } from '../service/line.ts'
import type { Session } from '../service/session.ts'
import { withTimeout } from '../timing/calls.ts'
import { saidAt } from '../timing/said-at.ts'

export interface ArticleLookupParts {
  readonly api: Pick<ApiPort, 'listArticles'>
  readonly session: Session
  readonly line: Line
  readonly clock: ClockPort
  readonly store: CatalogueStore
  /** Maximum time for which a scan waits for the service if this desk has no copy of the article, in milliseconds. */
  readonly askMs: Milliseconds
}

export interface AskedForArticle {
  readonly found: StoredVariant | null
  /** Whether the service responded to every search for the code. */
  readonly askedService: boolean
}

/** Maximum number of variants that the desk keeps from the service's responses to one scan. */
const mostKept = 50

/** Finds one variant by a scanned code: first in the catalogue, then at the service. */
export class ArticleLookup {
  readonly #parts: ArticleLookupParts

  constructor(parts: ArticleLookupParts) {
    this.#parts = parts
  }

  /**
   * Returns the variant with this code. An EAN takes precedence over a SKU, and a SKU over an article code. If several
   * variants have the code, returns the most recently modified one.
   */
  known(raw: string): StoredVariant | null {
    return this.#parts.store.byCode(codeKey(raw))[0] ?? null
  }

  /**
   * Searches for a code at the service and keeps the variants that it finds, so that the next scan of their codes needs
   * no request. Waits at most `askMs`. Sends no request while nobody is logged in or the service cannot be reached.
   */
  async ask(raw: string): Promise<AskedForArticle> {
    const { session, line, clock, askMs } = this.#parts
    const nothing = { found: null, askedService: false }
    if (!session.isSignedIn || line.isOffline()) return nothing
    return withTimeout<AskedForArticle>(clock, askMs, this.#ask(raw), () => nothing)
  }

  async #ask(raw: string): Promise<AskedForArticle> {
    const outcomes = await Promise.all(articleFilters(raw).map((filter) => this.#search(filter)))
    const key = codeKey(raw)
    const { store, clock } = this.#parts
    let left = mostKept
    for (const outcome of outcomes) {
      if (outcome.kind !== 'answer') continue
      // a service that does not support the filter returns every article, so variants without the code are left out
      const exact = outcome.value.rows
        .flatMap((article) => article.variants)
        .filter(({ ean, sku, article_code }) =>
          [ean, sku, article_code].some((code) => code !== null && codeKey(code) === key),
        )
      store.keep(exact.slice(0, left), saidAt(outcome, clock))
      left = Math.max(0, left - exact.length)
    }
    return { found: this.known(raw), askedService: outcomes.every(({ kind }) => kind === 'answer') }
  }

  #search(filter: ArticleFilter): Promise<ApiOutcome<RowPage<Article>>> {
    const { api, session } = this.#parts
    return session.withAccess((token) => api.listArticles(token, filter))
  }
}

/**
 * Returns at most three exact searches (API.md 3.1) for a code. A GTIN is searched as EAN in the scanned spelling and
 * in the most usual other spelling, and as article code. Any other code is searched as SKU and as article code. A code
 * that was scanned in lower case is also searched as article code in capitals.
 */
export function articleFilters(raw: string): ArticleFilter[] {
  const text = raw.trim()
  if (/^\d{14}$/.test(codeKey(text))) {
    const [scanned = text, ...others] = spellingsOf(text)
    const other = others.filter((one) => one !== scanned).sort(byUse)[0]
    const eans = other === undefined ? [scanned] : [scanned, other]
    return [...eans.map((ean) => ({ ean })), { article_code: text }]
  }
  const capitals = text.toUpperCase()
  const again = capitals === text ? [] : [{ article_code: capitals }]
  return [{ sku: text }, { article_code: text }, ...again]
}

/** Orders the spellings of a GTIN by their frequency: EAN-13 first, then UPC-A. */
function byUse(a: string, b: string): number {
  const rank = [13, 12, 8, 14]
  return rank.indexOf(a.length) - rank.indexOf(b.length)
}
