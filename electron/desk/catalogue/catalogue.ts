import type { ArgsOf } from '#shared/bridge/contract.ts'
import type { LocationTypeList, MethodList } from '#shared/bridge/stock-views.ts'
import type { CatalogueOverview, CatalogueView } from '#shared/bridge/views.ts'
import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { ok, type Result } from '#shared/errors/result.ts'
import { toFailureView, isoTime } from '../view-parts.ts'
import { type Backoff, createBackoff, createWorker, type Worker } from '../timing/worker.ts'
import type { Line } from '../service/line.ts'
import type {
  CatalogueDetails,
  CatalogueStore,
  LotsNews,
  SyncEnd,
  SyncListener,
  SyncProgress,
  SyncRun,
} from '../ports/catalogue-store.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { ScopeValues } from '../ports/store.ts'
import { loginFailure, type Session } from '../service/session.ts'
import type { KeptShipments } from '../shipments/kept-shipments.ts'
import { withTimeout } from '../timing/calls.ts'

interface CatalogueParts {
  readonly store: CatalogueStore
  readonly values: ScopeValues
  /** The copies of shipments and return labels. The overview of the catalogue also shows their number and age. */
  readonly shipments: Pick<KeptShipments, 'view' | 'labelView' | 'keep' | 'skippedRows'>
  readonly session: Pick<Session, 'isSignedIn' | 'state' | 'access' | 'accessRefused'>
  readonly line: Pick<Line, 'observePage'>
  readonly clock: ClockPort
  /** Time between two checks for changed articles, in milliseconds. */
  readonly everyMs: Milliseconds
  /**
   * Maximum time for which `sync` waits for the end of its round, in milliseconds. Then `sync` returns the progress of
   * the round.
   */
  readonly waitMs: Milliseconds
  readonly changed: () => void
  readonly onFault: (error: unknown) => void
}

type FailedEnd = Extract<SyncEnd, { kind: 'failed' }>

/** Longest pause after a failed round, in milliseconds. */
const slowestTryMs = 60_000

/**
 * Keeps copies of the service's articles, shipping methods, location types and lots. A separate thread reads these
 * lists, one round at a time. This class decides when a round starts, provides tokens, and shows the progress.
 */
export class Catalogue {
  readonly #parts: CatalogueParts
  readonly #worker: Worker
  readonly #backoff: Backoff
  #run: SyncRun | null = null
  #progress: SyncProgress | null = null
  /** How the last round failed; null: it did not fail. */
  #failed: FailedEnd | null = null
  #lots: LotsNews = { rows: null, failure: null }
  readonly #lotsPeriod: LotsPeriod
  #nextRoundTicks = 0
  /** Whether another round was requested while a round was running. */
  #isWished = false
  #isClosed = false
  #waiting: (() => void)[] = []

  constructor(parts: CatalogueParts) {
    this.#parts = parts
    this.#lotsPeriod = createLotsPeriod(parts.values)
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
    this.#backoff = createBackoff(parts.clock, 2_000, slowestTryMs)
  }

  view(): CatalogueView {
    const { complete, variants, shippingMethods, locationTypes, asOf, skipped } = this.#parts.store.state()
    return {
      state: complete ? 'ready' : this.#run ? 'filling' : 'empty',
      variants,
      shippingMethods,
      locationTypes,
      asOf: asOf === null ? null : isoTime(asOf),
      progress: this.#progress && toProgressView(this.#progress),
      skipped,
      failure: toFailureView(this.#articlesFailure()),
    }
  }

  /** Why the articles are not up to date. A failure that ended the last round early counts, too. */
  #articlesFailure(): Failure | null {
    if (!this.#failed) return null
    const { lists, failure } = this.#failed
    return lists ? lists.variants : failure
  }

  overview(): CatalogueOverview {
    const { store, shipments, clock } = this.#parts
    const signedOut = loginFailure(this.#parts.session.state())
    const articles = signedOut ? { ...this.view(), failure: toFailureView(signedOut) } : this.view()
    const lots = signedOut ? { ...this.#lots, failure: signedOut } : this.#lots
    const news = { lots, failed: this.#failed }
    const overview = toOverview(articles, store.details(), news, this.#lotsPeriod, clock.now())
    const skippedRows = [...overview.skippedRows, ...shipments.skippedRows()]
    return {
      ...overview,
      shipments: shipments.view(),
      returnLabels: shipments.labelView(),
      skippedRows: skippedRows.sort((a, b) => Date.parse(b.seenAt) - Date.parse(a.seenAt)),
    }
  }

  /** Sets how many months of shipments are kept. */
  keepShipments({ months }: ArgsOf<'catalogue', 'keepShipments'>): CatalogueOverview {
    this.#parts.shipments.keep(months)
    return this.overview()
  }

  /** Sets how often all lots are read. */
  keepLots({ everyHours }: ArgsOf<'catalogue', 'keepLots'>): CatalogueOverview {
    this.#lotsPeriod.keep(everyHours)
    // starts a round now: if the operator has shortened the time between two reads, the next read of all lots may be
    // due already
    this.retryNow()
    return this.overview()
  }

  methods(): MethodList {
    const { rows, asOf } = this.#parts.store.methods()
    const methods = rows.map(({ id, code, description, shipper, shipper_code }) => ({
      id,
      code,
      description: description ?? code,
      shipper: shipper ?? shipper_code ?? '',
    }))
    return { methods, asOf: asOf === null ? null : isoTime(asOf) }
  }

  locationTypes(): LocationTypeList {
    const { rows, asOf } = this.#parts.store.locationTypes()
    const types = rows.map(({ id, code, name, transport, pickable }) => ({
      id,
      code,
      name,
      transport,
      pickable,
    }))
    return { types, asOf: asOf === null ? null : isoTime(asOf) }
  }

  kick(): void {
    this.#worker.kick()
  }

  /**
   * Starts a round now or, while a round is running, after its end. Ends the pause after earlier failures, because the
   * connection or the session may be back; if the running round fails, the pause after it still applies.
   */
  retryNow(): void {
    this.#backoff.reset()
    this.#nextRoundTicks = 0
    this.#isWished = true
    this.kick()
  }

  /**
   * Starts a round now or, while a round is running, after its end. Resolves when the requested round has ended. If
   * this takes longer than `waitMs`, resolves earlier with the progress. Fails if nobody is logged in or if the
   * articles could not be read; the overview shows the failures of the other lists.
   */
  async sync(): Promise<Result<CatalogueView>> {
    const { clock, waitMs } = this.#parts
    const signedOut = loginFailure(this.#parts.session.state())
    if (signedOut) return { ok: false, error: signedOut }
    const ended = new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.retryNow()
    await withTimeout(clock, waitMs, ended, () => undefined)
    const failed = this.#run ? null : this.#articlesFailure()
    return failed ? { ok: false, error: failed } : ok(this.view())
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#run?.stop()
    await this.#worker.close()
    this.#letWaitingGo()
  }

  async #step(): Promise<number | null> {
    const { session, clock, everyMs, changed } = this.#parts
    if (!session.isSignedIn || this.#isClosed) {
      this.#letWaitingGo()
      return null
    }
    const waitMs = Math.max(this.#backoff.waitMs(), this.#nextRoundTicks - clock.ticks())
    if (waitMs > 0) return Math.ceil(waitMs)
    const waiting = this.#waiting
    this.#waiting = []
    this.#isWished = false
    await this.#round()
      .then((end) => this.#observe(end))
      .finally(() => {
        for (const go of waiting) go()
      })
    changed()
    // if the pass over all lots has not ended, the next round follows at once: the round that just ended paused the
    // pass only because the changed articles must be read before further lots
    const isAtOnce = this.#failed !== null || this.#isWishedFor() || this.#lots.rows !== null
    this.#nextRoundTicks = isAtOnce ? 0 : clock.ticks() + everyMs
    return Math.ceil(Math.max(this.#backoff.waitMs(), this.#nextRoundTicks - clock.ticks()))
  }

  #isWishedFor(): boolean {
    return this.#isWished
  }

  async #round(): Promise<SyncEnd> {
    const { store, changed } = this.#parts
    this.#run = store.sync(this.#listener(), { lotsEveryMs: this.#lotsPeriod.ms() })
    changed()
    try {
      return await this.#run.ended
    } finally {
      this.#run = null
      this.#progress = null
    }
  }

  #observe(end: SyncEnd): void {
    // a round that ended early has interrupted the pass over all lots; a later round continues it
    if (end.kind === 'stopped' || isEarly(end)) this.#lots = { ...this.#lots, rows: null }
    if (end.kind === 'stopped') return
    this.#failed = end.kind === 'failed' ? end : null
    // the end of a round is no evidence about the connection, which is judged by each call of the round (`called`)
    if (end.kind === 'done') this.#backoff.reset()
    else this.#backoff.failed()
  }

  #listener(): SyncListener {
    const { session, line, clock, changed } = this.#parts
    return {
      called: (outcome, tookMs) => line.observePage(outcome, clock.ticks() - tookMs),
      access(refused) {
        if (refused !== null) session.accessRefused(refused)
        return session.access()
      },
      progress: (progress) => {
        this.#progress = progress
        changed()
      },
      lots: (news) => {
        this.#lots = news
        changed()
      },
      changed,
    }
  }

  #letWaitingGo(): void {
    for (const go of this.#waiting.splice(0)) go()
  }
}

function toProgressView({ rows, expected, rowsPerSecond }: SyncProgress): CatalogueView['progress'] {
  const left = expected === null || rowsPerSecond <= 0 ? null : Math.max(0, expected - rows) / rowsPerSecond
  return {
    rows,
    expected,
    rowsPerSecond: Math.round(rowsPerSecond),
    secondsLeft: left === null ? null : Math.ceil(left),
  }
}

/** Whether a round has failed before its end, so that the failure may concern each list. */
function isEarly(end: SyncEnd): boolean {
  return end.kind === 'failed' && !end.lists
}

/** The news that the rounds have reported: the state of the lots, and the failure of the last round. */
interface RoundNews {
  readonly lots: LotsNews
  readonly failed: FailedEnd | null
}

/**
 * Returns the overview of the data that the sync thread keeps, each list with its age, and the time of the next pass
 * over all lots. `now`: milliseconds since 1970.
 */
function toOverview(
  articles: CatalogueView,
  { fullReadAt, pageRows, lots, skippedRows }: CatalogueDetails,
  { lots: { rows, failure }, failed }: RoundNews,
  period: LotsPeriod,
  now: Instant,
): Omit<CatalogueOverview, 'shipments' | 'returnLabels'> {
  const nextAt = lots.asOf === null ? null : lots.asOf + period.ms()
  // a round that ends early does not reach the lots, so it reports no failure for them. If the lots are due, the
  // failure of the round counts as theirs
  const missed = failed && isEarly(failed) && (nextAt === null || nextAt < now) ? failed.failure : null
  const lists = failed?.lists
  return {
    articles,
    fullReadAt: timeOrNull(fullReadAt),
    fullReadFailure: toFailureView(lists?.fullRead ?? null),
    pageRows,
    lots: {
      state: rows !== null ? 'reading' : lots.asOf === null ? 'empty' : 'ready',
      count: lots.count,
      asOf: timeOrNull(lots.asOf),
      everyHours: period.hours(),
      nextAt: timeOrNull(nextAt),
      rowsRead: rows,
      failure: toFailureView(failure ?? missed),
    },
    methodsFailure: toFailureView(lists?.shippingmethods ?? null),
    typesFailure: toFailureView(lists?.locationtypes ?? null),
    skippedRows: skippedRows.map((row) => ({ ...row, seenAt: isoTime(row.seenAt) })),
  }
}

function timeOrNull(ms: Instant | null): string | null {
  return ms === null ? null : isoTime(ms)
}

/** The key under which each scope stores how often all lots are read. */
const key = 'catalogue.lots_every_hours'

const standardHours = 6
const hourMs = 3600_000

/**
 * The period after which all lots are read again. Each scope has its own setting, because the stocks of customers
 * differ much in size.
 */
interface LotsPeriod {
  hours(): number
  ms(): Milliseconds
  keep(hours: number): void
}

function createLotsPeriod(values: ScopeValues): LotsPeriod {
  const hours = (): number => {
    const kept = Number(values.read(key) ?? standardHours)
    return Number.isInteger(kept) && kept >= 1 && kept <= 168 ? kept : standardHours
  }
  return {
    hours,
    ms: () => hours() * hourMs,
    keep: (wanted) => values.write(key, String(wanted)),
  }
}
