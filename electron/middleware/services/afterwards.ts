import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '#kit/logger.ts'
import { type Lease, LeaseLost, type Leases, withLease } from '../data/engine/coordination.ts'
import { isStorageFailure } from '../data/engine/database.ts'

/** Milliseconds from a failure of the database to the next attempt. */
const pauseMs = 1000

/**
 * Work that runs after a response that has announced it. The announced work is stored in the database, so that another
 * process or the next start does the work if this process crashes. `settle` waits for the work that is running.
 */
export class Afterwards {
  readonly #logger: Logger
  readonly #leases: Leases
  readonly #underWay = new Set<Promise<void>>()
  /** Names of running work that must not run twice at the same time. True: the work is run again when it ends. */
  readonly #alone = new Map<string, boolean>()
  readonly #ending = new AbortController()
  /** Runs work as if no call had started it: it holds no turn of a customer, and no reading limit applies to it. */
  readonly #apart = AsyncLocalStorage.snapshot()

  constructor(logger: Logger, leases: Leases) {
    this.#logger = logger
    this.#leases = leases
  }

  start(name: string, work: () => Promise<void>): void {
    const done = this.#apart(() => this.#run(name, work))
    this.#underWay.add(done)
    void done.then(() => this.#underWay.delete(done))
  }

  /**
   * Starts work as `start` does, but never twice at the same time: only one process at a time runs the work of a name.
   * If this process is already running it, the work runs once more after its end. If the work throws `LeaseLost`, it
   * runs again when this process has the lease again.
   */
  startAlone(name: string, work: (lease: Lease) => Promise<void>): void {
    const isUnderWay = this.#alone.has(name)
    this.#alone.set(name, isUnderWay)
    if (isUnderWay) return
    this.start(name, async () => {
      try {
        do {
          this.#alone.set(name, false)
          try {
            await withLease(await this.#leases.wait(name, this.#ending.signal), work)
          } catch (error) {
            if (!(error instanceof LeaseLost)) throw error
            this.#alone.set(name, true)
          }
        } while (this.#alone.get(name) === true)
      } finally {
        this.#alone.delete(name)
      }
    })
  }

  /** Whether the server is closing. If so, work that the next start continues should stop. */
  get isEnding(): boolean {
    return this.#ending.signal.aborted
  }

  /** A signal that is aborted when the server is closing. */
  get ending(): AbortSignal {
    return this.#ending.signal
  }

  async settle(): Promise<void> {
    this.#ending.abort()
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  /** Runs work after the response was sent, and repeats it while it fails because of the database. */
  async #run(name: string, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#ending
    // the work begins after the response was sent
    await new Promise((resolve) => setImmediate(resolve))
    for (;;) {
      try {
        await work()
        return
      } catch (error) {
        const isRepeated = isStorageFailure(error) && !signal.aborted
        const next = isRepeated ? 'it is tried again' : 'the next start tries again'
        this.#logger.error({ err: error, work: name }, `deferred work failed; ${next}`)
        if (!isRepeated) return
      }
      await sleep(pauseMs, undefined, { ref: false, signal }).catch(() => null)
    }
  }
}
