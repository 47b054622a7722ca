import { ListCursor } from '#place/list-cursor.svelte.ts'
import type { Place } from '#place/place.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ExpiringList, VariantView } from '#shared/bridge/stock-views.ts'
import type { SessionView } from '#shared/bridge/views.ts'
import type { Command } from '#shared/domain/commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { type Role, wireRole } from '#shared/wire/roles.ts'

export interface ExpiringDeps {
  readonly bridge: ScandeskBridge
  readonly session: () => SessionView
  /** Shows an article on the stage. */
  readonly onShow: (variant: VariantView) => void
  /** Looks up a code as if it had been scanned. */
  readonly onCode: (code: string) => void
}

export const expiryChoices = [7, 30, 90] as const
export type ExpiryChoice = (typeof expiryChoices)[number]
export type ExpiringLot = ExpiringList['lots'][number]

const role: Role = 'BATCH_READ'
/**
 * Maximum number of articles that one search for an article code returns. The search also finds longer codes that begin
 * with the same text, so the article itself is not always the first result.
 */
const sameCode = 100

/** The stored lots that are expired or expire soon. */
export class ExpiringState implements Place {
  readonly #deps: ExpiringDeps
  /** The selected lot, by id. */
  readonly cursor = new ListCursor()
  #days = $state<ExpiryChoice>(30)
  #list = $state.raw<ExpiringList | null>(null)
  #failure = $state.raw<Failure | null>(null)
  /** Sequence number of the last call. Only the response to this call is shown. */
  #asked = 0
  #answered = 0

  constructor(deps: ExpiringDeps) {
    this.#deps = deps
  }

  get days(): ExpiryChoice {
    return this.#days
  }
  /** The lots; null until the first response, after a failure, or if the login has no role for lots. */
  get list(): ExpiringList | null {
    return this.#list
  }
  get failure(): Failure | null {
    return this.#failure
  }
  get mayRead(): boolean {
    const { state, roles } = this.#deps.session()
    return state !== 'signed_in' || roles.includes(wireRole(role))
  }

  async within(days: ExpiryChoice): Promise<void> {
    this.#days = days
    await this.load()
  }

  async load(): Promise<void> {
    const turn = ++this.#asked
    this.cursor.clear()
    const result = this.mayRead ? await this.#deps.bridge.article.expiring({ withinDays: this.#days }) : null
    if (turn !== this.#asked) return
    this.#answered = turn
    this.#list = result?.ok === true ? result.value : null
    this.#failure = result?.ok === false ? result.error : null
    this.cursor.renew(this.#ids)
  }

  /** Runs a scanned command. Returns false if this screen has no action for the command. */
  run(command: Command): boolean {
    const isRead = this.#answered === this.#asked && this.#asked > 0
    if (command === 'NEXT') return this.cursor.next(isRead ? this.#ids : null)
    const lot = this.#list?.lots.find((one) => one.lot.id === this.cursor.key)
    if (command !== 'PRIMARY' || !lot) return false
    void this.open(lot)
    return true
  }

  /** Opens the card of a lot's article with the stored data. If the article is not stored, its code is looked up. */
  async open({ variant }: ExpiringLot): Promise<void> {
    const { bridge, onShow, onCode } = this.#deps
    const found = await bridge.article.search({ text: variant.articleCode, limit: sameCode })
    const kept = found.ok ? found.value.articles.find(({ id }) => id === variant.id) : undefined
    if (kept) onShow(kept)
    else onCode(variant.ean ?? variant.articleCode)
  }

  /** Forgets the lots, because another operator or station may work for another customer. */
  reset(): void {
    this.#asked += 1
    this.#answered = this.#asked
    this.#list = null
    this.#failure = null
    this.cursor.renew([])
  }

  get #ids(): readonly string[] {
    return this.#list?.lots.map(({ lot }) => lot.id) ?? []
  }
}
