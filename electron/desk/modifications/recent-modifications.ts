import type { Instant } from '#shared/domain/instants.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'
import type { Modification } from '#shared/wire/modification.ts'
import type { ApiPort, RecentQuery } from '../ports/api.ts'
import { listMarginMs } from '../ports/commands.ts'
import { isFinalRefusal } from '../service/answers.ts'
import type { Session } from '../service/session.ts'
import { WalkBudget } from '../service/walk-budget.ts'

export interface RecentModifications {
  /**
   * The modifications without lines, newest first. If the walk failed, these are the modifications of the pages before
   * the failure.
   */
  readonly rows: readonly Modification[]
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
 * The period in which the wanted modifications were sent. Both times are milliseconds since 1970, by the service's
 * clock.
 */
export interface SentWindow {
  readonly first: number
  readonly last: number
}

const dayMs = 24 * 60 * 60_000

/**
 * Reads the service's modifications that were created after `window.first` minus `listMarginMs`. Without `window`,
 * reads the modifications that were created after the service's present time minus `backMs` minus `listMarginMs`.
 * Includes every status, because the warehouse may have approved a modification already. `localTime`: the time of this
 * PC, for a service without a Date header.
 */
export async function listRecentModifications(
  api: ApiPort,
  session: Session,
  window: SentWindow | null,
  localTime: number,
  backMs = 0,
): Promise<RecentModifications> {
  const rows: Modification[] = []
  let serviceTime: Instant | null = null
  const days = window ? { from: utcDay(window.first - dayMs), to: utcDay(window.last + dayMs) } : {}
  const walk = await walkModifications(api, session, days, (page, serverDate, budget) => {
    serviceTime ??= serverDate ?? localTime
    const edge = (window?.first ?? serviceTime - backMs) - listMarginMs
    const young = page.filter((one) => Date.parse(one.created_at) >= edge)
    if (!budget.mayKeep(young)) return 'too_much'
    rows.push(...young)
    return page.some((one) => Date.parse(one.created_at) < edge) ? 'enough' : 'go_on'
  })
  if (!walk.ok) {
    const { failure: cause, isRefused, page } = walk
    return { rows, serviceTime, brokeOffAt: page, trouble: { failure: cause, isRefused } }
  }
  // an unreadable row may be the wanted modification, so the result is incomplete
  const unread = { failure: failure('api.malformed_answer'), isRefused: false }
  return { rows, serviceTime, brokeOffAt: null, trouble: walk.isComplete ? null : unread }
}

function utcDay(ms: Instant): string {
  return new Date(ms).toISOString().slice(0, 10)
}

type ModificationWalk =
  /** The walk reached the last page, or `visit` returned `enough`. `isComplete` false: some rows were unreadable. */
  | { readonly ok: true; readonly isComplete: boolean }
  /** The walk failed at page number `page`. */
  | { readonly ok: false; readonly failure: Failure; readonly isRefused: boolean; readonly page: number }

const pageLength = 100
/** Maximum number of rows of a walk. A longer list has no end or does not fit this desk, so the walk fails. */
const mostRows = 20_000

/**
 * Reads the service's modifications page by page, newest first. Ends when `visit` returns `enough`; fails when it
 * returns `too_much`. A service may return shorter pages than requested. Therefore a page is the last one only if it is
 * empty or shorter than the page before it.
 */
export async function walkModifications(
  api: ApiPort,
  session: Session,
  window: Pick<RecentQuery, 'from' | 'to'>,
  visit: (
    page: readonly Modification[],
    serverDate: number | null,
    budget: WalkBudget,
  ) => 'go_on' | 'enough' | 'too_much',
): Promise<ModificationWalk> {
  const budget = new WalkBudget()
  let longest = 0
  let seen = 0
  let isComplete = true
  for (let page = 1; ; page++) {
    const query = { ...window, page, limit: pageLength }
    const outcome = await session.withAccess((token) => api.listModifications(token, query))
    if (outcome.kind !== 'answer')
      return { ok: false, failure: outcome.failure, isRefused: isFinalRefusal(outcome), page }
    const { rows, skipped } = outcome.value
    if (skipped.length > 0) isComplete = false
    const visited = budget.mayRead(rows) ? visit(rows, outcome.serverDate, budget) : 'too_much'
    if (visited === 'enough') return { ok: true, isComplete }
    const length = rows.length + skipped.length
    const isLast = length === 0 || length < longest
    if (isLast && visited !== 'too_much') return { ok: true, isComplete }
    seen += length
    if (seen > mostRows || visited === 'too_much')
      return { ok: false, failure: failure('api.malformed_answer'), isRefused: false, page }
    longest = length
  }
}
