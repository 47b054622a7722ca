import type { ApiOutcome, RecentQuery, RowPage, SkippedRow } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { IndexState, IndexStore } from '../ports/recent-store.ts'
import { isFinalRefusal, refusalReason } from '../service/answers.ts'
import type { Line } from '../service/line.ts'
import { loginFailure, type Session } from '../service/session.ts'
import { type Backoff, createBackoff, createWorker, type Worker } from '../timing/worker.ts'
import type { IndexOptions, IndexReach } from './index-reach.ts'
import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'
import {
  advance,
  beginHead,
  endedEarly,
  isFlooded,
  isStuck,
  isWhole,
  type Listed,
  type Pass,
  type Progress,
  queryOf,
  rewound,
} from './index-pass.ts'
import type { AgeClock } from '../timing/age-clock.ts'
import type { OperatorCalls } from '../timing/calls.ts'
import { saidAt } from '../timing/said-at.ts'
import { KnownRows } from './known-rows.ts'
import { failedAt, type FailedPage, isFirst, PageLengths, undone } from './page-lengths.ts'
import { type SeenSkippedRow, SkippedRows } from './skipped-rows.ts'
import { WalkOrder } from './walk-order.ts'

// this file has over 500 lines, because its methods are the parts of one step of the walker: what waits, what is read,
// what is stored and what is reported. The ideas that stand on their own have files: `walk-order.ts` decides which walk
// reads the next page, `page-lengths.ts` how long the page is, `page-pause.ts` how long a walk waits after it fails,
// `index-pass.ts` how the walk continues after the page, and `known-rows.ts` when known rows are read again

interface IndexWalkerParts<Row extends Listed> {
  /** Reads one page of the service's list, newest first. */
  readonly list: (access: string, query: RecentQuery) => Promise<ApiOutcome<RowPage<Row>>>
  readonly session: Pick<Session, 'isSignedIn' | 'state' | 'pageWithAccess'>
  readonly line: Pick<Line, 'isOffline' | 'isInDoubt'>
  readonly store: IndexStore<Row>
  readonly clock: ClockPort
  readonly age: Pick<AgeClock, 'now'>
  readonly reach: Pick<IndexReach, 'days'>
  readonly operatorCalls: Pick<OperatorCalls, 'areUnderWay'>
  readonly options: IndexOptions
  readonly changed: () => void
  /** Reports rows that were left out for the first time since the start of the desk. */
  readonly onSkipped: (rows: readonly SkippedRow[]) => void
  /**
   * Reports a failure that stops the walk. Reports the same failure only once, until a round without a failure has
   * ended.
   */
  readonly onStopped: (failure: Failure) => void
  readonly onFault: (error: unknown) => void
}

const dayMs = 24 * 3600_000
/** Pause before the next page, in milliseconds, so that waiting events, above all scans, run first. */
const breathMs = 1
/**
 * The walk through the older rows of the list waits while a call of an operator is under way. `yieldMs`: time between
 * two checks whether the call has ended. `longestYieldMs`: longest wait. Both in milliseconds.
 */
const yieldMs = 50
const longestYieldMs = 10_000
/** Maximum number of rows to remove in one step, so that the step is short. */
const trimRows = 200
/** Longest wait in milliseconds after the service has returned a list without end (`isFlooded`). */
const longestFloodMs = 3600_000
/**
 * Rows that the service returned less than this time ago are kept, even if they were created before the wanted period,
 * because an operator asked for them.
 */
const recentlySeenMs = 3600_000
/** Newer rows may be missing if the newest rows were read longer ago than this time in milliseconds. */
const freshMs = 3 * 60_000

export interface WalkView {
  readonly rows: number
  readonly state: IndexState | null
  /** The creation time back to which the copy of the list must reach, in milliseconds since 1970. */
  readonly goal: number
  /** Whether the desk's copy of the list contains all rows that were created since `goal`. */
  readonly isWhole: boolean
  /**
   * The creation time of the newest row of the known range, if newer rows may be missing. They may be missing in three
   * cases: the first walk through the newest rows since the start of the desk has not ended; more new rows than fit on
   * one page are being read; or the newest rows cannot be read, also without a login. Null: no such row is known to be
   * missing.
   */
  readonly gapSince: Instant | null
  readonly syncing: boolean
  /**
   * The failure that prevents progress of the walk, also at a page of older rows, or because no operator is logged in.
   * Null: the walk makes progress.
   */
  readonly failure: Failure | null
  /**
   * The rows that were left out since the start, because each of them was too large on its own. `count`: their number.
   * `before`: the creation time back to which the walk had read when it left out the last of these rows. If the walk
   * had read no row since its page 1, `before` is the start of the known range. Null: no row was left out, or neither
   * time was known.
   */
  readonly leftOut: { readonly count: number; readonly before: Instant | null }
}

/**
 * Keeps a copy of the newest rows of one of the service's lists, because the API cannot search the list by scanned
 * codes. Fills the copy from the newest row to older rows. After each page of older rows, stores the range of creation
 * times in which the copy has every row. This range does not include the last page, so an interruption loses only two
 * pages of older rows. Each step reads one page, so that a scan never waits for the walk. New rows are also read while
 * older rows are still missing. Known rows are read again slowly (`KnownRows`), because they may change.
 */
export class IndexWalker<Row extends Listed> {
  readonly #parts: IndexWalkerParts<Row>
  readonly #worker: Worker
  readonly #backoff: Backoff
  readonly #lengths: PageLengths
  readonly #order: WalkOrder
  readonly #knownRows: KnownRows<Row>
  #syncing = false
  #failure: Failure | null = null
  #leftOut: WalkView['leftOut'] = { count: 0, before: null }
  readonly #skipped = new SkippedRows()
  /** The code of the failure that was reported last; null: none since the last round without a failure. */
  #reported: string | null = null
  /** Whether a page has failed in this round. */
  #hasFailed = false
  /** Number of consecutive walks that ended because the list had no end. */
  #floods = 0
  #nextRoundTicks = 0
  #newestReadTicks = Number.NEGATIVE_INFINITY
  /** Whether a round was requested since page 1 of the newest rows was last requested. */
  #isWished = false
  /**
   * When the walk through older rows (tail) paused because a call of an operator was under way; null: it is not paused.
   */
  #yieldedTicks: number | null = null
  /** Rows created before this moment are being removed; null: no rows are being removed. */
  #trimBefore: number | null = null
  readonly #waiting: (() => void)[] = []

  constructor(parts: IndexWalkerParts<Row>) {
    this.#parts = parts
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
    this.#backoff = createBackoff(parts.clock, 2_000, parts.options.offlineEveryMs)
    this.#lengths = new PageLengths(parts.clock, parts.options.pageLength)
    this.#order = new WalkOrder({ ...parts, lengths: this.#lengths, goal: () => this.#goal() })
    this.#knownRows = new KnownRows<Row>({
      ...parts,
      everyMs: parts.options.everyMs,
      lengths: this.#lengths,
      list: (pass) => this.#list(pass),
      keep: (page, asOf, goal) => this.#keep(page, asOf, Math.max(goal, this.#goal()), null),
      mayRead: () =>
        parts.session.isSignedIn &&
        this.#failure === null &&
        this.#backoff.waitMs() === 0 &&
        !parts.operatorCalls.areUnderWay,
    })
  }

  view(): WalkView {
    const { store } = this.#parts
    const state = store.state()
    const goal = this.#goal()
    const mayHaveGap = this.#order.mayHaveGap || this.#failure !== null || this.#isStale()
    const gapSince = mayHaveGap && state ? state.newest : null
    return {
      rows: store.count(),
      state,
      goal,
      isWhole: isWhole(state, goal) && gapSince === null,
      gapSince,
      syncing: this.#syncing,
      failure: loginFailure(this.#parts.session.state()) ?? this.#failure ?? this.#order.pageFailure,
      leftOut: this.#leftOut,
    }
  }

  /**
   * Returns the newest rows that the desk could not read since its start, and the number of all such rows; `some`: the
   * number is unknown.
   */
  skipped(): { readonly count: number | 'some'; readonly newest: readonly SeenSkippedRow[] } {
    return { count: this.#skipped.count(), newest: this.#skipped.list() }
  }

  /** Whether the newest rows were not read for minutes, for example because the login has ended. */
  #isStale(): boolean {
    return this.#parts.clock.ticks() - this.#newestReadTicks > freshMs
  }

  kick(): void {
    this.#knownRows.kick()
    this.#worker.kick()
  }

  /**
   * Starts a round at once, without the remaining wait after a round or after failures. Called, for example, when the
   * connection or the session is back.
   */
  retryNow(): void {
    this.#order.endPauses()
    this.#askRound()
  }

  #askRound(): void {
    this.#backoff.reset()
    this.#nextRoundTicks = 0
    this.#isWished = true
    this.kick()
  }

  /**
   * Call it after the wanted period has changed. It starts the walk again: the desk removes the rows outside the new
   * period, and a walk for the old period would mark these rows as known.
   */
  reachChanged(): void {
    this.#order.startAgain()
    this.retryNow()
  }

  /**
   * Reads the newest rows now. Resolves after the next first page of the list, whatever its outcome. While more new
   * rows are read than fit on one page, resolves after their next page, because they may take longer than an operator
   * waits.
   */
  async refresh(): Promise<void> {
    if (!this.#parts.session.isSignedIn) return
    const read = new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#askRound()
    await read
  }

  async close(): Promise<void> {
    await Promise.all([this.#worker.close(), this.#knownRows.close()])
    this.#letWaitingGo()
  }

  async #step(): Promise<number | null> {
    const { session, clock } = this.#parts
    if (!session.isSignedIn) {
      this.#letWaitingGo()
      return this.#rest(null)
    }
    // an operator who waits for the newest rows does not also wait until thousands of old rows are removed
    if (this.#waiting.length === 0 && this.#removesRows()) return breathMs
    const waitMs = Math.max(this.#backoff.waitMs(), this.#nextRoundTicks - clock.ticks())
    if (waitMs > 0) return Math.ceil(waitMs)
    const pass = this.#order.next(this.#isWished)
    const isAwaited = this.#waiting.length > 0 && this.#order.hasPassedNewest(pass)
    const pausedMs = isAwaited ? 0 : this.#order.pausedMs(pass)
    if (pausedMs > 0) return this.#rest(this.#trimsOld() ? breathMs : pausedMs)
    // a page of older rows (tail) waits while a call of an operator is under way. It does not wait if a round was
    // requested: the call may itself wait for the newest rows (`refresh`), and the round reads these rows only after
    // this page
    if (pass.kind === 'tail' && !this.#isWished && this.#yields()) return yieldMs
    this.#setSyncing(true)
    const outcome = isAwaited ? await this.#readNewest(pass) : await this.#readFor(pass)
    if (!outcome) return breathMs
    if (outcome.kind !== 'answer') {
      this.#reportStop(outcome.failure)
      if (isAwaited || !this.#isOfPage(pass)) return this.#restAfter(pass, outcome)
      // if the service refused the page because of too many calls, reads of the newest rows wait too
      if (refusalReason(outcome) === 'too_many') this.#backoff.failed()
      return this.#order.pageFailed(pass, outcome.failure) ? this.#endHeadEarly(pass) : breathMs
    }
    this.#failure = null
    // a repeated page is no progress, so the waits between the tries become longer
    if (!this.#order.pass?.repeats) this.#backoff.reset()
    if (this.#order.pass || !isWhole(this.#parts.store.state(), this.#goal())) return breathMs
    return this.#endRound()
  }

  /** Whether a failure may concern only this page of the walk, so that the newest rows can still be read. */
  #isOfPage(pass: Pass): boolean {
    if (isFirst(pass) || this.#parts.line.isOffline()) return false
    // if the list has no end, its walk has been dropped, so `this.#order.pass` is null
    return this.#order.pass?.kind === pass.kind
  }

  /** Waits before the next try after a failure that concerns all pages. */
  #restAfter(pass: Pass, outcome: FailedPage): number | null {
    const { clock, options } = this.#parts
    this.#failure = outcome.failure
    this.#letWaitingGo()
    this.#backoff.failed()
    // the next round follows after the usual time, because neither of these failures ends within seconds: the operator
    // lacks the role, or several rows of the list fail one by one
    if (isFinalRefusal(outcome) || pass.unsure) this.#nextRoundTicks = clock.ticks() + options.everyMs
    return this.#rest(Math.max(this.#backoff.waitMs(), this.#nextRoundTicks - clock.ticks()))
  }

  /** Ends a walk through the newest rows (head) at a page that always fails. */
  async #endHeadEarly(pass: Pass): Promise<number | null> {
    const { store, clock } = this.#parts
    await store.put([], clock.now(), () => endedEarly(pass, store.state()))
    this.#order.headEndsEarly()
    this.#parts.changed()
    return isWhole(store.state(), this.#goal()) ? this.#endRound() : breathMs
  }

  #reportStop(failure: Failure): void {
    this.#hasFailed = true
    if (failure.code === this.#reported) return
    this.#reported = failure.code
    this.#parts.onStopped(failure)
  }

  /**
   * Continues the walk after a failed page, in shorter pages or without a row that fails on its own. Returns false if
   * the walk fails. `persists`: see `PageLengths.afterFailure`.
   */
  #continuesAfter(pass: Pass, outcome: FailedPage, persists: boolean): boolean {
    // the walk of this page no longer exists: an operator has chosen another period meanwhile, or the walk was rewound
    if (this.#order.pass !== pass) return false
    // if the connection is lost, it may be the cause, so the same page is requested when it is back
    const isOffline = this.#parts.line.isOffline()
    const { kind, pass: next } = isOffline
      ? failedAt(pass)
      : this.#lengths.afterFailure(pass, outcome, persists)
    if (kind === 'without_row') this.#leaveOut(next)
    else this.#order.replace(next)
    return kind !== 'fails'
  }

  /**
   * Leaves out the row that the walk could not read, and continues the walk after this row. The pages of the walk have
   * one row here.
   */
  #leaveOut(pass: Pass): void {
    const { store, clock } = this.#parts
    const next = advance(pass, { rows: [], length: 1, asOf: clock.now() }, store.state()).pass
    if (pass.unsure && next) {
      // the walk continues after this row, but this does not count as progress yet: only a page that the service
      // returns after the row shows that the row was the reason of the failure. If no such page follows, the walk tries
      // again from the first row that it left out in this way
      this.#order.replace(next)
      return
    }
    this.#noteLeftOut(pass, 1, ': too_large')
    this.#goOn(pass, next)
  }

  /** Notes rows that were left out of `pass` because each of them failed on its own. */
  #noteLeftOut(pass: Pass, rows: number, problem: string): void {
    const { store, clock } = this.#parts
    this.#note([{ id: null, problem }], clock.now())
    const { edge = Infinity } = pass
    const before = Number.isFinite(edge) ? edge : (store.state()?.oldest ?? null)
    this.#leftOut = { count: this.#leftOut.count + rows, before }
  }

  #note(skipped: readonly SkippedRow[], seenAt: Instant): void {
    const unknown = this.#skipped.add(skipped, seenAt)
    if (unknown.length > 0) this.#parts.onSkipped(unknown)
  }

  /**
   * Reads the next page of a pass. After page 1 of a head pass, which has the newest rows, resolves the calls of
   * `refresh` that began before the page was requested. A call that begins after this request needs newer rows, so it
   * waits for the next page 1 of a head pass. Returns null if the same rows must be requested in shorter pages at once,
   * or if a row was left out.
   */
  async #readFor(pass: Pass): Promise<ApiOutcome<unknown> | null> {
    const { line } = this.#parts
    const waiting = isFirst(pass) || this.#order.hasGap ? this.#waiting.splice(0) : []
    if (isFirst(pass)) this.#isWished = false
    try {
      // a lost connection also causes a timeout, and makes the connection doubtful. A second timeout in a row, after
      // another call has shown that the connection is good, shows that the service is too slow for this page. In the
      // same way, a server error may concern the whole service, until another call succeeds between two server errors
      const last = this.#order.failureOf(pass) ?? this.#failure
      const mayPersist = last !== null && !line.isInDoubt()
      const outcome = await this.#readPage(pass)
      if (outcome.kind === 'answer') return outcome
      const persists = mayPersist && last.code === outcome.failure.code
      if (!this.#continuesAfter(pass, outcome, persists)) return outcome
      // calls that wait for the newest rows now wait for the next page: the shorter page 1, or the page after the rows
      // that were left out, has these rows
      const next = this.#order.pass
      if (isFirst(pass) && next && isFirst(next)) this.#waiting.unshift(...waiting.splice(0))
      return null
    } finally {
      for (const go of waiting) go()
    }
  }

  /**
   * Reads page 1 in the page length with which a walk through the newest rows (head) begins, and resolves the calls of
   * `refresh` that began before. Changes neither the walk nor the known range, so the next head reads these rows again.
   */
  async #readNewest(pass: Pass): Promise<ApiOutcome<unknown>> {
    const waiting = this.#waiting.splice(0)
    this.#isWished = false
    this.#order.newestRequested()
    try {
      // a failed later page has shortened the pages of `pass`, but it does not show that page 1 is too long
      const first = beginHead(null, pass.goal, { ms: 0, rows: 0 })
      const outcome = await this.#list(this.#lengths.begin(first))
      if (outcome.kind !== 'answer') return outcome
      this.#newestReadTicks = this.#parts.clock.ticks()
      await this.#keep(outcome.value, saidAt(outcome, this.#parts.clock), pass.goal, null)
      this.#parts.changed()
      return outcome
    } finally {
      for (const go of waiting) go()
    }
  }

  #endRound(): number | null {
    const { clock, options } = this.#parts
    this.#order.roundEnded()
    this.#floods = 0
    if (!this.#hasFailed) this.#reported = null
    this.#hasFailed = false
    const isMore = this.#trimsOld()
    if (this.#isWished) return breathMs
    this.#nextRoundTicks = clock.ticks() + options.everyMs
    return this.#rest(isMore ? breathMs : options.everyMs)
  }

  /**
   * Returns the later of two moments: the start of the wanted period, and the moment before which rows were removed
   * because the cache was too large.
   */
  #goal(): number {
    const { clock, reach, store } = this.#parts
    return Math.max(clock.now() - reach.days() * dayMs, store.keptFrom() ?? -Infinity)
  }

  #list(pass: Pass): Promise<ApiOutcome<RowPage<Row>>> {
    const { list, session, options } = this.#parts
    const query = queryOf(pass, options.pageLength)
    return session.pageWithAccess((token) => list(token, query))
  }

  /** Stores the rows of a page that were created since `goal`. `reached`: see `IndexStore.put`. */
  async #keep(
    { rows, skipped }: RowPage<Row>,
    asOf: Instant,
    goal: number,
    reached: (() => IndexState | null) | null,
  ): Promise<void> {
    this.#skipped.readable(rows)
    this.#note(skipped, asOf)
    // rows created before `goal` are not wanted, and they are not stored: a service may list any number of them, and
    // each would be kept for an hour
    const wanted = rows.filter(({ created_at: at }) => Date.parse(at) >= goal)
    await this.#parts.store.put(wanted, asOf, reached)
  }

  async #readPage(pass: Pass): Promise<ApiOutcome<unknown>> {
    const { store, clock } = this.#parts
    // returns false if another period was chosen while the page was being read
    const isCurrent = (): boolean => this.#order.pass === pass
    const outcome = await this.#list(pass)
    if (outcome.kind !== 'answer') return outcome
    const { rows, skipped } = outcome.value
    const asOf = saidAt(outcome, clock)
    const page = { rows, length: rows.length + skipped.length, asOf }
    this.#lengths.returned(pass)
    if (pass.unsure) this.#noteLeftOut(pass, pass.leftOut ?? 0, ': unavailable')
    const again = undone(pass, page.length)
    if (again && isCurrent()) {
      this.#order.replace(again)
      return outcome
    }
    const isEndless = isFlooded(pass, page)
    if (isEndless || isStuck(pass, page)) {
      if (isCurrent() && isEndless) this.#endFlood()
      else if (isCurrent()) this.#order.replace(rewound(pass))
      return { kind: 'ambiguous', status: outcome.status, failure: failure('api.malformed_answer') }
    }
    const written: Progress[] = []
    await this.#keep(outcome.value, asOf, pass.goal, () => {
      if (!isCurrent()) return null
      const progress = advance(pass, page, store.state())
      written.push(progress)
      return progress.state
    })
    const next = written[0]?.pass ?? null
    if (isCurrent()) this.#goOn(pass, next && this.#lengths.afterPage(next))
    return outcome
  }

  /**
   * Ends the walk because its list has no end (`isFlooded`). The next walk begins at page 1, because the list may be
   * different then. It begins after a long wait, because each such walk reads many rows.
   */
  #endFlood(): void {
    const { clock, options } = this.#parts
    this.#order.startAgain()
    this.#floods++
    this.#nextRoundTicks = clock.ticks() + Math.min(longestFloodMs, options.everyMs * 2 ** this.#floods)
  }

  #goOn(pass: Pass, next: Pass | null): void {
    if (isFirst(pass)) this.#newestReadTicks = this.#parts.clock.ticks()
    this.#order.goOn(pass, next)
    this.#parts.changed()
  }

  /** Whether older rows must wait now, because a call of an operator is under way. The wait has a limit. */
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

  /** Removes a few rows if the cache is too large or has unwanted rows. Returns true if more rows may follow. */
  #removesRows(): boolean {
    return this.#makeRoom() || (this.#trimBefore !== null && this.#trim(this.#trimBefore))
  }

  /** Removes a few of the oldest rows if the cache is too large. Returns true if it may still be too large. */
  #makeRoom(): boolean {
    if (this.#parts.store.makeRoom(trimRows) === 0) return false
    this.#order.rowsRemoved()
    this.#parts.changed()
    return true
  }

  /** Removes a few rows that are older than the wanted period. Returns true if more such rows may be left. */
  #trimsOld(): boolean {
    const { age, reach } = this.#parts
    const now = age.now()
    return now !== null && this.#trim(now - reach.days() * dayMs)
  }

  /** Removes a few rows that were created before `before`. Returns true if more such rows may be left. */
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
