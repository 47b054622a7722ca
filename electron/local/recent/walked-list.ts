import type { Statement } from 'better-sqlite3'
import type { IndexState, IndexStore } from '#desk/ports/recent-store.ts'
import type { RecentPart } from './recent-database.ts'
import type { Stretch } from './stretch-statements.ts'

/** What every list that is walked page by page keeps, beside the ways in which its rows are found. */
export interface WalkedStatements<Row> {
  readonly count: Statement<[string], number>
  readonly stretch: Stretch
  readonly put: (rows: readonly Row[], asOf: number, state: IndexState | null) => void
}

/** How many rows there are, how far they reach, and the next page of them; nothing of it after a healing. */
export function walkedList<Row>(
  part: RecentPart<WalkedStatements<Row>>,
  scope: string,
): Pick<IndexStore<Row>, 'count' | 'state' | 'put'> {
  return {
    count: () =>
      part.use(
        ({ count }) => count.get(scope) ?? 0,
        () => 0,
      ),
    state: () =>
      part.use(
        ({ stretch }) => stretch.read(),
        () => null,
      ),
    put: (rows, asOf, state) => {
      part.use(
        ({ put }) => put(rows, asOf, state),
        () => undefined,
      )
    },
  }
}
