import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'

/** A list as main has it, read as often as asked for and never twice at once. */
export class ViewReader<View> {
  readonly #list: () => Promise<Result<View>>
  readonly #onTaken: (before: View | null) => void
  #view = $state.raw<View | null>(null)
  #failure = $state.raw<Failure | null>(null)
  /** Views are numbered by their question: an answer to an older one never replaces a newer view. */
  #asked = 0
  #shown = 0
  #reading: Promise<void> | null = null
  /** How often it was asked for: a reading answers only those before it. */
  #wanted = 0

  /** `onTaken`: another view is here; `before` is the one that stood there until now. */
  constructor(list: () => Promise<Result<View>>, onTaken: (before: View | null) => void) {
    this.#list = list
    this.#onTaken = onTaken
  }

  /** Null until the first answer. */
  get view(): View | null {
    return this.#view
  }
  /** Why the last reading failed; the view before it stays. */
  get failure(): Failure | null {
    return this.#failure
  }

  /** Calls while it is being read lead to one more reading. */
  load(): Promise<void> {
    this.#wanted += 1
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  /** A decision answers with a view as well: asks for one, and takes it unless a newer one is here. */
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
