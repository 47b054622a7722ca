import type { ApiOutcome, RecentQuery, RowPage } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { IndexState, IndexStore } from '../ports/recent-store.ts'
import { isFinalRefusal } from '../service/answers.ts'
import type { Session } from '../service/session.ts'
import { type Backoff, createBackoff, createWorker, type Worker } from '../timing/worker.ts'
import type { IndexOptions, IndexReach } from './index-reach.ts'
import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import {
  advance,
  beginHead,
  beginTail,
  isHeavy,
  isWhole,
  lengthened,
  type Listed,
  mayLeaveOut,
  type Pass,
  type Progress,
  queryOf,
  shortened,
  undone,
} from './index-pass.ts'
import type { AgeClock } from '../timing/age-clock.ts'
import type { OperatorCalls } from '../timing/calls.ts'
import { saidAt } from '../timing/said-at.ts'

interface IndexWalkerParts<Row extends Listed> {
  /** Reads one page of the service's list, newest first. */
  readonly list: (access: string, query: RecentQuery) => Promise<ApiOutcome<RowPage<Row>>>
  readonly session: Pick<Session, 'isSignedIn' | 'withAccess'>
  readonly store: IndexStore<Row>
  readonly clock: ClockPort
  readonly age: Pick<AgeClock, 'now'>
  readonly reach: Pick<IndexReach, 'days'>
  readonly operatorCalls: Pick<OperatorCalls, 'areUnderWay'>
  readonly options: IndexOptions
  readonly changed: () => void
  readonly onFault: (error: unknown) => void
}

const dayMs = 24 * 3600_000
/** A pause before the next page, so that waiting events run first, above all scans. */
const breathMs = 1
/**
 * Time between two checks whether an operator's call is still under way, and the longest wait of older rows for these
 * calls.
 */
const yieldMs = 50
const longestYieldMs = 10_000
/** Maximum number of rows to remove in one step, so that the step is short. */
const trimRows = 200
/**
 * Rows that the service returned within this time are kept, because an operator asked for them, however old they are.
 */
const recentlySeenMs = 3600_000

export interface WalkView {
  readonly rows: number
  readonly state: IndexState | null
  /** The moment back to which the list must reach, in milliseconds since 1970. */
  readonly goal: number
  /** Whether no wanted row is missing. */
  readonly isWhole: boolean
  readonly syncing: boolean
  /** Why the walk makes no progress; null: it makes progress. */
  readonly failure: Failure | null
  /**
   * Number of rows left out since the start because each was too large on its own, and the moment before which the last
   * of them was created.
   */
  readonly leftOut: { readonly count: number; readonly before: Instant | null }
}

/**
 * Keeps a copy of the newest rows of one of the service's lists, because the API cannot search the list by scanned
 * codes. It fills the copy from the newest row backwards and stores which stretch is complete, so that an interruption
 * costs one page. Each step reads one page, so that a scan never waits for the walk. New rows are read during the fill
 * too.
 */
export class IndexWalker<Row extends Listed> {
  readonly #parts: IndexWalkerParts<Row>
  readonly #worker: Worker
  readonly #backoff: Backoff
  #syncing = false
  #failure: Failure | null = null
  #leftOut: WalkView['leftOut'] = { count: 0, before: null }
  #pass: Pass | null = null
  /** A tail that waits for a head, and the start of the known stretch at that time. */
  #suspended: { readonly pass: Pass; readonly oldest: Instant } | null = null
  /** Whether the head was read in this round, so that the tail is next. */
  #headIsRead = false
  /** Whether the rows of the last run were read again after the start. */
  #isReread = false
  /** Counts the changes of the wanted period. */
  #turn = 0
  #nextRoundTicks = 0
  #nextHeadTicks = 0
  /** Number of tail pages since the last head. A tail reads at least one page between two heads. */
  #tailPages = 0
  /** Whether a round was requested while a page was being read. */
  #isWished = false
  /** Since when the tail has waited for operators' calls; null: it does not wait. */
  #yieldedTicks: number | null = null
  /** Rows older than this are being removed; null: none are. */
  #trimBefore: number | null = null
  readonly #waiting: (() => void)[] = []

  constructor(parts: IndexWalkerParts<Row>) {
    this.#parts = parts
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
    this.#backoff = createBackoff(parts.clock, 2_000, parts.options.offlineEveryMs)
  }

  view(): WalkView {
    const { store } = this.#parts
    const state = store.state()
    const goal = this.#goal()
    return {
      rows: store.count(),
      state,
      goal,
      isWhole: isWhole(state, goal),
      syncing: this.#syncing,
      failure: this.#failure,
      leftOut: this.#leftOut,
    }
  }

  kick(): void {
    this.#worker.kick()
  }

  /** Retries now, because the connection or the session may be back. */
  retryNow(): void {
    this.#backoff.reset()
    this.#nextRoundTicks = 0
    this.#isWished = true
    this.kick()
  }

  /**
   * Restarts the walk for another period. A walk to the old goal would mark rows as known that are being removed now.
   */
  reachChanged(): void {
    this.#turn++
    this.#pass = null
    this.#suspended = null
    this.#headIsRead = false
    this.retryNow()
  }

  /** Reads the newest rows now; resolves after the next page of them, whatever its outcome. */
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
    if (this.#makeRoom()) return breathMs
    if (this.#trimBefore !== null && this.#trim(this.#trimBefore)) return breathMs
    const waitMs = Math.max(this.#backoff.waitMs(), this.#nextRoundTicks - clock.ticks())
    if (waitMs > 0) return Math.ceil(waitMs)
    const pass = this.#next()
    // the requested newest rows come after this page, so a requested round does not wait
    if (pass.kind === 'tail' && !this.#isWished && this.#yields()) return yieldMs
    this.#setSyncing(true)
    const outcome = await this.#readFor(pass)
    if (outcome.kind === 'ambiguous' && this.#shorten(pass, outcome.failure)) return breathMs
    this.#failure = outcome.kind === 'answer' ? null : outcome.failure
    if (outcome.kind !== 'answer') {
      this.#letWaitingGo()
      this.#backoff.failed()
      // a missing role is not granted within seconds
      if (isFinalRefusal(outcome)) this.#nextRoundTicks = clock.ticks() + options.everyMs
      return this.#rest(Math.max(this.#backoff.waitMs(), this.#nextRoundTicks - clock.ticks()))
    }
    this.#backoff.reset()
    if (this.#pass || !isWhole(this.#parts.store.state(), this.#goal())) return breathMs
    return this.#endRound()
  }

  /**
   * Requests the same rows in shorter pages, or leaves out a row that is too large on its own; false: neither is
   * possible.
   */
  #shorten(pass: Pass, failure: Failure): boolean {
    const { store, clock, options } = this.#parts
    // another period was chosen meanwhile
    if (pass !== this.#pass || !isHeavy(failure)) return false
    const shorter = shortened(pass, options.pageLength)
    if (!shorter && !mayLeaveOut(failure, pass)) return false
    if (shorter) this.#pass = shorter
    else {
      const state = store.state()
      this.#leftOut = { count: this.#leftOut.count + 1, before: state?.oldest ?? null }
      const { pass: next } = advance(pass, { rows: [], length: 1, asOf: clock.now() }, state)
      this.#goOn(pass, next && { ...next, leftOut: (pass.leftOut ?? 0) + 1 })
    }
    return true
  }

  /**
   * Reads the page of a pass. Callers that asked before a head page was requested are released after it; a later caller
   * waits for the next head page, because it needs the rows of that moment.
   */
  async #readFor(pass: Pass): Promise<ApiOutcome<unknown>> {
    const isHead = pass.kind === 'head'
    const waiting = isHead ? this.#waiting.splice(0) : []
    if (isHead) this.#isWished = false
    try {
      return await this.#readPage(pass)
    } finally {
      for (const go of waiting) go()
    }
  }

  #endRound(): number | null {
    const { age, clock, options, reach } = this.#parts
    this.#headIsRead = false
    const now = age.now()
    const isMore = now !== null && this.#trim(now - reach.days() * dayMs)
    if (this.#isWishedFor()) return breathMs
    this.#nextRoundTicks = clock.ticks() + options.everyMs
    return this.#rest(isMore ? breathMs : options.everyMs)
  }

  #isWishedFor(): boolean {
    return this.#isWished
  }

  /** Returns the moment back to which rows are wanted and have room. */
  #goal(): number {
    const { clock, reach, store } = this.#parts
    return Math.max(clock.now() - reach.days() * dayMs, store.keptFrom() ?? -Infinity)
  }

  /** Returns the pass under way, unless it is a tail that must wait for a head or that is not needed any more. */
  #next(): Pass {
    const { store, clock } = this.#parts
    const known = store.state()
    const isDue = this.#tailPages > 0 && (this.#isWishedFor() || clock.ticks() >= this.#nextHeadTicks)
    if (this.#pass?.kind === 'tail' && (isDue || isWhole(known, this.#goal()))) {
      this.#suspended = known && { pass: this.#pass, oldest: known.oldest }
      this.#pass = null
      this.#headIsRead = false
    }
    return (this.#pass ??= this.#begin(known))
  }

  #begin(known: IndexState | null): Pass {
    const { options } = this.#parts
    const goal = this.#goal()
    if (known && this.#headIsRead && !isWhole(known, goal)) {
      // rows that were lost or removed meanwhile would leave a gap
      const goesOn = this.#suspended?.oldest === known.oldest ? this.#suspended.pass : null
      this.#suspended = null
      return goesOn ?? beginTail(known, goal)
    }
    return beginHead(known, goal, {
      ms: this.#isReread ? options.overlapMs : options.overlapMs + 2 * dayMs,
      rows: this.#isReread ? options.rereadRows : options.rereadRowsAtStart,
    })
  }

  async #readPage(pass: Pass): Promise<ApiOutcome<unknown>> {
    const { list, session, store, clock, options } = this.#parts
    const query = queryOf(pass, options.pageLength)
    const turn = this.#turn
    const outcome = await session.withAccess((token) => list(token, query))
    if (outcome.kind !== 'answer') return outcome
    const { rows, skipped } = outcome.value
    const asOf = saidAt(outcome, clock)
    const page = { rows, length: rows.length + skipped.length, asOf }
    const again = undone(pass, page.length)
    if (again && turn === this.#turn) {
      this.#pass = again
      return outcome
    }
    const written: Progress[] = []
    // a service may list any number of older rows; each would be kept for an hour
    const wanted = rows.filter(({ created_at: at }) => Date.parse(at) >= pass.goal)
    await store.put(wanted, asOf, () => {
      // another period was chosen while the page was being read
      if (turn !== this.#turn) return null
      const progress = advance(pass, page, store.state())
      written.push(progress)
      return progress.state
    })
    const next = written[0]?.pass ?? null
    if (turn === this.#turn) this.#goOn(pass, next && lengthened({ ...next, leftOut: 0 }, options.pageLength))
    return outcome
  }

  /** Continues after a page of a pass; `next` null: the pass is over, or its rows were lost with the cache. */
  #goOn(pass: Pass, next: Pass | null): void {
    this.#pass = next
    if (pass.kind === 'tail') this.#tailPages++
    else if (!next) this.#headEnded()
    if (!next) this.#headIsRead = this.#parts.store.state() !== null
    this.#parts.changed()
  }

  #headEnded(): void {
    const { clock, options } = this.#parts
    this.#isReread = true
    this.#tailPages = 0
    this.#nextHeadTicks = clock.ticks() + options.everyMs
  }

  /** Whether older rows wait now, because an operator's call is under way; the wait is limited. */
  #yields(): boolean {
    const { operatorCalls, clock } = this.#parts
    if (!operatorCalls.areUnderWay) {
      this.#yieldedTicks = null
      return false
    }
    this.#yieldedTicks ??= clock.ticks()
    if (clock.ticks() - this.#yieldedTicks < longestYieldMs) return true
    this.#yieldedTicks = null
    return false
  }

  /** Removes a few of the oldest rows while the cache is too large; true: more may follow. */
  #makeRoom(): boolean {
    if (this.#parts.store.makeRoom(trimRows) === 0) return false
    // the pass under way would read the removed rows again
    this.#pass = null
    this.#suspended = null
    this.#parts.changed()
    return true
  }

  /** Removes a few of the rows older than `before`; true: more may follow. */
  #trim(before: Instant): boolean {
    const { store, clock, changed } = this.#parts
    const removed = store.trim(before, clock.now() - recentlySeenMs, trimRows)
    if (removed > 0) changed()
    this.#trimBefore = removed > 0 ? before : null
    return removed > 0
  }

  #rest(waitMs: Milliseconds | null): number | null {
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
