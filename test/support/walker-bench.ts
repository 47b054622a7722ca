import type { ApiOutcome, RecentQuery, RowPage } from '#desk/ports/api.ts'
import type { IndexState, IndexStore } from '#desk/ports/recent-store.ts'
import { createLine } from '#desk/service/line.ts'
import { shipmentIndexOptions } from '#desk/shipments/index-reach.ts'
import { IndexWalker } from '#desk/shipments/index-walker.ts'
import type { Listed } from '#desk/shipments/index-pass.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { fakeClock } from './desk-fakes.ts'

const hourMs = 3600_000
const unsent: ApiOutcome<never> = { kind: 'not_sent', failure: failure('network.offline') }
const timeout: ApiOutcome<never> = { kind: 'ambiguous', status: null, failure: failure('network.timeout') }
/** The outcome of a call that the service has answered with the status 500. */
export const broken: ApiOutcome<never> = {
  kind: 'ambiguous',
  status: 500,
  failure: failure('api.unavailable', { status: 500 }),
}
const greeting: ApiOutcome<null> = { kind: 'answer', status: 200, value: null, serverDate: null }

interface Row extends Listed {
  readonly id: number
}

/**
 * `weightOf`: the weight of a row. The weights of a page must add up to less than 10, so a row of weight 10 fits on no
 * page. `mostRows`: the maximum number of rows that the service returns in a page. `ignoresPage`: the service returns
 * the first page for each page number. `isUnsorted`: it reverses the rows of every second page. `mostLength`: it
 * refuses longer pages with the status `refusal`. `quickLength`: longer pages time out. `unreadable`: the ids of rows
 * that cannot be read. `isUnreadable`: no row can be read. `misdated`: the id of a row that the service lists in its
 * place, but with the year 1970. `flood`: if it is a number, the list has no last page, and each page has new rows,
 * which are older than those of the page before by this number of milliseconds. `broken`: the ids of rows whose pages
 * fail with the status 500; `timesOut`: these pages time out instead. `failing`: returns the outcome of a query that
 * fails, null for other queries.
 */
interface ListService {
  weightOf: (id: number) => number
  mostRows: number
  ignoresPage: boolean
  isUnsorted: boolean
  mostLength: number
  refusal: number
  quickLength: number
  unreadable: readonly number[]
  isUnreadable: boolean
  misdated: number | null
  flood: number | null
  broken: readonly number[]
  timesOut: boolean
  failing: (query: RecentQuery) => ApiOutcome<never> | null
}

interface WalkerBench {
  readonly clock: ReturnType<typeof fakeClock>
  /** The time at which the newest of the first rows was created. */
  readonly start: number
  readonly walker: IndexWalker<Row>
  readonly wanted: {
    days: number
    busy: boolean
    online: boolean
    signedIn: boolean
    ageAheadMs: number
    mostRows: number
  }
  readonly service: ListService
  readonly queries: RecentQuery[]
  /** The unreadable rows and the codes of failures that the walker has reported. */
  readonly reports: unknown[]
  readonly kept: Map<number, Row & { asOf: number }>
  readonly store: IndexStore<Row>
  readonly run: (ms: number) => Promise<void>
  /** Adds a row to the service's list, created now. */
  readonly arrive: (id: number) => void
}

/**
 * Returns an index walker with a store in memory and a service with `rows` rows, one every `everyHours` hours, whose
 * faults a test can set.
 */
export function walkerBench(rows: number, everyHours: number, pageLength = 10): WalkerBench {
  const clock = fakeClock()
  const start = clock.now()
  const listed: Row[] = Array.from({ length: rows }, (_, id) => made(id, start - id * everyHours * hourMs))
  const kept = new Map<number, Row & { asOf: number }>()
  let state: IndexState | null = null
  let keptFrom: number | null = null
  const queries: RecentQuery[] = []
  const reports: unknown[] = []
  const wanted = { days: 100, busy: false, online: true, signedIn: true, ageAheadMs: 0, mostRows: Infinity }
  const service: ListService = {
    weightOf: () => 0,
    mostRows: Infinity,
    ignoresPage: false,
    isUnsorted: false,
    mostLength: Infinity,
    refusal: 400,
    quickLength: Infinity,
    unreadable: [],
    isUnreadable: false,
    misdated: null,
    flood: null,
    broken: [],
    timesOut: false,
    failing: () => null,
  }
  const line = createLine(clock, () => undefined)
  // one second after the connection is in doubt, another call tries the connection
  line.onDoubt(() => {
    clock.after(1_000, () => line.observe(wanted.online ? greeting : unsent))
  })
  line.observe(greeting)
  let floodId = 0
  const store: IndexStore<Row> = {
    count: () => kept.size,
    state: () => state,
    async put(page, asOf, reached) {
      for (const row of page) {
        await new Promise((resolve) => setImmediate(resolve))
        kept.set(row.id, { ...row, asOf })
      }
      state = reached?.() ?? state
    },
    makeRoom(most) {
      const over = Math.min(kept.size - wanted.mostRows, most)
      const oldest = [...kept.values()].sort((a, b) => a.created_at.localeCompare(b.created_at))
      for (const { id, created_at: at } of oldest.slice(0, Math.max(0, over))) {
        kept.delete(id)
        keptFrom = Date.parse(at) + 1
        if (state) state = { ...state, oldest: keptFrom }
      }
      return Math.max(0, over)
    },
    keptFrom: () => keptFrom,
    trim(before, said, most) {
      if (state && state.oldest < before) state = { ...state, oldest: before }
      const old = [...kept.values()].filter((row) => Date.parse(row.created_at) < before && row.asOf < said)
      for (const { id } of old.slice(0, most)) kept.delete(id)
      return Math.min(old.length, most)
    },
  }
  const list = (_: string, query: RecentQuery): Promise<ApiOutcome<RowPage<Row>>> => {
    queries.push(query)
    const failed = service.failing(query)
    if (failed) return Promise.resolve(failed)
    // the connection is lost without notice, so the first page times out
    if (!wanted.online) return Promise.resolve(line.isOffline() ? unsent : timeout)
    if (query.limit > service.mostLength)
      return Promise.resolve({
        kind: 'refused',
        status: service.refusal,
        failure: failure('api.rejected', { status: service.refusal }),
        serverDate: clock.now(),
      })
    if (query.limit > service.quickLength) return Promise.resolve(timeout)
    const { from = '', to = '9999' } = query
    const length = Math.min(query.limit, service.mostRows)
    const found = listed
      .filter(({ created_at: at }) => at.slice(0, 10) >= from && at.slice(0, 10) <= to)
      .sort((a, b) => b.created_at.localeCompare(a.created_at))
      .slice(...(service.ignoresPage ? [0, length] : [(query.page - 1) * length, query.page * length]))
    if (found.some(({ id }) => service.broken.includes(id)))
      return Promise.resolve(service.timesOut ? timeout : broken)
    if (found.reduce((sum, { id }) => sum + service.weightOf(id), 0) >= 10)
      return Promise.resolve({
        kind: 'ambiguous',
        status: 200,
        failure: failure('api.malformed_answer', { host: 'wms.test', cause: 'TOO_LARGE' }),
      })
    const wrong = found.findIndex(({ id }) => id === service.misdated)
    if (wrong >= 0) found[wrong] = made(found[wrong]?.id ?? 0, 0)
    if (service.isUnsorted && queries.length % 2 === 0) found.reverse()
    if (service.flood !== null) {
      const at = clock.now() - service.flood * query.page
      found.splice(0, Infinity, ...Array.from({ length }, () => made(--floodId, at)))
    }
    const value = service.isUnreadable
      ? { rows: [], skipped: found.map(({ id }) => ({ id: String(id), problem: 'id: invalid_type' })) }
      : {
          rows: found.filter(({ id }) => !service.unreadable.includes(id)),
          skipped: service.unreadable
            .filter((id) => found.some((row) => row.id === id))
            .map((id) => ({ id: String(id), problem: 'reference: invalid_type' })),
        }
    return Promise.resolve({
      kind: 'answer',
      status: 200,
      value,
      serverDate: clock.now(),
    })
  }
  const walker = new IndexWalker<Row>({
    list,
    store,
    clock,
    age: { now: () => clock.now() + wanted.ageAheadMs },
    session: {
      get isSignedIn() {
        return wanted.signedIn
      },
      state: () => ({
        state: wanted.signedIn ? 'signed_in' : 'expired',
        username: null,
        roles: [],
        customer: null,
        keepsLogin: true,
      }),
      async pageWithAccess(call) {
        const begunTicks = clock.ticks()
        const outcome = await call('token')
        line.observePage(outcome, begunTicks)
        return outcome
      },
    },
    reach: { days: () => wanted.days },
    operatorCalls: {
      get areUnderWay() {
        return wanted.busy
      },
    },
    options: { ...shipmentIndexOptions, pageLength },
    changed: () => undefined,
    line,
    onSkipped: (rows) => void reports.push(...rows),
    onStopped: ({ code }) => void reports.push(code),
    onFault: (error) => {
      throw error
    },
  })
  /** Advances the clock by `ms` milliseconds, one at a time, and lets the walker continue after each of them. */
  const run = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed++) {
      for (let turn = 0; turn < 14; turn++) await new Promise((resolve) => setImmediate(resolve))
      clock.advance(1)
    }
  }
  const arrive = (id: number): void => void listed.push(made(id, clock.now()))
  return { clock, start, walker, wanted, service, queries, reports, kept, store, run, arrive }
}

const made = (id: number, at: number): Row => ({ id, created_at: new Date(at).toISOString() })
