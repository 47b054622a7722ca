import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { IndexState, IndexStore } from '../ports/recent-store.ts'
import { beginHead, beginTail, hasGap, isWhole, type Pass } from './index-pass.ts'
import type { IndexOptions } from './index-reach.ts'
import type { PageLengths } from './page-lengths.ts'
import { PagePause } from './page-pause.ts'

interface WalkOrderParts {
  readonly store: Pick<IndexStore<never>, 'state'>
  readonly clock: Pick<ClockPort, 'ticks'>
  readonly options: Pick<IndexOptions, 'everyMs' | 'overlapMs' | 'rereadRows' | 'rereadRowsAtStart'>
  readonly lengths: Pick<PageLengths, 'begin'>
  /** Returns the creation time back to which the copy of the list must reach, in milliseconds since 1970. */
  readonly goal: () => number
}

const dayMs = 24 * 3600_000
/** A head ends after this number of failures of one page, about a minute after the first one. */
const mostTriesOfHead = 5

/**
 * The order of the walks through one list. A round first reads the newest rows (head), and then the older rows (tail)
 * until the copy contains all wanted rows. If newer rows are due or requested during a tail, a head interrupts it, and
 * the tail continues afterwards. At least one page of the current walk is read between two reads of the newest rows, so
 * that requests for newest rows do not stop the walk.
 *
 * After a failed page, a walk pauses (`PagePause`). While a tail pauses, newer rows are read as usual. If the page of a
 * head fails again and again, the head ends with the rows that it has read.
 */
export class WalkOrder {
  readonly #parts: WalkOrderParts
  #pass: Pass | null = null
  /** A tail that a head has interrupted, and the start of the known range of creation times at the interruption. */
  #suspended: { readonly pass: Pass; readonly oldest: Instant } | null = null
  /** Whether this round has read the newest rows (head), so that the tail is next. */
  #headIsRead = false
  #hasGap = false
  /** Whether the rows that were kept before the start of the desk were read again. */
  #isReread = false
  /**
   * The number of rows of a dropped walk, and the creation time of the newest row of its first page. The next walk
   * continues with these values, so that `isFlooded` finds a list without end.
   */
  #counted: { readonly rows: number | undefined; readonly since: Instant | undefined } | null = null
  #nextHeadTicks = 0
  /** Number of pages since the last page 1 of the newest rows, or since the last head ended. */
  #pages = 0
  readonly #pauses: Readonly<Record<Pass['kind'], PagePause>>

  constructor(parts: WalkOrderParts) {
    this.#parts = parts
    this.#pauses = { head: new PagePause(parts.clock), tail: new PagePause(parts.clock) }
  }

  /** The current walk at its next page; null: no walk has begun since the last one ended or was dropped. */
  get pass(): Pass | null {
    return this.#pass
  }

  /** Whether newer rows than the known range are known to be missing (`hasGap` of index-pass.ts). */
  get hasGap(): boolean {
    return this.#hasGap
  }

  /** Whether newer rows than the known range may be missing. */
  get mayHaveGap(): boolean {
    return this.#hasGap || !this.#isReread
  }

  /** Why a page of a walk fails, other than page 1 of the newest rows; null: no such page fails. */
  get pageFailure(): Failure | null {
    return this.#pauses.head.failure ?? this.#pauses.tail.failure
  }

  failureOf({ kind }: Pass): Failure | null {
    return this.#pauses[kind].failure
  }

  /**
   * Milliseconds until a step continues with this walk or with the newest rows; 0: it continues now. `pass`: the
   * current walk.
   */
  pausedMs({ kind }: Pass): Milliseconds {
    const pausedMs = this.#pauses[kind].waitMs()
    if (kind === 'head') return pausedMs
    return Math.min(pausedMs, Math.max(0, Math.ceil(this.#nextHeadTicks - this.#parts.clock.ticks())))
  }

  /**
   * Whether a head has passed the newest rows and either only reads known rows again, for example the rows of two days
   * after a start, or pauses. Both may take longer than an operator waits for the newest rows.
   */
  hasPassedNewest({ kind, page }: Pass): boolean {
    if (kind !== 'head' || page === 1) return false
    return this.#pauses.head.waitMs() > 0 || (this.#pages > 0 && !this.#hasGap)
  }

  /**
   * Returns the current walk. Returns a new walk if the tail, also one that has not begun, must now wait for the newest
   * rows, or if the copy already contains all wanted rows. `isRequested`: whether the newest rows were requested.
   */
  next(isRequested: boolean): Pass {
    const { store, clock, goal } = this.#parts
    const known = store.state()
    const mayInterrupt = this.#pages > 0 || this.#pauses.tail.waitMs() > 0
    const isDue = mayInterrupt && (isRequested || clock.ticks() >= this.#nextHeadTicks)
    if (this.#pass?.kind !== 'head' && (isDue || isWhole(known, goal()))) {
      if (this.#pass) this.#suspended = known && { pass: this.#pass, oldest: known.oldest }
      this.#pass = null
      this.#headIsRead = false
    }
    if (this.#pass) return this.#pass
    const { rows, since } = this.#counted ?? {}
    this.#counted = null
    this.#pass = { ...this.#begin(known), ...(rows !== undefined && since !== undefined && { rows, since }) }
    return this.#pass
  }

  #begin(known: IndexState | null): Pass {
    const { options, lengths } = this.#parts
    const goal = this.#parts.goal()
    if (known && this.#headIsRead && !isWhole(known, goal)) {
      // continues the interrupted tail only if no rows were lost or removed meanwhile, because otherwise a gap would
      // remain in the copied rows
      const goesOn = this.#suspended?.oldest === known.oldest ? this.#suspended.pass : null
      this.#suspended = null
      return goesOn ?? lengths.begin(beginTail(known, goal))
    }
    const overlap = {
      ms: this.#isReread ? options.overlapMs : options.overlapMs + 2 * dayMs,
      rows: this.#isReread ? options.rereadRows : options.rereadRowsAtStart,
    }
    return lengths.begin(beginHead(known, goal, overlap))
  }

  /** Continues the current walk at another page or in another page length. */
  replace(pass: Pass): void {
    this.#pass = pass
  }

  /**
   * Call it after a page of `pass`. `next`: the same pass with its next page; null: the pass is over, or it ends
   * because the cache with the rows of the list was lost.
   */
  goOn(pass: Pass, next: Pass | null): void {
    const { store } = this.#parts
    // a repeated page is no progress, so the pauses become longer
    if (!next?.repeats) this.#pauses[pass.kind].end()
    this.#pass = next
    this.#pages++
    if (pass.kind === 'head') {
      if (pass.page === 1) this.#pages = 0
      // a walk that starts again at page 1 has not reached the known range yet, so `#hasGap` does not change
      if (next?.page !== 1) this.#hasGap = next !== null && hasGap(next, store.state())
      if (!next) this.#headEnded()
    } else if (!next) this.#headIsRead = store.state() !== null
  }

  /**
   * Call it after a page has failed, except page 1 of the newest rows. Returns whether a walk through the newest rows
   * must end now (`headEndsEarly`), because its page has failed too often.
   */
  pageFailed({ kind }: Pass, why: Failure): boolean {
    const pause = this.#pauses[kind]
    pause.begin(why)
    return kind === 'head' && pause.tries >= mostTriesOfHead
  }

  /** Ends a head whose page fails. The next walk reads older rows, if some are missing, until a head is due again. */
  headEndsEarly(): void {
    this.#pauses.head.end()
    this.#pass = null
    this.#hasGap = false
    this.#headEnded()
  }

  /** Notes that a head has ended. The next walk is a tail, if older rows are missing. */
  #headEnded(): void {
    const { store, clock, options } = this.#parts
    this.#isReread = true
    this.#pages = 0
    this.#nextHeadTicks = clock.ticks() + options.everyMs
    this.#headIsRead = store.state() !== null
  }

  /** Continues the walks without the pauses after failed pages, because the reason of the failures may have ended. */
  endPauses(): void {
    this.#pauses.head.end()
    this.#pauses.tail.end()
  }

  /** Call it when page 1 of the newest rows is requested apart from the walk. */
  newestRequested(): void {
    this.#pages = 0
  }

  /** Call it when the copy contains all wanted rows. The next round begins with the newest rows. */
  roundEnded(): void {
    this.#headIsRead = false
    this.#pauses.tail.end()
  }

  /** Drops all walks. The next round begins with the newest rows. */
  startAgain(): void {
    this.#pass = null
    this.#suspended = null
    this.#headIsRead = false
    this.endPauses()
  }

  /**
   * Call it when rows were removed because the cache was too large. Drops the walks, because they would read the
   * removed rows again. After a dropped head, the next walk continues its count of rows. If each walk counted from 0,
   * the walks through a list without end would never reach the limit of `isFlooded`, and would fill the cache again and
   * again.
   */
  rowsRemoved(): void {
    if (this.#pass?.kind === 'head') this.#counted = { rows: this.#pass.rows, since: this.#pass.since }
    this.#pass = null
    this.#suspended = null
  }
}
