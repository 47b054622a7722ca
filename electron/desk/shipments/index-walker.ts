import type { ApiOutcome, RecentQuery, RowPage } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { IndexState, IndexStore } from '../ports/recent-store.ts'
import { isFinalRefusal } from '../service/answers.ts'
import type { Session } from '../service/session.ts'
import { type Backoff, createBackoff, createWorker, type Worker } from '../timing/worker.ts'
import type { IndexOptions, IndexReach } from './index-reach.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { isHeavy, lengthened, mayLeaveOut, shortened, undone } from './heavy-pages.ts'
import {
  advance,
  beginHead,
  beginTail,
  isWhole,
  type Listed,
  type Pass,
  type Progress,
  queryOf,
} from './index-pass.ts'
import type { AgeClock } from '../timing/age-clock.ts'
import type { OperatorCalls } from '../timing/calls.ts'
import { saidAt } from '../timing/said-at.ts'

interface IndexWalkerParts<Row extends Listed> {
  /** One page of the service's list, newest first. */
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
/** Lets what waits in the event loop, scans above all, go before the next page. */
const breathMs = 1
/** Between two looks whether the operator still waits for something, and how long older rows wait for that at most. */
const yieldMs = 50
const longestYieldMs = 10_000
/** Most rows that are removed at once: a moment's work. */
const trimRows = 200
/** What the service has said so lately was asked for, however old it is. */
const saidMs = 3600_000

export interface WalkView {
  readonly rows: number
  readonly state: IndexState | null
  /** How far back it is to reach, in milliseconds since 1970. */
  readonly goal: number
  /** Nothing of what is wanted is missing. */
  readonly isWhole: boolean
  readonly syncing: boolean
  /** Why it does not get on; null: it does. */
  readonly failure: Failure | null
  /** How often a row was left out since the start, too large by itself, and before which moment the last of them was made. */
  readonly leftOut: { readonly count: number; readonly before: number | null }
}

/**
 * Keeps the newest rows of one of the service's lists, since the API cannot search them by what a scanner reads. Fills
 * from the newest backwards and remembers which stretch it holds without a gap, so that an interruption costs one page.
 * One page a step: scanning never waits for it; and while it fills, what is new is looked for all the same.
 */
export class IndexWalker<Row extends Listed> {
  readonly #parts: IndexWalkerParts<Row>
  readonly #worker: Worker
  readonly #backoff: Backoff
  #syncing = false
  #failure: Failure | null = null
  #leftOut: WalkView['leftOut'] = { count: 0, before: null }
  #pass: Pass | null = null
  /** A tail that waits for a head to be read, and how far back all was known then. */
  #suspended: { readonly pass: Pass; readonly oldest: number } | null = null
  /** The head was read in this round, so the tail is next. */
  #headIsRead = false
  /** What was read before the desk was last closed has been read again. */
  #isReread = false
  /** Counts the periods that were wanted. */
  #turn = 0
  #nextRoundTicks = 0
  #nextHeadTicks = 0
  /** Since the last head: between two of them a tail gets on by one page at least. */
  #tailPages = 0
  /** Somebody wished for a round while a page was being read. */
  #isWished = false
  /** The tail has let somebody go first since then; null: it has not. */
  #yieldedTicks: number | null = null
  /** Older rows than that are being taken away; null: none are. */
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

  /** The line or the session may be back. */
  retryNow(): void {
    this.#backoff.reset()
    this.#nextRoundTicks = 0
    this.#isWished = true
    this.kick()
  }

  /** Another period is wanted: a walk to the old goal would claim what is being taken away meanwhile. */
  reachChanged(): void {
    this.#turn++
    this.#pass = null
    this.#suspended = null
    this.#headIsRead = false
    this.retryNow()
  }

  /** Looks for the newest now; resolves after the next page of them, whatever it brings. */
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
    // whoever waits may wait for the newest, which come after this one
    if (pass.kind === 'tail' && !this.#isWished && this.#yields()) return yieldMs
    this.#setSyncing(true)
    const outcome = await this.#readFor(pass)
    if (outcome.kind === 'ambiguous' && this.#shorten(pass, outcome.failure)) return breathMs
    this.#failure = outcome.kind === 'answer' ? null : outcome.failure
    if (outcome.kind !== 'answer') {
      this.#letWaitingGo()
      this.#backoff.failed()
      // a missing role does not come back within seconds
      if (isFinalRefusal(outcome)) this.#nextRoundTicks = clock.ticks() + options.everyMs
      return this.#rest(Math.max(this.#backoff.waitMs(), this.#nextRoundTicks - clock.ticks()))
    }
    this.#backoff.reset()
    if (this.#pass || !isWhole(this.#parts.store.state(), this.#goal())) return breathMs
    return this.#endRound()
  }

  /** Asks for the same rows in shorter pages, and leaves out one that is too large by itself; false: neither. */
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

  /** Who asks before a page of the newest is asked for hears of it; who asks later wants to know what is there then. */
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

  /** As far back as is wanted, and as there is room for. */
  #goal(): number {
    const { clock, reach, store } = this.#parts
    return Math.max(clock.now() - reach.days() * dayMs, store.keptFrom() ?? -Infinity)
  }

  /** The pass that is under way, unless it is a tail whose turn is over or that nobody needs any more. */
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
      // what was lost or taken away meanwhile would be a gap
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
    await store.put(rows, asOf, () => {
      // another period was chosen while the page was on its way
      if (turn !== this.#turn) return null
      const progress = advance(pass, page, store.state())
      written.push(progress)
      return progress.state
    })
    const next = written[0]?.pass ?? null
    if (turn === this.#turn) this.#goOn(pass, next && lengthened({ ...next, leftOut: 0 }, options.pageLength))
    return outcome
  }

  /** Behind a page of a pass; `next` null: the pass is over, or its rows were lost with the cache. */
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

  /** Older rows can wait while somebody waits for an answer, though not for ever. */
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

  /** Removes a few of the oldest rows while the cache is too large; true: there may be more. */
  #makeRoom(): boolean {
    if (this.#parts.store.makeRoom(trimRows) === 0) return false
    // a pass that is under way would read back what was removed
    this.#pass = null
    this.#suspended = null
    this.#parts.changed()
    return true
  }

  /** A few of the rows that are older than wanted; true: there may be more. */
  #trim(before: number): boolean {
    const { store, clock, changed } = this.#parts
    const gone = store.trim(before, clock.now() - saidMs, trimRows)
    if (gone > 0) changed()
    this.#trimBefore = gone > 0 ? before : null
    return gone > 0
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
