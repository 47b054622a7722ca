import { idHash } from '#shared/domain/id-hash.ts'
import { type BriefLabel, toBriefLabel } from '#shared/domain/label-codes.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'
import type { ApiPort, SkippedRow } from '../ports/api.ts'
import { isFinalRefusal } from '../service/answers.ts'
import type { Session } from '../service/session.ts'
import { WalkBudget } from '../service/walk-budget.ts'

export type RecentLabels =
  | {
      readonly ok: true
      readonly labels: readonly BriefLabel[]
      /** Rows that nobody can read, on the pages that were looked through: any of them may be the one. */
      readonly skipped: readonly SkippedRow[]
      readonly serviceTime: number
    }
  /** `page`: at which reading stopped. */
  | { readonly ok: false; readonly failure: Failure; readonly isRefused: boolean; readonly page: number }

const pageLength = 100
/** Weeks of a large warehouse. A list that is longer, or heavier than a walk may be, has no end, or none that this desk could hold. */
const mostLabels = 20_000
/** How far behind a moment a label may be dated and still count: the service's own machines differ a little. */
const marginMs = 10 * 60_000

/**
 * The service's return labels dated ten minutes before `since` or later, each with its shipment. `since` null means
 * now, by the service's own Date header, so that a wrong clock here does not matter; as a function it gets the service's
 * time; `localTime` stands in where an answer has no such header. All in milliseconds since 1970. `isWanted`: which of
 * them are kept.
 */
export async function listRecentLabels(
  api: ApiPort,
  session: Pick<Session, 'withAccess'>,
  since: number | null | ((serviceTime: number) => number),
  localTime: number,
  isWanted: (label: BriefLabel) => boolean = () => true,
): Promise<RecentLabels> {
  const labels = new Map<string, BriefLabel>()
  const seen = new Set<string>()
  const budget = new WalkBudget()
  const skipped: SkippedRow[] = []
  let serviceTime: number | null = null
  let longestPage = 0
  for (let page = 1; ; page++) {
    const query = { page, limit: pageLength }
    const outcome = await session.withAccess((token) => api.listReturnLabels(token, query))
    if (outcome.kind !== 'answer')
      return { ok: false, failure: outcome.failure, isRefused: isFinalRefusal(outcome), page }
    serviceTime ??= outcome.serverDate ?? localTime
    const edge = (typeof since === 'function' ? since(serviceTime) : (since ?? serviceTime)) - marginMs
    const { rows } = outcome.value
    const young = rows.filter((label) => Date.parse(label.created_at) >= edge)
    const known = seen.size
    for (const { id } of young) seen.add(idHash(id))
    const kept = young.filter(isWanted).map(toBriefLabel)
    skipped.push(...outcome.value.skipped)
    const isTooMuch = !budget.mayRead(rows) || !budget.mayKeep(kept)
    if (isTooMuch || seen.size + skipped.length > mostLabels)
      return { ok: false, failure: failure('api.malformed_answer'), isRefused: false, page }
    for (const label of kept) labels.set(label.id, label)
    // a service may give shorter pages than it was asked for: only less than it gave before means the end
    const length = rows.length + outcome.value.skipped.length
    const isShorter = length < longestPage || seen.size === known
    longestPage = Math.max(longestPage, length)
    if (young.length < rows.length || isShorter)
      return { ok: true, labels: [...labels.values()], skipped, serviceTime }
  }
}
