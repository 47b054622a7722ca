import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LotsView, StockView } from '#shared/bridge/stock-views.ts'
import type { SessionView } from '#shared/bridge/views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { type Role, wireRole } from '#shared/wire/roles.ts'

interface ArticleDeps {
  readonly bridge: ScandeskBridge
  readonly session: () => SessionView
}

/** The lots and the stock figures of the article on the stage; each arrives on its own, after the card is drawn. */
export class ArticleState {
  readonly #deps: ArticleDeps
  #variantId: string | null = null
  #lots = $state.raw<LotsView | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #loading = $state(false)
  #stock = $state.raw<StockView | null>(null)
  #stockFailure = $state.raw<Failure | null>(null)
  /** Answers to an older question never replace those to a newer one. */
  #question = 0

  constructor(deps: ArticleDeps) {
    this.#deps = deps
  }

  /** Null while loading, after a failure, and where the login may not see lots. */
  get lots(): LotsView | null {
    return this.#lots
  }
  get failure(): Failure | null {
    return this.#failure
  }
  get loading(): boolean {
    return this.#loading
  }
  /** Null while it is asked for, after a failure, and where the login may not see it. */
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
  /** Pieces in all lots together; null also where there are more lots than those that are known. */
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

  /** Asks for lots and figures of a variant, each time anew: stock moves. */
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
    // after an expired login the service judges once somebody is logged in again
    return state !== 'signed_in' || roles.includes(wireRole(role))
  }
}
