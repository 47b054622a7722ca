import { ListCursor } from '#place/list-cursor.svelte.ts'
import type { Place } from '#place/place.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ArticleList, VariantView } from '#shared/bridge/stock-views.ts'
import type { Command } from '#shared/domain/commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

export interface SearchDeps {
  readonly bridge: ScandeskBridge
  /** Shows an article on the stage. */
  readonly onShow: (variant: VariantView) => void
  /** Looks a text up as if it had been scanned. */
  readonly onCode: (text: string) => void
}

/** More would only be scrolled past: whoever looks for one types on. */
const longestList = 50
/** As the contract takes it. */
const longestText = 200

/** The articles that match what is being typed. */
export class SearchState implements Place {
  readonly #deps: SearchDeps
  /** The row that Enter opens, by the id of its article; the first until a key or NEXT moves it. */
  readonly #cursor = new ListCursor()
  #text = $state('')
  #list = $state.raw<ArticleList | null>(null)
  /** The text that `list` answers. */
  #answered = $state('')
  #failure = $state.raw<Failure | null>(null)
  #asking = $state(false)
  /** Enter was pressed before the answer to what was typed came. */
  #entered = false

  constructor(deps: SearchDeps) {
    this.#deps = deps
  }

  get text(): string {
    return this.#text
  }
  /** What matches the newest text that was answered; null before, and where nothing is typed. */
  get list(): ArticleList | null {
    return this.#list
  }
  /** The text that `list` answers: what is marked in its rows. */
  get answered(): string {
    return this.#answered
  }
  get failure(): Failure | null {
    return this.#failure
  }
  get asking(): boolean {
    return this.#asking
  }
  /** Index of the row that Enter opens. */
  get active(): number {
    return Math.max(
      0,
      this.#ids.findIndex((id) => id === this.#cursor.key),
    )
  }

  /** Asks at once. While an answer is on its way only the newest text waits; an answer to an older one is dropped. */
  type(text: string): void {
    if (text === this.#text) return
    this.#text = text
    this.#entered = false
    if (this.#wanted === '') this.#forget()
    else void this.#ask()
  }

  visit(): void {
    void this.load(null)
  }

  /** At every visit: what is kept may have changed since. `text`: to be looked for; null keeps what was typed last. */
  async load(text: string | null): Promise<void> {
    if (text !== null && text !== this.#text) {
      this.#forget()
      this.#text = text
    }
    this.#answered = ''
    await this.#ask()
  }

  move(by: 1 | -1): void {
    this.#cursor.move(by, this.#ids)
  }

  /** Opens the active row; where nothing matches, the text is looked up as a code. */
  enter(): void {
    if (this.#wanted === '') return
    if (this.#answered === this.#wanted && this.#failure === null) this.#open()
    else {
      this.#answered = ''
      this.#entered = true
      void this.#ask()
    }
  }

  /** What a scanned command means for what was found; returns whether it means anything. */
  run(command: Command): boolean {
    if (command === 'NEXT') return this.#cursor.next(this.#ids)
    if (command !== 'PRIMARY' || this.#ids.length === 0) return false
    this.enter()
    return true
  }

  show(variant: VariantView): void {
    this.#deps.onShow(variant)
  }

  lookUp(): void {
    if (this.#wanted !== '') this.#deps.onCode(this.#wanted)
  }

  /** Another operator or station: what this one looked for is not the next one's. */
  reset(): void {
    this.#text = ''
    this.#forget()
  }

  /** What is asked for. Digits typed in groups, as they are printed and shown, are one code. */
  get #wanted(): string {
    const text = this.#text.trim().slice(0, longestText)
    return /^\d[\d ]{5,}$/.test(text) ? text.replaceAll(' ', '') : text
  }

  async #ask(): Promise<void> {
    if (this.#asking) return
    this.#asking = true
    for (let text = this.#wanted; text !== '' && text !== this.#answered; text = this.#wanted) {
      const result = await this.#deps.bridge.article.search({ text, limit: longestList })
      if (text !== this.#wanted) continue
      this.#failure = result.ok ? null : result.error
      this.#list = result.ok ? result.value : null
      this.#answered = text
      this.#cursor.start(this.#ids)
      if (this.#entered) this.#openOnly()
    }
    this.#asking = false
  }

  #open(): void {
    const variant = this.#list?.articles[this.active]
    if (variant) this.#deps.onShow(variant)
    else if (this.#list) this.lookUp()
  }

  /** Rows that nobody has seen yet are not chosen from: only what is the one answer opens by itself. */
  #openOnly(): void {
    this.#entered = false
    if ((this.#list?.articles.length ?? 0) <= 1) this.#open()
  }

  #forget(): void {
    this.#list = null
    this.#answered = ''
    this.#failure = null
    this.#cursor.clear()
    this.#entered = false
  }

  get #ids(): readonly string[] {
    return this.#list?.articles.map(({ id }) => id) ?? []
  }
}
