import { type Failure, failure } from '#shared/errors/catalogue.ts'
import type { Modification } from '#shared/wire/modification.ts'
import type { ApiPort, RecentQuery } from '../ports/api.ts'
import { isFinalRefusal } from '../service/answers.ts'
import type { Session } from '../service/session.ts'
import { WalkBudget } from '../service/walk-budget.ts'

export interface RecentModifications {
  /** Newest first, without lines; all that was read, also when the walk broke off. */
  readonly rows: readonly Modification[]
  /** By the service's clock where it says so; null: nothing was read. */
  readonly serviceTime: number | null
  /** The page at which the walk broke off; null: it reached its end, though some of its rows may be unreadable. */
  readonly brokeOffAt: number | null
  /** Why there may be more. */
  readonly trouble: { readonly failure: Failure; readonly isRefused: boolean } | null
}

/** When the writes were sent that are looked for, by the service's clock, milliseconds since 1970. */
export interface SentWindow {
  readonly first: number
  readonly last: number
}

const dayMs = 24 * 60 * 60_000
/** How far before a moment a modification may be dated and still count: the service's own machines differ a little. */
const marginMs = 10 * 60_000

/**
 * The service's modifications from ten minutes before the window on, whatever their status: the warehouse may have
 * approved them already. `window` null: those of the last ten minutes and `backMs` more, by the service's clock.
 */
export async function listRecentModifications(
  api: ApiPort,
  session: Session,
  window: SentWindow | null,
  localTime: number,
  backMs = 0,
): Promise<RecentModifications> {
  const rows: Modification[] = []
  let serviceTime: number | null = null
  const days = window ? { from: utcDay(window.first - dayMs), to: utcDay(window.last + dayMs) } : {}
  const walk = await walkModifications(api, session, days, (page, serverDate, budget) => {
    serviceTime ??= serverDate ?? localTime
    const edge = (window?.first ?? serviceTime - backMs) - marginMs
    const young = page.filter((one) => Date.parse(one.created_at) >= edge)
    if (!budget.mayKeep(young)) return 'too_much'
    rows.push(...young)
    return page.some((one) => Date.parse(one.created_at) < edge) ? 'enough' : 'go_on'
  })
  if (!walk.ok) {
    const { failure: cause, isRefused, page } = walk
    return { rows, serviceTime, brokeOffAt: page, trouble: { failure: cause, isRefused } }
  }
  // one of those that could not be read may be the one
  const unread = { failure: failure('api.malformed_answer'), isRefused: false }
  return { rows, serviceTime, brokeOffAt: null, trouble: walk.isComplete ? null : unread }
}

function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

type ModificationWalk =
  /** `isComplete` false: some of what was looked through could not be read. */
  | { readonly ok: true; readonly isComplete: boolean }
  /** `page`: at which it broke off. */
  | { readonly ok: false; readonly failure: Failure; readonly isRefused: boolean; readonly page: number }

const pageLength = 100
/** A list that is longer, or heavier than a walk may be, has no end, or none that this desk could hold. */
const mostRows = 20_000

/**
 * Goes through the service's modifications, newest first, page by page, until `visit` says that it has seen enough, or
 * that it would keep too much.
 * A service may cap the length of its pages without saying so: a page is the last only if it is empty or shorter than
 * one before it.
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
