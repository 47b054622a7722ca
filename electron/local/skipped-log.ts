import type { SkippedRow } from '#desk/ports/api.ts'
import type { CatalogueList } from '#desk/ports/catalogue-store.ts'
import type { IndexList } from '#desk/ports/recent-store.ts'
import type { Logger } from '#kit/logger.ts'

const quietMs = 10_000
type List = CatalogueList | IndexList
/** Maximum number of rows that one log line names. */
const mostRows = 20
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * Returns the function that logs rows that cannot be read: the list, the problem, and the row's id if it is a UUID. The
 * service chooses all other text of a row, so this text is not logged. A service may send thousands of such rows.
 * Therefore each list gets at most one line in ten seconds, and one more line after this time with the number of
 * further rows.
 */
export function logSkipped(
  logger: Logger,
  after: (delayMs: number, action: () => void) => void = (delayMs, action) =>
    void setTimeout(action, delayMs).unref(),
): (list: List, rows: readonly SkippedRow[]) => void {
  /**
   * The lists for which a log line was written in the last ten seconds. The value is the number of unreadable rows that
   * the list has had since that log line.
   */
  const since = new Map<List, number>()
  return (list, rows) => {
    const count = since.get(list)
    if (count !== undefined) {
      since.set(list, count + rows.length)
      return
    }
    since.set(list, 0)
    const shown = rows.slice(0, mostRows).map(factsOf)
    logger.warn(
      { list, count: rows.length, rows: shown },
      'rows of the service that cannot be read were left out',
    )
    after(quietMs, () => {
      const more = since.get(list) ?? 0
      since.delete(list)
      if (more > 0) logger.warn({ list, count: more }, 'more rows that cannot be read were left out')
    })
  }
}

function factsOf({ id, problem }: SkippedRow): { readonly id?: string; readonly problem: string } {
  return id !== null && uuid.test(id) ? { id, problem } : { problem }
}
