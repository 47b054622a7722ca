import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'

/** Reads a list from main whenever it is asked for, but never twice at once. */
export class ViewReader<View> {
  readonly #list: () => Promise<Result<View>>
  readonly #onTaken: (before: View | null) => void
  #view = $state.raw<View | null>(null)
  #failure = $state.raw<Failure | null>(null)
  /** Number of the last call. A view has the number of its call and never replaces a view with a higher number. */
  #asked = 0
  #shown = 0
  #reading: Promise<void> | null = null
  /** Number of requests to load. A read counts only for the requests made before it began. */
  #wanted = 0

  /** @param onTaken - called with each new view; `before` is the previous view. */
  constructor(list: () => Promise<Result<View>>, onTaken: (before: View | null) => void) {
    this.#list = list
    this.#onTaken = onTaken
  }

  /** The view; null until the first one was read. */
  get view(): View | null {
    return this.#view
  }
  /** Why the last read failed. The previous view is kept. */
  get failure(): Failure | null {
    return this.#failure
  }

  /** Reads the list. Calls while it is being read lead to one more read. */
  load(): Promise<void> {
    this.#wanted += 1
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  /** Makes a call that returns a view, such as a decision. Takes the view unless a newer one is here. */
  async ask(question: () => Promise<Result<View>>): Promise<Result<View>> {
    const turn = ++this.#asked
    const result = await question()
    if (result.ok) this.#take(turn, result)
    return result
  }

  reset(): void {
    this.#shown = ++this.#asked
    this.#view = null
    this.#failure = null
  }

  async #read(): Promise<void> {
    let answered = 0
    while (answered < this.#wanted) {
      answered = this.#wanted
      const turn = ++this.#asked
      this.#take(turn, await this.#list())
    }
  }

  #take(turn: number, result: Result<View>): void {
    if (turn <= this.#shown) return
    this.#shown = turn
    this.#failure = result.ok ? null : result.error
    if (!result.ok) return
    const before = this.#view
    this.#view = result.value
    this.#onTaken(before)
  }
}
