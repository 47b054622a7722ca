import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'
import { defaultPage } from '#shared/wire/listing.ts'
import type { Variant } from '#shared/wire/variant.ts'
import type { ApiOutcome, ApiPort, RowPage, SkippedRow } from '../ports/api.ts'
import type { ListFailures, SyncEnd, SyncListener } from '../ports/catalogue-store.ts'
import type { CatalogueFiles, FillState, VariantRows } from '../ports/catalogue-sync.ts'
import {
  advance,
  beginChanges,
  type ChangesWalk,
  hasLongPages,
  isAboutLength,
  isDrop,
  lengthOf,
  mustPlanAgain,
  noteHeavy,
  planWalk,
  queryOf,
  shortened,
  shorterThan,
  toPlanAgain,
  walk,
  type WalkPage,
  type WalkSource,
} from './list-walk.ts'
import { readLots } from './lots-round.ts'
import { ListFailed, RoundCalls, RoundEnded } from './round-calls.ts'

export interface RoundParts {
  readonly api: Pick<ApiPort, 'listVariants' | 'listShippingMethods' | 'listLocationTypes' | 'listAllBatches'>
  readonly files: CatalogueFiles
  readonly listener: Pick<SyncListener, 'access' | 'changed' | 'progress' | 'lots'>
  /** Returns the time of this PC, for responses without a Date header; milliseconds since 1970. */
  readonly now: () => Instant
  /** Returns the time of the monotonic clock, in milliseconds. */
  readonly ticks: () => number
  /**
   * All variants are read again after this time, in milliseconds, because the list of changes does not show removed
   * variants.
   */
  readonly fullEveryMs: Milliseconds
  /** All lots are read again after this time, in milliseconds, because the service has no list of changed lots. */
  readonly lotsEveryMs: Milliseconds
  readonly isStopped: () => boolean
}

/**
 * Maximum number of pages of changes in one round: two million changes with pages of 1,000 rows. If there are more
 * pages, their read fails, because the list has no end or a read of all variants takes less time than a read of the
 * changes.
 */
const mostChangePages = 2_000

/** An interrupted read of all variants is continued up to this age, in milliseconds. An older read starts again. */
const resumableMs = 6 * 3600_000

/**
 * Reads one round: the small lists, then the changed variants, then all variants if they are due, then lots for a
 * limited time if they are due. If the service does not return one list, the others are read nevertheless. Does not
 * throw if the service fails; throws if a file cannot be read or written.
 */
export async function readCatalogue(parts: RoundParts): Promise<SyncEnd> {
  try {
    await new Round(parts).run()
    return { kind: 'done' }
  } catch (error) {
    if (error instanceof RoundEnded) return error.end
    throw error
  } finally {
    parts.listener.progress(null)
  }
}

class Round {
  readonly #parts: RoundParts
  readonly #calls: RoundCalls

  constructor(parts: RoundParts) {
    this.#parts = parts
    this.#calls = new RoundCalls(parts)
  }

  async run(): Promise<void> {
    const { listener } = this.#parts
    const shippingmethods = await attempt(() => this.#readMethods())
    const locationtypes = await attempt(() => this.#readLocationTypes())
    listener.changed()
    const articles = await this.#readArticles()
    listener.changed()
    await readLots({ ...this.#parts, calls: this.#calls })
    const lists: ListFailures = { ...articles, shippingmethods, locationtypes }
    const failure = lists.variants ?? lists.fullRead ?? shippingmethods ?? locationtypes
    if (failure) this.#calls.end({ kind: 'failed', failure, lists })
  }

  async #readMethods(): Promise<void> {
    const { api, files } = this.#parts
    const methods = await this.#calls.ask((token) =>
      readPages((page) => api.listShippingMethods(token, page)),
    )
    files.putMethods({ ...methods.value, asOf: this.#calls.asOf(methods) })
  }

  async #readLocationTypes(): Promise<void> {
    const { api, files } = this.#parts
    const types = await this.#calls.ask((token) => api.listLocationTypes(token))
    const { rows, skipped } = types.value
    // the screen of locations identifies a type by its id
    const unique = [...new Map(rows.map((row) => [row.id, row])).values()]
    files.putLocationTypes({ ...firstOf({ rows: unique, skipped }), asOf: this.#calls.asOf(types) })
  }

  /**
   * Brings the articles up to date by their changes, and then reads all of them if this is due. The changes are read
   * first, so that the copy stays up to date if a complete read always fails. If the changes could not be read, a
   * complete read that succeeds contains them too.
   */
  async #readArticles(): Promise<Pick<ListFailures, 'variants' | 'fullRead'>> {
    const { files, listener, fullEveryMs } = this.#parts
    const { complete, watermark, fullReadAt } = files.facts()
    const isCopied = complete && watermark !== null
    const changes = isCopied ? await attempt(() => this.#update(watermark)) : null
    if (isCopied && fullReadAt !== null && !this.#calls.isOlder(fullReadAt, fullEveryMs))
      return { variants: changes, fullRead: null }
    const fullRead = await attempt(() => this.#readAll())
    if (fullRead === null) return { variants: null, fullRead }
    // a list that is too large is not kept: the next round would continue its read, and fail in the same way
    if (fullRead.code === 'catalogue.too_large') files.next.drop()
    listener.progress(null)
    return { variants: isCopied ? changes : fullRead, fullRead }
  }

  /** Reads the changes since the watermark into the file in use. */
  async #update(watermark: number): Promise<void> {
    const { files, listener } = this.#parts
    const startedAt = await this.#readChanges(watermark, (page) => {
      files.change(page)
      listener.changed()
    })
    files.settle(startedAt)
  }

  async #readAll(): Promise<void> {
    const { files, listener } = this.#parts
    const { next } = files
    const first = await this.#resumeOrBegin()
    const meter = new CatalogueMeter(this.#parts, first)
    await walk(this.#variants(), first, {
      keep: (page, state) => {
        next.add(page, state)
        meter.add(lengthOf(page))
      },
      isPaused: () => false,
    })
    next.index()
    // reads the variants that were created or changed during the read of all variants
    const watermark = await this.#readChanges(first.startedAt, (page) => next.change(page))
    next.publish(watermark, first.startedAt)
    listener.changed()
  }

  async #resumeOrBegin(): Promise<FillState> {
    const { files } = this.#parts
    const { complete, pageRows, variants } = files.facts()
    const known = complete ? variants : null
    const unfinished = files.next.resume()
    const earlier = unfinished && this.#calls.isOlder(unfinished.startedAt, resumableMs) ? null : unfinished
    if (earlier !== null && !mustPlanAgain(earlier))
      return pageRows === null ? earlier : shortened(earlier, pageRows)
    const { state, pageRows: given } = await planWalk(this.#variants(), pageRows, variants)
    if (given !== null) files.keepPageRows(given)
    files.next.begin()
    const isAccepted = earlier !== null || !isDrop(state, known)
    // stores the plan before the first page is read: if this page fails, the next round continues with shorter pages. A
    // new plan would return to long pages, because it tries them with the first page of the list
    files.next.add({ rows: [], skipped: [], asOf: state.startedAt }, isAccepted ? state : toPlanAgain(state))
    if (isAccepted) return state
    // the list seems too short, so this read fails. A later round that finds this plan within `resumableMs` plans
    // again, and then reads the list even if it still seems too short
    return this.#calls.fail(failure('api.malformed_answer'))
  }

  #variants(): WalkSource<Variant> {
    const { api, files } = this.#parts
    return {
      read: (query) =>
        this.#calls.page((token) =>
          api.listVariants(token, { sort: 'createdAt', direction: 'asc', ...query }),
        ),
      tooLong: (limit) => files.keepPageRows(shorterThan(limit) ?? limit),
      fail: (failure) => this.#calls.fail(failure),
    }
  }

  /**
   * Reads all changes since the watermark. Returns the moment when this read began, by the service's clock, as the next
   * watermark. Fails if there are more than `mostChangePages` pages.
   */
  async #readChanges(watermark: number, keep: (page: VariantRows) => void): Promise<number> {
    const { pageRows } = this.#parts.files.facts()
    let pages = 0
    for (let changes = beginChanges(watermark, pageRows); ;) {
      if (++pages > mostChangePages) return this.#calls.fail(failure('catalogue.too_large'))
      const { page, changes: asked } = await this.#changesPage(changes)
      const length = lengthOf(page)
      if (length > 0) keep(page)
      const facts = { length, oldestChange: oldestOf(page.rows), asOf: page.asOf }
      const step = advance(asked, facts, pageRows)
      changes = step.walk
      if (step.isOver) return changes.startedAt ?? watermark
    }
  }

  /**
   * Reads one page of changes. If the service refuses the first page, requests it again with a shorter length. If a
   * long page is too heavy, the read of changes fails, and the next round requests shorter pages.
   */
  async #changesPage(wanted: ChangesWalk): Promise<{ page: WalkPage<Variant>; changes: ChangesWalk }> {
    const { api } = this.#parts
    for (let changes = wanted; ;) {
      const query = queryOf(changes)
      const answer = await this.#calls.page((token) => api.listVariants(token, query))
      if (answer.kind === 'page') return { page: answer.page, changes }
      if (hasLongPages(changes)) noteHeavy(this.#variants(), answer, changes.limit)
      const mayHelp = answer.kind === 'refused' && isAboutLength(answer.status) && changes.page === 1
      const limit = mayHelp ? shorterThan(changes.limit) : null
      if (limit === null) return this.#calls.fail(answer.failure)
      changes = { ...changes, limit }
    }
  }
}

/** Reads a list. Returns why it failed; null: it succeeded. Rejects if the round must end. */
async function attempt(read: () => Promise<void>): Promise<Failure | null> {
  try {
    await read()
    return null
  } catch (error) {
    if (error instanceof ListFailed) return error.failure
    throw error
  }
}

function oldestOf(rows: readonly Variant[]): number {
  return rows.reduce((oldest, row) => Math.min(oldest, Date.parse(row.modified_at)), Infinity)
}

const mostSmallPages = 100
/**
 * Maximum number of readable rows to keep of a small list. The same maximum applies separately to the unreadable rows
 * of the list. A warehouse has a few hundred shipping methods.
 */
const mostSmallRows = 2_000

/**
 * Reads all pages of a small list. Ends early if a page has no new readable row, because a service without pages always
 * returns the same rows.
 */
async function readPages<Row extends { readonly id: string }>(
  read: (page: number) => Promise<ApiOutcome<RowPage<Row>>>,
): Promise<ApiOutcome<RowPage<Row>>> {
  const rows = new Map<string, Row>()
  const skipped = new Map<string, SkippedRow>()
  for (let page = 1; ; page++) {
    const outcome = await read(page)
    if (outcome.kind !== 'answer') return outcome
    const known = rows.size
    for (const row of outcome.value.rows) rows.set(row.id, row)
    for (const row of outcome.value.skipped) skipped.set(row.id ?? row.problem, row)
    const isShort = lengthOf(outcome.value) < defaultPage
    const isOver = rows.size >= mostSmallRows || skipped.size >= mostSmallRows
    if (isShort || isOver || rows.size === known || page === mostSmallPages)
      return { ...outcome, value: firstOf({ rows: [...rows.values()], skipped: [...skipped.values()] }) }
  }
}

function firstOf<Row>({ rows, skipped }: RowPage<Row>): RowPage<Row> {
  return { rows: rows.slice(0, mostSmallRows), skipped: skipped.slice(0, mostSmallRows) }
}

interface MeterParts {
  readonly listener: Pick<SyncListener, 'progress'>
  /** Returns the time of the monotonic clock, in milliseconds. */
  readonly ticks: () => number
}

/** Measures the progress of a read of all variants: rows read, rows expected, rows per second. */
class CatalogueMeter {
  readonly #parts: MeterParts
  readonly #startTicks: number
  readonly #startRows: number
  readonly #expected: number
  #rows: number

  constructor(parts: MeterParts, { expected, page, limit }: FillState) {
    this.#parts = parts
    this.#startTicks = parts.ticks()
    this.#expected = expected
    // pages are read from the last to the first, so all rows of the pages after the current one count as read
    this.#startRows = Math.max(0, expected - (page - 1) * limit)
    this.#rows = this.#startRows
    this.#report()
  }

  add(rows: number): void {
    this.#rows += rows
    this.#report()
  }

  #report(): void {
    const seconds = (this.#parts.ticks() - this.#startTicks) / 1000
    const rowsPerSecond = seconds > 0 ? (this.#rows - this.#startRows) / seconds : 0
    const expected = Math.max(this.#expected, this.#rows)
    this.#parts.listener.progress({ rows: this.#rows, expected, rowsPerSecond })
  }
}
