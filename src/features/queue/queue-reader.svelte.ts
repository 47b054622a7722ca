import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { QueueView } from '#shared/bridge/queue-views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import { type QueueGroup, queueGroups, type QueueItem } from './queue-items.ts'

/** The queue as main has it, read as often as asked for and never twice at once. */
export class QueueReader {
  readonly #bridge: ScandeskBridge
  readonly #onTaken: (before: readonly QueueItem[]) => void
  #view = $state.raw<QueueView | null>(null)
  #groups: readonly QueueGroup[] = $derived.by(() => (this.#view ? queueGroups(this.#view) : []))
  #failure = $state.raw<Failure | null>(null)
  /** Views are numbered by their question: an answer to an older one never replaces a newer view. */
  #asked = 0
  #shown = 0
  #reading: Promise<void> | null = null
  /** How often it was asked for: a reading answers only those before it. */
  #wanted = 0

  /** `onTaken`: another view is here; `before` is what stood there until now. */
  constructor(bridge: ScandeskBridge, onTaken: (before: readonly QueueItem[]) => void) {
    this.#bridge = bridge
    this.#onTaken = onTaken
  }

  /** Null until the first answer. */
  get view(): QueueView | null {
    return this.#view
  }
  get groups(): readonly QueueGroup[] {
    return this.#groups
  }
  get items(): readonly QueueItem[] {
    return this.#groups.flatMap(({ items }) => items)
  }
  /** Why the last reading failed; the view before it stays. */
  get failure(): Failure | null {
    return this.#failure
  }

  find(key: string): QueueItem | null {
    return this.items.find((item) => item.key === key) ?? null
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
  async ask(question: () => Promise<Result<QueueView>>): Promise<Result<QueueView>> {
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
      this.#take(turn, await this.#bridge.queue.list())
    }
  }

  #take(turn: number, result: Result<QueueView>): void {
    if (turn <= this.#shown) return
    this.#shown = turn
    this.#failure = result.ok ? null : result.error
    if (!result.ok) return
    const before = this.items
    this.#view = result.value
    this.#onTaken(before)
  }
}
