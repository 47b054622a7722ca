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
  /** Looks up a text as if it had been scanned. */
  readonly onCode: (text: string) => void
}

/**
 * Maximum number of articles in the list, because operators do not read a longer list. To find others, the operator
 * types more of the name.
 */
const longestList = 50
/** Longest search text that the contract of the bridge accepts, in characters. */
const longestText = 200

/** The articles that match the typed text. */
export class SearchState implements Place {
  readonly #deps: SearchDeps
  /** The id of the article that Enter opens: the first row, until a key or NEXT moves the selection. */
  readonly #cursor = new ListCursor()
  #text = $state('')
  #list = $state.raw<ArticleList | null>(null)
  /** The search text whose response is in `list`. */
  #answered = $state('')
  #failure = $state.raw<Failure | null>(null)
  #asking = $state(false)
  /** Whether Enter was pressed before the response to the typed text arrived. */
  #entered = false

  constructor(deps: SearchDeps) {
    this.#deps = deps
  }

  get text(): string {
    return this.#text
  }
  /**
   * The articles for the newest text with a response; null before the first response, after a failure, and for an empty
   * text.
   */
  get list(): ArticleList | null {
    return this.#list
  }
  /** The search text whose response is in `list`. The rows mark the parts that match this text. */
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

  /**
   * Searches at once. While a call is under way, only the newest text waits for the next call. The response to an older
   * text is dropped.
   */
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

  /**
   * Searches at every visit, because the stored articles may have changed. `text` is the text to search for; null keeps
   * the text of the last search.
   */
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

  /**
   * Opens the active row. If no article was found, looks up the text as a code. If the response to the typed text has
   * not arrived yet, waits for it. If that response contains several articles, opens none of them.
   */
  enter(): void {
    if (this.#wanted === '') return
    if (this.#answered === this.#wanted && this.#failure === null) this.#open()
    else {
      this.#answered = ''
      this.#entered = true
      void this.#ask()
    }
  }

  /** Runs a scanned command. Returns false if this screen has no action for the command. */
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

  /** Forgets the search, because another operator or station must not see it. */
  reset(): void {
    this.#text = ''
    this.#forget()
  }

  /** The text to search for. Spaces between groups of digits, as on printed codes, are removed. */
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

  /**
   * Handles an Enter that was pressed before the response: opens the article if only one was found, and looks the text
   * up if none was found. If several were found, the operator chooses.
   */
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
