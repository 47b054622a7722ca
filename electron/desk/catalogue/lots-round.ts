import type { Milliseconds } from '#shared/domain/instants.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { Batch } from '#shared/wire/batch.ts'
import type { ApiPort } from '../ports/api.ts'
import type { SyncListener } from '../ports/catalogue-store.ts'
import type { CatalogueFiles, FillState, LotRows } from '../ports/catalogue-sync.ts'
import {
  isDrop,
  lengthOf,
  mustPlanAgain,
  noteHeavy,
  planWalk,
  shortened,
  shorterThan,
  toPlanAgain,
  walk,
  type WalkPage,
  type WalkSource,
} from './list-walk.ts'
import { toStoredLot } from './lots.ts'
import { failureOf, type RoundCalls } from './round-calls.ts'

interface LotsRoundParts {
  readonly api: Pick<ApiPort, 'listAllBatches'>
  readonly files: Pick<CatalogueFiles, 'lots'>
  readonly listener: Pick<SyncListener, 'lots' | 'changed'>
  readonly calls: RoundCalls
  readonly ticks: () => number
  readonly lotsEveryMs: Milliseconds
}

/**
 * After this time, in milliseconds, a round pauses the pass over all lots when the current page is written. The next
 * round reads the changed articles first, and then further lots. The read of the newest lots at the end of a pass is
 * not paused.
 */
const sliceMs = 30_000

/** An interrupted pass over all lots is continued up to this age, in milliseconds. An older pass starts again. */
const resumableMs = 3 * 3600_000

/**
 * The page length with which a pass over all lots begins if no other length is known. It is small, because each lot
 * contains its inbound with all lines. A page of lots is therefore much larger than a page of articles.
 */
const firstLength = 250

/**
 * Maximum number of rows of the list of lots that were created during a pass. A longer list has no end or does not fit
 * this desk. The pass then fails, but not the round, and the catalogue screen shows that the service sent unreadable
 * data.
 */
const mostNewest = 20_000

/**
 * Continues the pass over all lots, or begins one if it is due. A failure of the service is reported to the listener,
 * and not to the caller.
 */
export async function readLots(parts: LotsRoundParts): Promise<void> {
  const { files, listener, calls, ticks, lotsEveryMs } = parts
  const { lots } = files
  const { asOf } = lots.facts()
  if (asOf !== null && !calls.isOlder(asOf, lotsEveryMs)) {
    listener.lots({ rows: null, failure: null })
    return
  }
  const untilTicks = ticks() + sliceMs
  let rows: number | null = null
  try {
    const begun = await resumeOrBegin(parts)
    rows = begun.rows
    listener.lots({ rows, failure: null })
    const isWhole = await walk(source(parts, 'asc'), begun.state, {
      keep(page, state) {
        lots.add(toRows(page), state)
        rows = (rows ?? 0) + lengthOf(page)
        listener.lots({ rows, failure: null })
      },
      isPaused: () => ticks() >= untilTicks,
    })
    if (!isWhole) return
    await readNewest(parts, { ...begun.state, page: 1 })
    lots.publish(begun.state.startedAt)
    listener.lots({ rows: null, failure: null })
    listener.changed()
  } catch (error) {
    const failed = failureOf(error)
    if (failed?.code === 'catalogue.too_large') lots.drop()
    listener.lots({ rows: null, failure: failed })
    // no list is read after the lots, so a failure that ends the round is reported only for the lots
    if (failed === null) throw error
  }
}

async function resumeOrBegin(parts: LotsRoundParts): Promise<{ state: FillState; rows: number }> {
  const { files, calls } = parts
  const { lots } = files
  const unfinished = lots.resume()
  const { asOf, pageRows, count } = lots.facts()
  const known = asOf === null ? null : count
  const earlier = unfinished && calls.isOlder(unfinished.startedAt, resumableMs) ? null : unfinished
  if (earlier !== null && !mustPlanAgain(earlier))
    return { state: pageRows === null ? earlier : shortened(earlier, pageRows), rows: earlier.rows }
  const plan = await planWalk(source(parts, 'asc'), pageRows ?? firstLength, count)
  const { state } = plan
  lots.begin()
  if (plan.pageRows !== null) lots.keepPageRows(plan.pageRows)
  const isAccepted = earlier !== null || !isDrop(state, known)
  // stores the plan before the first page is read: if this page fails, the next round continues with shorter pages. A
  // new plan would return to long pages, because it tries them with the first page of the list
  lots.add({ rows: [], skipped: [], asOf: state.startedAt }, isAccepted ? state : toPlanAgain(state))
  if (isAccepted) return { state, rows: 0 }
  // the list seems too short, so this read fails. A later round that finds this plan within `resumableMs` plans again,
  // and then reads the list even if it still seems too short
  return calls.fail(failure('api.malformed_answer'))
}

/**
 * Reads the lots that were created during the pass over all lots, newest first, until a page has fewer lots than were
 * requested, or has only lots that were already read. Changed lots cannot be found, because a lot has no time of its
 * last change.
 */
async function readNewest(parts: LotsRoundParts, state: FillState): Promise<void> {
  const { calls, files } = parts
  const newest = source(parts, 'desc')
  let seen = 0
  for (let page = 1; ; page++) {
    const answer = await newest.read({ page, limit: state.limit })
    noteHeavy(newest, answer, state.limit)
    if (answer.kind !== 'page') return calls.fail(answer.failure)
    const fresh = files.lots.add(toRows(answer.page), state)
    if (fresh === 0 || lengthOf(answer.page) < state.limit) return
    seen += lengthOf(answer.page)
    if (seen > mostNewest) return calls.fail(failure('api.malformed_answer'))
  }
}

function source({ api, calls, files }: LotsRoundParts, direction: 'asc' | 'desc'): WalkSource<Batch> {
  return {
    read: (query) => calls.page((token) => api.listAllBatches(token, { direction, ...query })),
    tooLong: (limit) => files.lots.keepPageRows(shorterThan(limit) ?? limit),
    fail: (failure) => calls.fail(failure),
  }
}

function toRows(page: WalkPage<Batch>): LotRows {
  const rows = page.rows.map((batch) => ({ variantId: batch.variant.id, lot: toStoredLot(batch) }))
  return { rows, skipped: page.skipped, asOf: page.asOf }
}
