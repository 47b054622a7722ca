import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from '#kit/logger.ts'

/**
 * Work that no answer waits for, though the answer promised it. What is to be done stands in the database, so that
 * the next start does what a dead process left; `settle` waits for what is under way.
 */
export class Afterwards {
  readonly #logger: Logger
  readonly #underWay = new Set<Promise<void>>()
  /** Names of work that runs alone; true: it is to run once more. */
  readonly #alone = new Map<string, boolean>()
  #isEnding = false
  /** Runs work outside the call that started it: neither in its turn nor from its allowance of rows. */
  readonly #apart = AsyncLocalStorage.snapshot()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  start(name: string, work: () => Promise<void>): void {
    const done = this.#apart(() => this.#run(name, work))
    this.#underWay.add(done)
    void done.then(() => this.#underWay.delete(done))
  }

  /** As `start`; but work of this name that is under way runs once more instead, when it ends. */
  startAlone(name: string, work: () => Promise<void>): void {
    const isUnderWay = this.#alone.has(name)
    this.#alone.set(name, isUnderWay)
    if (isUnderWay) return
    this.start(name, async () => {
      try {
        do {
          this.#alone.set(name, false)
          await work()
        } while (this.#alone.get(name) === true)
      } finally {
        this.#alone.delete(name)
      }
    })
  }

  /** The server is closing: work that can be ended at the next start may stop. */
  get isEnding(): boolean {
    return this.#isEnding
  }

  async settle(): Promise<void> {
    this.#isEnding = true
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  async #run(name: string, work: () => Promise<void>): Promise<void> {
    // the answer goes first
    await new Promise((resolve) => setImmediate(resolve))
    try {
      await work()
    } catch (error) {
      this.#logger.error({ err: error, work: name }, 'promised work failed; the next start tries again')
    }
  }
}
