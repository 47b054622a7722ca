import { type Failure, failure } from '#shared/errors/catalogue.ts'
import type { Modification } from '#shared/wire/modification.ts'
import { walkModifications } from './modification-walk.ts'
import type { ApiPort } from '../ports/api.ts'
import type { Session } from '../service/session.ts'

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
  const walk = await walkModifications(api, session, days, (page, serverDate) => {
    serviceTime ??= serverDate ?? localTime
    const edge = (window?.first ?? serviceTime - backMs) - marginMs
    rows.push(...page.filter((one) => Date.parse(one.created_at) >= edge))
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
