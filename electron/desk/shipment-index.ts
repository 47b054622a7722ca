import type { DeskStatus } from '#shared/bridge/views.ts'
import { type Backoff, createBackoff } from './backoff.ts'
import { advance, beginHead, beginTail, type Pass, queryOf } from './index-pass.ts'
import { isoTime } from './iso-time.ts'
import type { ApiPort } from './ports/api.ts'
import type { ClockPort } from './ports/clock.ts'
import type { ShipmentIndexStore } from './ports/store.ts'
import type { Session } from './session.ts'
import { createWorker, type Worker } from './worker.ts'

export interface IndexOptions {
  /** How far back the index reaches once it is filled. */
  readonly days: number
  readonly pageLength: number
  /** Between two looks for new shipments, in milliseconds. */
  readonly everyMs: number
  /** While the service cannot be reached: this is also how often the line is tried. */
  readonly offlineEveryMs: number
  /** How much of what is known is read again each time: shipments get their tracking codes a little later. */
  readonly overlapMs: number
}

export const standardIndexOptions: IndexOptions = {
  days: 180,
  pageLength: 200,
  everyMs: 60_000,
  offlineEveryMs: 10_000,
  overlapMs: 15 * 60_000,
}

export interface ShipmentIndexParts {
  readonly api: ApiPort
  readonly session: Session
  readonly store: ShipmentIndexStore
  readonly clock: ClockPort
  readonly options: IndexOptions
  readonly changed: () => void
  readonly onFault: (error: unknown) => void
}

const dayMs = 24 * 3600_000
/** Lets what waits in the event loop, scans above all, go before the next page. */
const breathMs = 1

/**
 * Keeps recent shipments findable by every code on them, since the API filters by order reference alone. Fills from
 * the newest backwards and remembers which stretch it holds without a gap, so that an interruption costs one page.
 * One page a step: scanning never waits for it.
 */
export class ShipmentIndex {
  readonly #parts: ShipmentIndexParts
  readonly #worker: Worker
  readonly #backoff: Backoff
  #syncing = false
  #pass: Pass | null = null
  /** The head was read in this round, so the tail is next. */
  #headIsRead = false
  #rounds = 0
  #nextRoundTicks = 0
  readonly #waiting: (() => void)[] = []

  constructor(parts: ShipmentIndexParts) {
    this.#parts = parts
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
    this.#backoff = createBackoff(parts.clock, 2_000, parts.options.offlineEveryMs)
  }

  view(): DeskStatus['index'] {
    const { store } = this.#parts
    const state = store.state()
    return {
      shipments: store.count(),
      reachesBackTo: state && isoTime(state.oldest),
      syncedAt: state && isoTime(state.syncedAt),
      syncing: this.#syncing,
    }
  }

  kick(): void {
    this.#worker.kick()
  }

  /** The line or the session may be back. */
  retryNow(): void {
    this.#backoff.reset()
    this.#nextRoundTicks = 0
    this.kick()
  }

  /** Looks for the newest shipments now; resolves after the next page, whatever it brought. */
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
    if (!session.isSignedIn) return this.#rest(null)
    const waitMs = Math.max(this.#backoff.waitMs(), this.#nextRoundTicks - clock.ticks())
    if (waitMs > 0) return Math.ceil(waitMs)
    this.#setSyncing(true)
    const wasRead = await this.#readPage(this.#pass ?? this.#begin())
    this.#letWaitingGo()
    if (!wasRead) {
      this.#backoff.failed()
      return this.#rest(this.#backoff.waitMs())
    }
    this.#backoff.reset()
    if (this.#pass || !this.#parts.store.state()?.complete) return breathMs
    this.#headIsRead = false
    this.#rounds++
    this.#nextRoundTicks = clock.ticks() + options.everyMs
    return this.#rest(options.everyMs)
  }

  #begin(): Pass {
    const { store, clock, options } = this.#parts
    const known = store.state()
    const goal = clock.now() - options.days * dayMs
    if (known && this.#headIsRead) return beginTail(known, goal)
    // what was read before the desk was last closed may have changed more
    return beginHead(known, goal, this.#rounds === 0 ? options.overlapMs + 2 * dayMs : options.overlapMs)
  }

  async #readPage(pass: Pass): Promise<boolean> {
    const { api, session, store, clock, options } = this.#parts
    const query = queryOf(pass, options.pageLength)
    const outcome = await session.withAccess((token) => api.listShipments(token, query))
    if (outcome.kind !== 'answer') return false
    const page = {
      shipments: outcome.value,
      isLast: outcome.value.length < options.pageLength,
      asOf: outcome.serverDate ?? clock.now(),
    }
    const progress = advance(pass, page, store.state())
    store.put(page.shipments, page.asOf, progress.state)
    this.#pass = progress.pass
    if (!progress.pass) this.#headIsRead = store.state() !== null
    this.#parts.changed()
    return true
  }

  #rest(waitMs: number | null): number | null {
    this.#setSyncing(false)
    this.#letWaitingGo()
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
