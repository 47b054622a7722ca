import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import type { ApiOutcome, RowPage } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { IndexState, IndexStore } from '../ports/recent-store.ts'
import { saidAt } from '../timing/said-at.ts'
import { createWorker, type Worker } from '../timing/worker.ts'
import { advance, beginTail, isFlooded, isStuck, type Listed, type Pass } from './index-pass.ts'
import { isAboutLength } from '../catalogue/list-walk.ts'
import type { PageLengths } from './page-lengths.ts'

interface KnownRowsParts<Row> {
  /** Reads one page of the service's list. */
  readonly list: (pass: Pass) => Promise<ApiOutcome<RowPage<Row>>>
  /** Stores the rows of a page without a change of the known range. */
  readonly keep: (page: RowPage<Row>, asOf: Instant, goal: number) => Promise<void>
  readonly store: Pick<IndexStore<Row>, 'state'>
  readonly clock: ClockPort
  readonly lengths: Pick<PageLengths, 'begin' | 'afterFailure' | 'returned'>
  /** Whether a page of known rows may be read now. */
  readonly mayRead: () => boolean
  /** Time between the reads of two pages, in milliseconds. */
  readonly everyMs: Milliseconds
  readonly onFault: (error: unknown) => void
}

/** A walk through the known rows, and the range of creation times that it has read. */
interface KnownWalk {
  readonly pass: Pass
  readonly read: IndexState
  /** Number of consecutive pages that have failed. */
  readonly failed: number
}

const hourMs = 3600_000
/** Rows that were created earlier than this time ago are not read again. In milliseconds. */
const reachMs = 30 * 24 * hourMs
/** Time from the start of the desk to the first walk, and between the beginnings of two walks, in milliseconds. */
const firstWalkMs = hourMs
const nextWalkMs = 6 * hourMs
/** A walk ends after this number of consecutive failed pages. */
const mostFailed = 3

/**
 * Reads the known rows of the last 30 days again, one page a minute, because a row may change long after its creation:
 * a return label has its codes only from the time when it is requested, and the service's list cannot be sorted by
 * changes. A failed page is left out, because its rows are known.
 */
export class KnownRows<Row extends Listed> {
  readonly #parts: KnownRowsParts<Row>
  readonly #worker: Worker
  /** The current walk through the known rows. Null: no walk has begun, or the last walk has ended. */
  #walk: KnownWalk | null = null
  #nextWalkTicks: number
  #nextPageTicks = 0

  constructor(parts: KnownRowsParts<Row>) {
    this.#parts = parts
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
    this.#nextWalkTicks = parts.clock.ticks() + firstWalkMs
  }

  kick(): void {
    this.#worker.kick()
  }

  close(): Promise<void> {
    return this.#worker.close()
  }

  async #step(): Promise<number> {
    const { clock, mayRead, everyMs } = this.#parts
    const waitMs = Math.ceil(this.#nextPageTicks - clock.ticks())
    if (waitMs > 0) return waitMs
    this.#nextPageTicks = clock.ticks() + everyMs
    if (!mayRead()) return everyMs
    this.#walk ??= this.#begin()
    if (this.#walk) await this.#readPage(this.#walk)
    return everyMs
  }

  #begin(): KnownWalk | null {
    const { store, clock, lengths } = this.#parts
    const known = store.state()
    if (!known || clock.ticks() < this.#nextWalkTicks) return null
    this.#nextWalkTicks = clock.ticks() + nextWalkMs
    const goal = Math.max(known.oldest, clock.now() - reachMs)
    const read = { ...known, oldest: known.newest }
    return { pass: lengths.begin(beginTail(read, goal)), read, failed: 0 }
  }

  async #readPage({ pass, read, failed }: KnownWalk): Promise<void> {
    const { list, keep, clock, lengths } = this.#parts
    const outcome = await list(pass)
    if (outcome.kind !== 'answer') {
      // continues with a shorter page if the service refuses this one as too long: the learned page length is valid for
      // an hour only, so a walk may begin with a page that is too long
      if (outcome.kind === 'refused' && isAboutLength(outcome.status)) {
        const after = lengths.afterFailure(pass, outcome, false)
        if (after.kind === 'shorter') {
          this.#walk = { pass: after.pass, read, failed }
          return
        }
      }
      const next = { ...pass, page: pass.page + 1 }
      this.#walk = failed + 1 < mostFailed ? { pass: next, read, failed: failed + 1 } : null
      return
    }
    const { rows, skipped } = outcome.value
    const asOf = saidAt(outcome, clock)
    const page = { rows, length: rows.length + skipped.length, asOf }
    this.#walk = null
    lengths.returned(pass)
    if (isFlooded(pass, page) || isStuck(pass, page)) return
    await keep(outcome.value, asOf, pass.goal)
    const { pass: next, state } = advance(pass, page, read)
    this.#walk = next && { pass: { ...next, refused: null }, read: state ?? read, failed: 0 }
  }
}
