import { type Failure, failure } from '#shared/errors/catalogue.ts'
import type { Modification } from '#shared/wire/modification.ts'
import type { ApiPort, RecentQuery } from '../ports/api.ts'
import type { Session } from '../service/session.ts'
import { isFinalRefusal } from '../service/final-refusal.ts'

export type ModificationWalk =
  /** `isComplete` false: some of what was looked through could not be read. */
  | { readonly ok: true; readonly isComplete: boolean }
  /** `page`: at which it broke off. */
  | { readonly ok: false; readonly failure: Failure; readonly isRefused: boolean; readonly page: number }

const pageLength = 100
/** A list that is longer has no end, or none that this desk could hold. */
const mostRows = 20_000

/**
 * Goes through the service's modifications, newest first, page by page, until `visit` says that it has seen enough.
 * A service may cap the length of its pages without saying so: a page is the last only if it is empty or shorter than
 * one before it.
 */
export async function walkModifications(
  api: ApiPort,
  session: Session,
  window: Pick<RecentQuery, 'from' | 'to'>,
  visit: (page: readonly Modification[], serverDate: number | null) => 'go_on' | 'enough',
): Promise<ModificationWalk> {
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
    if (visit(rows, outcome.serverDate) === 'enough') return { ok: true, isComplete }
    const length = rows.length + skipped.length
    if (length === 0 || length < longest) return { ok: true, isComplete }
    seen += length
    if (seen > mostRows)
      return { ok: false, failure: failure('api.malformed_answer'), isRefused: false, page }
    longest = length
  }
}
