import type { Failure } from '#shared/errors/catalogue.ts'
import type { Pass } from './index-pass.ts'

/**
 * Maximum number of consecutive rows that are left out because each was too large on its own. After more, the walk
 * fails.
 */
const mostLeftOut = 100

/** Whether shorter pages may return the same rows, because one row or all rows together were too large. */
export function isHeavy({ code }: Failure): boolean {
  return code === 'api.malformed_answer'
}

/** Whether a page of one row may be left out after this failure. */
export function mayLeaveOut({ params }: Failure, { leftOut = 0 }: Pass): boolean {
  return params['cause'] === 'TOO_LARGE' && leftOut < mostLeftOut
}

/** Returns the same place of a walk with shorter pages, without missing a row; null: the page has one row already. */
export function shortened(pass: Pass, standard: number): Pass | null {
  const limit = pass.limit ?? standard
  const shorter = shorterThan(limit)
  if (shorter === null) return null
  const back = ungrown(pass)
  if (back) return back
  // a service may return shorter pages than requested
  const given = Math.min(limit, pass.longest ?? limit)
  const length = Math.min(shorter, given)
  const page = Math.floor(((pass.page - 1) * given) / length) + 1
  const longest = pass.longest === null ? null : length
  return { ...pass, limit: shorter, page, longest, grownFrom: null }
}

/**
 * Returns the same place with longer pages again, if a longer page begins there and the service returns whole pages.
 */
export function lengthened(pass: Pass, standard: number): Pass {
  const limit = pass.limit ?? standard
  const same = { ...pass, grownFrom: null }
  // the first page begins at the same row at any length
  const most = pass.page === 1 ? standard : (pass.mostLimit ?? standard)
  if (limit >= most || pass.longest !== limit) return same
  const longer = longerThan(limit, standard)
  const offset = (pass.page - 1) * limit
  if (offset % longer > 0) return same
  return { ...pass, limit: longer, page: offset / longer + 1, grownFrom: limit }
}

/** Returns the shorter pages at the same place if a lengthened page was not returned whole; otherwise null. */
export function undone(pass: Pass, length: number): Pass | null {
  const back = pass.page > 1 && length < (pass.limit ?? 0) ? ungrown(pass) : null
  return back && { ...back, mostLimit: pass.grownFrom ?? 1 }
}

/** Returns the shorter page that begins at the same row as a lengthened page; null if the page was not lengthened. */
function ungrown(pass: Pass): Pass | null {
  const { limit, grownFrom, page } = pass
  if (limit === undefined || !grownFrom) return null
  return { ...pass, limit: grownFrom, page: ((page - 1) * limit) / grownFrom + 1, grownFrom: null }
}

/** Returns the largest length into which a page can be divided evenly. */
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
