import type { Shipment } from '#shared/wire/shipment.ts'
import type { RecentQuery } from './ports/api.ts'
import type { IndexState } from './ports/store.ts'

/**
 * One walk through the service's list, newest first. Head: from now back to what is known. Tail: from the oldest known
 * back to the goal. Rows that arrive meanwhile push others to a later page: they are then read twice, never missed.
 */
export type Pass = HeadPass | TailPass

interface Walk {
  /** Nothing older is wanted; milliseconds since 1970, like every time here. */
  readonly goal: number
  readonly page: number
}

interface HeadPass extends Walk {
  readonly kind: 'head'
  /** The newest creation time seen in this walk; null before its first page. */
  readonly newest: number | null
  /** Where it meets what is known; null when nothing is. */
  readonly until: number | null
}

interface TailPass extends Walk {
  readonly kind: 'tail'
  readonly from: number
}

/** `overlapMs`: how much of what is known is read again. */
export function beginHead(known: IndexState | null, goal: number, overlapMs: number): Pass {
  return { kind: 'head', goal, page: 1, newest: null, until: known && known.newest - overlapMs }
}

export function beginTail(known: IndexState, goal: number): Pass {
  return { kind: 'tail', goal, page: 1, from: known.oldest }
}

export function queryOf(pass: Pass, limit: number): RecentQuery {
  const query = { from: dayOf(pass.goal), page: pass.page, limit }
  return pass.kind === 'head' ? query : { ...query, to: dayOf(pass.from) }
}

export interface Page {
  readonly shipments: readonly Shipment[]
  /** Shorter than asked for: nothing follows. */
  readonly isLast: boolean
  readonly asOf: number
}

/** What a page leads to: the pass that goes on (null: it is over) and the stretch now known (null: as before). */
export interface Progress {
  readonly pass: Pass | null
  readonly state: IndexState | null
}

export function advance(pass: Pass, page: Page, known: IndexState | null): Progress {
  const times = page.shipments.map((shipment) => Date.parse(shipment.created_at))
  const oldest = times.reduce((a, b) => Math.min(a, b), Infinity)
  const newest = times.reduce((a, b) => Math.max(a, b), -Infinity)
  return pass.kind === 'head'
    ? advanceHead(pass, page, known, { oldest, newest })
    : advanceTail(pass, page, known, oldest)
}

function advanceHead(
  pass: HeadPass,
  { isLast, asOf }: Page,
  known: IndexState | null,
  span: { oldest: number; newest: number },
): Progress {
  const newest = Math.max(pass.newest ?? -Infinity, span.newest)
  const seen = Number.isFinite(newest) ? newest : asOf
  if (isLast)
    return { pass: null, state: { newest: seen, oldest: pass.goal, complete: true, syncedAt: asOf } }
  if (pass.until === null || !known)
    return { pass: null, state: { newest: seen, oldest: span.oldest, complete: false, syncedAt: asOf } }
  if (span.oldest < pass.until)
    return { pass: null, state: { ...known, newest: Math.max(known.newest, seen), syncedAt: asOf } }
  return { pass: { ...pass, page: pass.page + 1, newest: seen }, state: null }
}

function advanceTail(
  pass: TailPass,
  { isLast, asOf }: Page,
  known: IndexState | null,
  oldest: number,
): Progress {
  // the cache was lost under the walk: the next head starts anew
  if (!known) return { pass: null, state: null }
  if (isLast) return { pass: null, state: { ...known, oldest: pass.goal, complete: true, syncedAt: asOf } }
  const state = { ...known, oldest: Math.min(known.oldest, oldest), syncedAt: asOf }
  return { pass: { ...pass, page: pass.page + 1 }, state }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
