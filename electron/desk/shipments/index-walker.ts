import { type Backoff, createBackoff } from '../timing/backoff.ts'
import type { IndexOptions } from './index-options.ts'
import { advance, beginHead, beginTail, type Listed, type Pass, queryOf } from './index-pass.ts'
import type { ApiOutcome, RecentQuery, RowPage } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { IndexState, IndexStore } from '../ports/recent-store.ts'
import type { Session } from '../service/session.ts'
import { isFinalRefusal } from '../service/final-refusal.ts'
import { createWorker, type Worker } from '../timing/worker.ts'

export interface IndexWalkerParts<Row extends Listed> {
  /** One page of the service's list, newest first. */
  readonly list: (access: string, query: RecentQuery) => Promise<ApiOutcome<RowPage<Row>>>
  readonly session: Session
  readonly store: IndexStore<Row>
  readonly clock: ClockPort
  readonly options: IndexOptions
  readonly changed: () => void
  readonly onFault: (error: unknown) => void
}

const dayMs = 24 * 3600_000
/** Lets what waits in the event loop, scans above all, go before the next page. */
const breathMs = 1

/**
 * Keeps the newest rows of one of the service's lists, since the API cannot search them by what a scanner reads. Fills
 * from the newest backwards and remembers which stretch it holds without a gap, so that an interruption costs one page.
 * One page a step: scanning never waits for it.
 */
export class IndexWalker<Row extends Listed> {
  readonly #parts: IndexWalkerParts<Row>
  readonly #worker: Worker
  readonly #backoff: Backoff
  #syncing = false
  #pass: Pass | null = null
  /** The head was read in this round, so the tail is next. */
  #headIsRead = false
  #rounds = 0
  #nextRoundTicks = 0
  /** Somebody wished for a round while a page was being read. */
  #isWished = false
  readonly #waiting: (() => void)[] = []

  constructor(parts: IndexWalkerParts<Row>) {
    this.#parts = parts
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
    this.#backoff = createBackoff(parts.clock, 2_000, parts.options.offlineEveryMs)
  }

  view(): { readonly rows: number; readonly state: IndexState | null; readonly syncing: boolean } {
    const { store } = this.#parts
    return { rows: store.count(), state: store.state(), syncing: this.#syncing }
  }

  kick(): void {
    this.#worker.kick()
  }

  /** The line or the session may be back. */
  retryNow(): void {
    this.#backoff.reset()
    this.#nextRoundTicks = 0
    this.#isWished = true
    this.kick()
  }

  /** Looks for the newest now; resolves after the next page that is asked for, whatever it brings. */
  async refresh(): Promise<void> {
    if (!this.#parts.session.isSignedIn) return
    const read = new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.retryNow()
    await read
  }

  async close(): Promise<void> {
    await this.#worker.close()
    this.#letWaitingGo()
  }

  async #step(): Promise<number | null> {
    const { session, clock, options } = this.#parts
    if (!session.isSignedIn) {
      this.#letWaitingGo()
      return this.#rest(null)
    }
    const waitMs = Math.max(this.#backoff.waitMs(), this.#nextRoundTicks - clock.ticks())
    if (waitMs > 0) return Math.ceil(waitMs)
    this.#setSyncing(true)
    this.#isWished = false
    // who asks from here on wants to know what is there from here on
    const waiting = this.#waiting.splice(0)
    const outcome = await this.#readPage(this.#pass ?? this.#begin()).finally(() => {
      for (const go of waiting) go()
    })
    if (outcome.kind !== 'answer') {
      this.#letWaitingGo()
      this.#backoff.failed()
      // a missing role does not come back within seconds
      if (isFinalRefusal(outcome)) this.#nextRoundTicks = clock.ticks() + options.everyMs
      return this.#rest(Math.max(this.#backoff.waitMs(), this.#nextRoundTicks - clock.ticks()))
    }
    this.#backoff.reset()
    if (this.#pass || !this.#parts.store.state()?.complete) return breathMs
    this.#headIsRead = false
    this.#rounds++
    if (this.#isWishedFor()) return breathMs
    this.#nextRoundTicks = clock.ticks() + options.everyMs
    return this.#rest(options.everyMs)
  }

  #isWishedFor(): boolean {
    return this.#isWished
  }

  #begin(): Pass {
    const { store, clock, options } = this.#parts
    const known = store.state()
    const goal = clock.now() - options.days * dayMs
    if (known && this.#headIsRead) return beginTail(known, goal)
    // what was read before the desk was last closed may have changed more
    const isFirst = this.#rounds === 0
    return beginHead(known, goal, {
      ms: isFirst ? options.overlapMs + 2 * dayMs : options.overlapMs,
      rows: isFirst ? options.rereadRowsAtStart : options.rereadRows,
    })
  }

  async #readPage(pass: Pass): Promise<ApiOutcome<unknown>> {
    const { list, session, store, clock, options } = this.#parts
    const query = queryOf(pass, options.pageLength)
    const outcome = await session.withAccess((token) => list(token, query))
    if (outcome.kind !== 'answer') return outcome
    const { rows, skipped } = outcome.value
    const asOf = outcome.serverDate ?? clock.now()
    const page = { rows, length: rows.length + skipped.length, asOf }
    const progress = advance(pass, page, store.state())
    store.put(rows, asOf, progress.state)
    this.#pass = progress.pass
    if (!progress.pass) this.#headIsRead = store.state() !== null
    this.#parts.changed()
    return outcome
  }

  #rest(waitMs: number | null): number | null {
    this.#setSyncing(false)
    return waitMs
  }

  #letWaitingGo(): void {
    for (const go of this.#waiting.splice(0)) go()
  }

  #setSyncing(syncing: boolean): void {
    if (syncing === this.#syncing) return
    this.#syncing = syncing
    this.#parts.changed()
  }
}
