import { idHash } from '#shared/domain/id-hash.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { type BriefLabel, toBriefLabel } from '#shared/domain/label-codes.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'
import type { SkippedRow } from '../ports/api.ts'
import { listMarginMs } from '../ports/commands.ts'
import { isStoredAnswer, unlessStored, unreadList } from '../service/answers.ts'
import type { ListSource } from '../service/page-limit.ts'
import { WalkBudget } from '../service/walk-budget.ts'
import { newestOf, walkEnd } from '../service/walk-end.ts'

export type RecentLabels =
  | {
      readonly ok: true
      readonly labels: readonly BriefLabel[]
      /**
       * Labels that were created before the searched period (`since` minus `listMarginMs`, see `listRecentLabels`). A
       * wanted label may be among them, because the service's Date header, the clock of this PC and the times of the
       * records may come from different clocks.
       */
      readonly older: readonly BriefLabel[]
      /**
       * Labels that were on the read pages although they are older than the time at which the walk ends (`walkEnd`). A
       * wanted label may be among them, because the clocks of two machines of the service may differ by more than
       * `listMarginMs`.
       */
      readonly beyond: readonly BriefLabel[]
      /** Unreadable rows of the pages that were read. Each may be the wanted label. */
      readonly skipped: readonly SkippedRow[]
      /**
       * Hashes (`idHash`) of the ids of all rows of the pages that were read, in the order of the list: also of rows
       * that are unreadable, unwanted or older than the searched period.
       */
      readonly listed: ReadonlySet<string>
      readonly serviceTime: Instant
    }
  /** The read failed at page number `page`. `isRefused`: this login has no right to list labels. */
  | { readonly ok: false; readonly failure: Failure; readonly isRefused: boolean; readonly page: number }

/**
 * Maximum number of labels to read: those of several weeks in a large warehouse. The read fails if the list is longer,
 * or if its labels exceed the limits of `WalkBudget`: such a list has no end, or is too long for this desk.
 */
const mostLabels = 20_000

/**
 * Maximum number of consecutive full pages without a new row. A service that returns more of them ignores the page
 * number.
 */
const mostKnownPages = 3

/**
 * Returns the service's return labels, each with its shipment, back to `listMarginMs` before `since`. If `since` is a
 * function, it is called with the time of the service's Date header and returns the limit. All times are milliseconds
 * since 1970. `localTime`: the time of this PC, which is used if the first response has no Date header. `isWanted`:
 * selects the labels to keep. `sinceLocal`: the same time as `since` or an earlier one, by the clock of this PC.
 *
 * `since` may be too late, because its clock may be ahead of the times of the service's records. Therefore the walk
 * also reads older labels (`walkEnd`); they are in `older`. The walk ends at the first page with a label before
 * `walkEnd`; the labels of this page that are before it are in `beyond`. Without such a label, the walk ends at the
 * last page of the list, which it reads twice: a response that is empty or too short by mistake looks like this page.
 */
export async function listRecentLabels(
  { api, session, pageLimit }: ListSource,
  since: number | ((serviceTime: Instant) => number),
  localTime: number,
  isWanted: (label: BriefLabel) => boolean = () => true,
  sinceLocal = localTime,
): Promise<RecentLabels> {
  const labels = new Map<string, BriefLabel>()
  const older = new Map<string, BriefLabel>()
  const beyond = new Map<string, BriefLabel>()
  const seen = new Set<string>()
  const listed = new Set<string>()
  const budget = new WalkBudget()
  const readPage = pageLimit.begin()
  const skipped: SkippedRow[] = []
  let serviceTime: Instant | null = null
  let newest = Infinity
  let longestPage = 0
  /** Size of `seen` before the current page was read for the first time. */
  let known = 0
  /** Number of consecutive full pages without a new row. */
  let knownPages = 0
  let isSecondRead = false
  const found = (at: Instant): RecentLabels => ({
    ok: true,
    labels: [...labels.values()],
    older: [...older.values()],
    beyond: [...beyond.values()],
    skipped,
    listed,
    serviceTime: at,
  })
  for (let page = 1; ; page += isSecondRead ? 0 : 1) {
    const outcome = unlessStored(
      await readPage(page, (limit) =>
        session.withAccess((token) => api.listReturnLabels(token, { page, limit }), 'observePage'),
      ),
    )
    // a second response from a cache is ignored, because it may be the first response again
    if (isSecondRead && serviceTime !== null && isStoredAnswer(outcome)) return found(serviceTime)
    if (outcome.kind !== 'answer') return { ok: false, ...unreadList(outcome), page }
    serviceTime ??= outcome.serverDate ?? localTime
    const { rows } = outcome.value
    const start = typeof since === 'function' ? since(serviceTime) : since
    const edge = start - listMarginMs
    if (newest === Infinity) newest = newestOf(rows, { serviceTime, localTime })
    const end = walkEnd({ since: start, sinceLocal, serviceTime, localTime, newest })
    const read = rows.filter((label) => Date.parse(label.created_at) >= end)
    if (!isSecondRead) known = seen.size
    for (const { id } of read) seen.add(idHash(id))
    const kept = rows.filter(isWanted).map(toBriefLabel)
    skipped.push(...outcome.value.skipped)
    for (const { id } of [...rows, ...outcome.value.skipped]) if (id !== null) listed.add(idHash(id))
    const isTooMuch = !budget.mayRead(rows) || !budget.mayKeep(kept)
    if (isTooMuch || seen.size + skipped.length > mostLabels)
      return { ok: false, failure: failure('api.malformed_answer'), isRefused: false, page }
    for (const label of kept) {
      const at = Date.parse(label.created_at)
      const group = at >= edge ? labels : at >= end ? older : beyond
      group.set(label.id, label)
    }
    // a service may return shorter pages than requested, so a page is the last one only if it is shorter than an
    // earlier page. A full page of known rows is not the last one: if other clients have created a page of labels since
    // the last read, the same rows follow once more
    const length = rows.length + outcome.value.skipped.length
    knownPages = seen.size > known ? 0 : knownPages + 1
    const isShorter = length === 0 || length < longestPage || knownPages > mostKnownPages
    longestPage = Math.max(longestPage, length)
    if (read.length < rows.length || (isShorter && isSecondRead)) return found(serviceTime)
    isSecondRead = isShorter
  }
}
