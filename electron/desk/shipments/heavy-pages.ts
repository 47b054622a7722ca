import type { Failure } from '#shared/errors/catalogue.ts'
import type { Pass } from './index-pass.ts'

/** After so many rows, each too large by itself, without one that is not, the list is none of the service's. */
const mostLeftOut = 100

/** Whether the same rows may come through in shorter pages: one of them, or all together, were too large. */
export function isHeavy({ code }: Failure): boolean {
  return code === 'api.malformed_answer'
}

/** Whether a page of one row that failed so may be left out. */
export function mayLeaveOut({ params }: Failure, { leftOut = 0 }: Pass): boolean {
  return params['cause'] === 'TOO_LARGE' && leftOut < mostLeftOut
}

/** The same place of a walk in shorter pages, none of its rows missed; null: a page has one row already. */
export function shortened(pass: Pass, standard: number): Pass | null {
  const limit = pass.limit ?? standard
  const shorter = shorterThan(limit)
  if (shorter === null) return null
  const back = ungrown(pass)
  if (back) return back
  // a service may give shorter pages than it is asked for
  const given = Math.min(limit, pass.longest ?? limit)
  const length = Math.min(shorter, given)
  const page = Math.floor(((pass.page - 1) * given) / length) + 1
  const longest = pass.longest === null ? null : length
  return { ...pass, limit: shorter, page, longest, grownFrom: null }
}

/** The same place in longer pages again, where a longer page begins there and the service gives whole pages. */
export function lengthened(pass: Pass, standard: number): Pass {
  const limit = pass.limit ?? standard
  const same = { ...pass, grownFrom: null }
  // the first page begins at the same row whatever its length
  const most = pass.page === 1 ? standard : (pass.mostLimit ?? standard)
  if (limit >= most || pass.longest !== limit) return same
  const longer = longerThan(limit, standard)
  const offset = (pass.page - 1) * limit
  if (offset % longer > 0) return same
  return { ...pass, limit: longer, page: offset / longer + 1, grownFrom: limit }
}

/** Where a page that had become longer was not given whole: the shorter pages from the same place; else null. */
export function undone(pass: Pass, length: number): Pass | null {
  const back = pass.page > 1 && length < (pass.limit ?? 0) ? ungrown(pass) : null
  return back && { ...back, mostLimit: pass.grownFrom ?? 1 }
}

/** Of a page that became longer than the ones before it: the shorter page that begins there. */
function ungrown(pass: Pass): Pass | null {
  const { limit, grownFrom, page } = pass
  if (limit === undefined || !grownFrom) return null
  return { ...pass, limit: grownFrom, page: ((page - 1) * limit) / grownFrom + 1, grownFrom: null }
}

/** The longest part of a page into which it can be divided. */
function shorterThan(limit: number): number | null {
  if (limit <= 1) return null
  let parts = 2
  while (limit % parts > 0) parts++
  return limit / parts
}

function longerThan(limit: number, standard: number): number {
  let longer = standard
  for (let next = shorterThan(longer); next !== null && next > limit; next = shorterThan(next)) longer = next
  return longer
}
