import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LotsView, StockView } from '#shared/bridge/stock-views.ts'
import type { SessionView } from '#shared/bridge/views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { type Role, wireRole } from '#shared/wire/roles.ts'

interface ArticleDeps {
  readonly bridge: ScandeskBridge
  readonly session: () => SessionView
}

/**
 * The lots and the stock figures of the article on the stage. Both load after the card is drawn, each with a call of
 * its own.
 */
export class ArticleState {
  readonly #deps: ArticleDeps
  #variantId: string | null = null
  #lots = $state.raw<LotsView | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #loading = $state(false)
  #stock = $state.raw<StockView | null>(null)
  #stockFailure = $state.raw<Failure | null>(null)
  /** Sequence number of the last call. The response to an earlier call is dropped. */
  #question = 0

  constructor(deps: ArticleDeps) {
    this.#deps = deps
  }

  /** The lots; null until the first response for the article, after a failure, or if the login has no role for them. */
  get lots(): LotsView | null {
    return this.#lots
  }
  get failure(): Failure | null {
    return this.#failure
  }
  get loading(): boolean {
    return this.#loading
  }
  /**
   * The stock figures; null until the first response for the article, after a failure, or if the login has no role for
   * them.
   */
  get stock(): StockView | null {
    return this.#stock
  }
  /** Why there are no stock figures. */
  get stockFailure(): Failure | null {
    return this.#stockFailure
  }
  get mayReadStock(): boolean {
    return this.#holds('STOCK_READ')
  }
  /** Number of pieces in all lots; null if the lots are not loaded or if the service has more lots than were loaded. */
  get pieces(): number | null {
    return this.#lots && !this.#lots.more
      ? this.#lots.lots.reduce((sum, { quantity }) => sum + quantity, 0)
      : null
  }
  get mayRead(): boolean {
    return this.#holds('BATCH_READ')
  }
  get mayBook(): boolean {
    return this.#holds('MODIFICATIONS_CREATE')
  }

  /** Loads the lots and the stock figures of a variant. Each call asks the service again, because stock changes. */
  async open(variantId: string): Promise<void> {
    if (variantId !== this.#variantId) {
      this.#lots = null
      this.#stock = null
      this.#stockFailure = null
    }
    this.#variantId = variantId
    await this.retry()
  }

  async retry(): Promise<void> {
    const question = ++this.#question
    await Promise.all([this.#askLots(question), this.#askStock(question)])
  }

  async #askStock(question: number): Promise<void> {
    const variantId = this.#variantId
    if (variantId === null || !this.mayReadStock) {
      this.#stock = null
      this.#stockFailure = null
      return
    }
    const result = await this.#deps.bridge.article.stock({ variantId })
    if (question !== this.#question) return
    this.#stock = result.ok ? result.value : null
    this.#stockFailure = result.ok ? null : result.error
  }

  async #askLots(question: number): Promise<void> {
    this.#failure = null
    if (this.#variantId === null || !this.mayRead) {
      this.#lots = null
      this.#loading = false
      return
    }
    this.#loading = true
    const result = await this.#deps.bridge.article.lots({ variantId: this.#variantId })
    if (question !== this.#question) return
    this.#loading = false
    this.#lots = result.ok ? result.value : null
    this.#failure = result.ok ? null : result.error
  }

  #holds(role: Role): boolean {
    const { state, roles } = this.#deps.session()
    // after the login expired, the roles of the next login are unknown, so the role counts as present and the service
    // checks it
    return state !== 'signed_in' || roles.includes(wireRole(role))
  }
}
