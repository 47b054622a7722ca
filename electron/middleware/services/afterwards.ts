import type { Logger } from '#kit/logger.ts'
import { readingFreely } from '../data/engine/reading-limit.ts'

/**
 * Work that no answer waits for, though the answer promised it. What is to be done stands in the database, so that
 * the next start does what a dead process left; `settle` waits for what is under way.
 */
export class Afterwards {
  readonly #logger: Logger
  readonly #underWay = new Set<Promise<void>>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  start(name: string, work: () => Promise<void>): void {
    const done = readingFreely(() => this.#run(name, work))
    this.#underWay.add(done)
    void done.then(() => this.#underWay.delete(done))
  }

  async settle(): Promise<void> {
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
