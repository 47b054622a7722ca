import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LotsView } from '#shared/bridge/stock-views.ts'
import type { SessionView } from '#shared/bridge/views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { type Role, wireRole } from '#shared/wire/roles.ts'

interface ArticleDeps {
  readonly bridge: ScandeskBridge
  readonly session: () => SessionView
}

/** The lots of the article on the stage. */
export class ArticleState {
  readonly #deps: ArticleDeps
  #variantId: string | null = null
  #lots = $state.raw<LotsView | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #loading = $state(false)
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
  /** Pieces in all lots together. */
  get pieces(): number | null {
    return this.#lots && this.#lots.lots.reduce((sum, { quantity }) => sum + quantity, 0)
  }
  get mayRead(): boolean {
    return this.#holds('BATCH_READ')
  }
  get mayBook(): boolean {
    return this.#holds('MODIFICATIONS_CREATE')
  }

  /** Asks for the lots of a variant, each time anew: stock moves. */
  async open(variantId: string): Promise<void> {
    if (variantId !== this.#variantId) this.#lots = null
    this.#variantId = variantId
    await this.retry()
  }

  async retry(): Promise<void> {
    const question = ++this.#question
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
