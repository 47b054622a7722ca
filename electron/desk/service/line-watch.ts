import { type Backoff, createBackoff } from '../timing/backoff.ts'
import type { Line } from './line.ts'
import type { ApiPort } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { Session } from './session.ts'
import { createWorker, type Worker } from '../timing/worker.ts'

export interface LineWatchParts {
  readonly line: Line
  readonly session: Session
  readonly api: Pick<ApiPort, 'greet'>
  readonly clock: ClockPort
  /** Longest pause between two tries, in milliseconds. */
  readonly everyMs: number
  readonly onFault: (error: unknown) => void
}

const firstPauseMs = 1_000
/** At the start others ask the service anyway, and what they meet is enough, in milliseconds. */
const startMs = 1_000

/**
 * Tries the line while it is lost or in doubt, whoever found it so, signed in or not, until the service gives a real
 * answer. Signed in it asks with a token: a service whose database is gone may still know how to refuse a caller without.
 */
export class LineWatch {
  readonly #parts: LineWatchParts
  readonly #worker: Worker
  readonly #backoff: Backoff
  readonly #startTicks: number

  constructor(parts: LineWatchParts) {
    const { clock, line, everyMs } = parts
    this.#parts = parts
    this.#worker = createWorker(clock, () => this.#step(), parts.onFault)
    this.#backoff = createBackoff(clock, Math.min(firstPauseMs, everyMs), everyMs)
    this.#startTicks = clock.ticks()
    const soon = (): void => {
      this.#backoff.reset()
      this.#backoff.failed()
      this.kick()
    }
    line.onLost(soon)
    line.onDoubt(soon)
  }

  kick(): void {
    this.#worker.kick()
  }

  /** The system says that the line is back, or somebody does not want to wait. */
  retryNow(): void {
    this.#backoff.reset()
    this.kick()
  }

  close(): Promise<void> {
    return this.#worker.close()
  }

  async #step(): Promise<number | null> {
    const { line, clock } = this.#parts
    if (!line.isInDoubt()) return null
    const isNew = line.view().state === 'unknown'
    const waitMs = Math.max(
      this.#backoff.waitMs(),
      isNew ? Math.ceil(this.#startTicks + startMs - clock.ticks()) : 0,
    )
    if (waitMs > 0) return waitMs
    await this.#ask()
    if (!line.isInDoubt()) return null
    this.#backoff.failed()
    return this.#backoff.waitMs()
  }

  async #ask(): Promise<void> {
    const { session, api, line, clock } = this.#parts
    if (session.isSignedIn) {
      await session.withAccess((token) => api.greet(token))
      return
    }
    const begunTicks = clock.ticks()
    line.observe(await api.greet(null), begunTicks)
  }
}
