import type { Database, Statement } from 'better-sqlite3'
import type { IndexState, IndexStore } from '#desk/ports/recent-store.ts'
import type { RecentPart } from './recent-database.ts'
import type { Stretch } from './stretch-statements.ts'

/** What every list that is walked page by page keeps, beside the ways in which its rows are found. */
export interface WalkedStatements<Row> {
  readonly count: () => number
  readonly stretch: Stretch
  readonly put: (rows: readonly Row[], asOf: number, state: IndexState | null) => void
  readonly trim: (before: number, said: number, most: number) => number
}

/** How many rows there are, how far they reach, the next page of them, and the oldest away; nothing of it after a healing. */
export function walkedList<Row>(
  part: RecentPart<WalkedStatements<Row>>,
): Pick<IndexStore<Row>, 'count' | 'state' | 'put' | 'trim'> {
  return {
    count: () =>
      part.use(
        ({ count }) => count(),
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
    trim: (before, said, most) =>
      part.use(
        ({ trim }) => trim(before, said, most),
        () => 0,
      ),
  }
}

/** A walked list's tables: its rows, and where their codes stand. */
export interface WalkedTables {
  readonly rows: 'shipments' | 'labels'
  readonly codes: readonly ('shipment_codes' | 'shipment_serials' | 'label_codes')[]
  readonly key: 'shipment_id' | 'label_id'
}

/** Counting reads the whole table, and the status bar asks at every beat: it is counted again only after a change. */
export function prepareCount(database: Database, { rows }: WalkedTables, scope: string): () => number {
  const count = database.prepare<[string], number>(`SELECT count(*) FROM ${rows} WHERE scope = ?`).pluck()
  const changes = database.prepare<[], number>('SELECT total_changes()').pluck()
  const others = database.prepare<[], number>('PRAGMA data_version').pluck()
  let seen = ''
  let known = 0
  return () => {
    const now = `${String(changes.get())} ${String(others.get())}`
    if (now !== seen) known = count.get(scope) ?? 0
    seen = now
    return known
  }
}

/** What `trim` looks for; the index by age gives them without a look at any other row. */
export const oldestRows = (rows: WalkedTables['rows']): string =>
  `SELECT id FROM ${rows} WHERE scope = ? AND created_at < ? AND as_of < ? ORDER BY created_at LIMIT ?`

export function prepareTrim(
  database: Database,
  { rows, codes, key }: WalkedTables,
  scope: string,
  stretch: Stretch,
): WalkedStatements<never>['trim'] {
  const oldest = database.prepare<[string, number, number, number], string>(oldestRows(rows)).pluck()
  const forgets: Statement<[string, string]>[] = [
    ...codes.map((table) => database.prepare(`DELETE FROM ${table} WHERE scope = ? AND ${key} = ?`)),
    database.prepare(`DELETE FROM ${rows} WHERE scope = ? AND id = ?`),
  ]
  const trim = database.transaction((before: number, said: number, most: number) => {
    const state = stretch.read()
    if (state && state.oldest < before && state.newest >= before) stretch.write({ ...state, oldest: before })
    const ids = oldest.all(scope, before, said, most)
    for (const id of ids) for (const forget of forgets) forget.run(scope, id)
    return ids.length
  })
  return (before, said, most) => trim.immediate(before, said, most)
}
