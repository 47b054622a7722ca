import { idHash } from '#shared/domain/id-hash.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'
import type { Modification } from '#shared/wire/modification.ts'
import type { RecentQuery } from '../ports/api.ts'
import { listMarginMs } from '../ports/commands.ts'
import { isStoredAnswer, unlessStored, unreadList } from '../service/answers.ts'
import type { ListSource } from '../service/page-limit.ts'
import { WalkBudget } from '../service/walk-budget.ts'
import { newestOf, walkEnd } from '../service/walk-end.ts'

export interface RecentModifications {
  /**
   * The modifications without lines, in the order of the list: newest first, except those that only the second read of
   * a page contained. If the walk failed, these are the modifications of the pages before the failure.
   */
  readonly rows: readonly Modification[]
  /**
   * The modifications that were read but are too old for `rows`. A wanted modification may be among them, because the
   * service's Date header, the clock of this PC and the times of the records may come from different clocks.
   */
  readonly older: readonly Modification[]
  /**
   * When the first page was read: the Date header of the service or, without this header, the time of this PC. Null: no
   * page was read.
   */
  readonly serviceTime: Instant | null
  /** Number of the page at which the walk failed; null: the walk ended without a failure. */
  readonly brokeOffAt: number | null
  /** Why `rows` may be incomplete: the walk failed, or some rows were unreadable. Null: `rows` is complete. */
  readonly trouble: { readonly failure: Failure; readonly isRefused: boolean } | null
}

/**
 * The period in which the wanted modifications were sent. All times are milliseconds since 1970; `first` and `last` are
 * by the service's clock.
 */
export interface SentWindow {
  readonly first: number
  readonly last: number
  /** The same time as `first` or an earlier one, by the clock of this PC. Missing: the present time. */
  readonly firstLocal?: number
}

const dayMs = 24 * 60 * 60_000

/**
 * Reads the service's modifications of every status, because the warehouse may have approved a modification already.
 * The start is `window.first` minus `listMarginMs`; without `window`, it is the service's present time minus `backMs`
 * minus `listMarginMs`. `localTime`: the time of this PC, which replaces the service's present time if the service
 * sends no Date header. The start may be later than the wanted records, because its clock may be ahead of the times of
 * the service's records. Therefore the walk also reads older modifications (`walkEnd`). Modifications before the start
 * are in `older`.
 */
export async function listRecentModifications(
  source: ListSource,
  window: SentWindow | null,
  localTime: number,
  backMs = 0,
): Promise<RecentModifications> {
  // maps by id, because two pages, or two reads of the last page, may contain the same modification
  const rows = new Map<string, Modification>()
  const older = new Map<string, Modification>()
  let serviceTime: Instant | null = null
  let newest = Infinity
  // the query has no first day, so that the list shows older rows even if there are no recent rows
  const days = window ? { to: utcDay(window.last + dayMs) } : {}
  const walk = await walkModifications(source, days, (page, serverDate, budget) => {
    serviceTime ??= serverDate ?? localTime
    const since = window?.first ?? serviceTime - backMs
    const edge = since - listMarginMs
    if (newest === Infinity) newest = newestOf(page, { serviceTime, localTime })
    const sinceLocal = window?.firstLocal ?? localTime - backMs
    const end = walkEnd({ since, sinceLocal, serviceTime, localTime, newest })
    if (!budget.mayKeep(page)) return 'too_much'
    for (const one of page) (Date.parse(one.created_at) >= edge ? rows : older).set(one.id, one)
    return page.some((one) => Date.parse(one.created_at) < end) ? 'enough' : 'go_on'
  })
  const read = { rows: [...rows.values()], older: [...older.values()], serviceTime }
  if (!walk.ok) {
    const { failure: cause, isRefused, page } = walk
    return { ...read, brokeOffAt: page, trouble: { failure: cause, isRefused } }
  }
  // an unreadable row may be the wanted modification, so the result is incomplete
  const unread = { failure: failure('api.malformed_answer'), isRefused: false }
  return { ...read, brokeOffAt: null, trouble: walk.isComplete ? null : unread }
}

function utcDay(ms: Instant): string {
  return new Date(ms).toISOString().slice(0, 10)
}

type ModificationWalk =
  /** The walk reached the last page, or `visit` returned `enough`. `isComplete` false: some rows were unreadable. */
  | { readonly ok: true; readonly isComplete: boolean }
  /**
   * The walk failed at page number `page`. `isRefused`: this login has no right to list bookings. `isRepeated`: this
   * page has only rows of earlier pages, because the service ignores the page number.
   */
  | {
      readonly ok: false
      readonly failure: Failure
      readonly isRefused: boolean
      readonly page: number
      readonly isRepeated: boolean
    }

/** Maximum number of rows of a walk. A longer list has no end, or is too long for this desk, so the walk fails. */
const mostRows = 20_000

/**
 * Reads the service's modifications page by page, newest first. Ends when `visit` returns `enough`; fails when it
 * returns `too_much`, and at a page that has only rows of earlier pages. A service may return shorter pages than
 * requested. Therefore a page is the last one only if it is empty or shorter than an earlier page. A response that is
 * empty or too short by mistake looks like the last page too, so the walk reads the last page twice, and calls `visit`
 * for both responses.
 */
export async function walkModifications(
  { api, session, pageLimit }: ListSource,
  window: Pick<RecentQuery, 'from' | 'to'>,
  visit: (
    page: readonly Modification[],
    serverDate: number | null,
    budget: WalkBudget,
  ) => 'go_on' | 'enough' | 'too_much',
): Promise<ModificationWalk> {
  const budget = new WalkBudget()
  const readPage = pageLimit.begin()
  const listed = new Set<string>()
  let longest = 0
  let seen = 0
  let isComplete = true
  let isSecondRead = false
  const broken = (page: number, isRepeated: boolean): ModificationWalk => {
    return { ok: false, failure: failure('api.malformed_answer'), isRefused: false, page, isRepeated }
  }
  for (let page = 1; ; page += isSecondRead ? 0 : 1) {
    const outcome = unlessStored(
      await readPage(page, (limit) =>
        session.withAccess(
          (token) => api.listModifications(token, { ...window, page, limit }),
          'observePage',
        ),
      ),
    )
    // a second response from a cache is ignored, because it may be the first response again
    if (isSecondRead && isStoredAnswer(outcome)) return { ok: true, isComplete }
    if (outcome.kind !== 'answer') return { ok: false, ...unreadList(outcome), page, isRepeated: false }
    const { rows, skipped } = outcome.value
    const hashes = [...rows, ...skipped].map(({ id }) => id && idHash(id))
    // a page with only rows of earlier pages makes the walk fail, because the service ignores the page number. There
    // are two exceptions. The last page, which is empty or shorter than an earlier page, can have only rows of earlier
    // pages, because new rows move older rows to later pages. A second read of a page can return only rows of the first
    // read
    const isFull = hashes.length > 0 && hashes.length >= longest
    if (isFull && !isSecondRead && hashes.every((hash) => hash !== null && listed.has(hash)))
      return broken(page, true)
    for (const hash of hashes) if (hash !== null) listed.add(hash)
    if (skipped.length > 0) isComplete = false
    const visited = budget.mayRead(rows) ? visit(rows, outcome.serverDate, budget) : 'too_much'
    if (visited === 'enough') return { ok: true, isComplete }
    const { length } = hashes
    const isLast = length === 0 || length < longest
    if (isLast && isSecondRead && visited !== 'too_much') return { ok: true, isComplete }
    isSecondRead = isLast
    if (!isLast) seen += length
    if (seen > mostRows || visited === 'too_much') return broken(page, false)
    longest = Math.max(longest, length)
  }
}
