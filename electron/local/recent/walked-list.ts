import { setImmediate } from 'node:timers/promises'
import type { Database, Statement } from 'better-sqlite3'
import type { IndexState, IndexStore } from '#desk/ports/recent-store.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import type { RecentPart } from './recent-database.ts'

/** Keeps recent.db below its size; see IndexStore. */
export interface RecentRoom {
  make(most: number): number
  keptFrom(): number | null
}

/** The stored form of a row. */
export interface WalkedEntry {
  readonly body: string
  /** The number of codes that find the row. */
  readonly codes: number
}

/** The statements that every list needs that is read page by page, apart from the searches for its rows. */
export interface WalkedStatements<Entry> {
  readonly count: () => number
  readonly stretch: Stretch
  /** Writes some rows with all their codes in one transaction, and the stretch if `reached` returns one. */
  readonly put: (entries: readonly Entry[], asOf: number, reached: (() => IndexState | null) | null) => void
  readonly trim: (before: Instant, said: Instant, most: number) => number
}

interface WalkedParts<Row, Entry> {
  readonly part: RecentPart<WalkedStatements<Entry>>
  /** A page's rows in their stored form. Each is created when it is needed. */
  readonly entriesOf: (rows: readonly Row[]) => Iterable<Entry>
  readonly room: RecentRoom
}

/**
 * The number of rows, their reach, the writing of the next page and the removal of the oldest rows. After a healing the
 * list is empty.
 */
export function walkedList<Row, Entry extends WalkedEntry>({
  part,
  entriesOf,
  room,
}: WalkedParts<Row, Entry>): Pick<
  IndexStore<Row>,
  'count' | 'state' | 'put' | 'trim' | 'makeRoom' | 'keptFrom'
> {
  /**
   * Pages are written one after the other: an older response must not overwrite a newer one that arrived during the
   * write.
   */
  let last: Promise<unknown> = Promise.resolve()
  return {
    makeRoom: (most) => room.make(most),
    keptFrom: () => room.keptFrom(),
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
    put: (rows, asOf, reached) => {
      const page = last.then(() => writePage(part, entriesOf(rows), asOf, reached))
      last = page.catch(() => undefined)
      return page
    },
    trim: (before, said, most) =>
      part.use(
        ({ trim }) => trim(before, said, most),
        () => 0,
      ),
  }
}

/**
 * Work of one transaction: a code costs about as much as 500 characters of a body. 500 codes take some milliseconds.
 */
const pieceWork = 500
const charactersOfWork = 500

/**
 * Writes a page in small transactions and lets the event loop run between them. Reads during that time are consistent:
 * each row is written with all its codes in one transaction, and the stretch in the last one, so that it never covers a
 * missing row. If the program ends between two transactions, there are rows beyond the stretch, and the same page is
 * read and written again.
 */
async function writePage<Entry extends WalkedEntry>(
  part: RecentPart<WalkedStatements<Entry>>,
  entries: Iterable<Entry>,
  asOf: number,
  reached: (() => IndexState | null) | null,
): Promise<void> {
  let begun: WalkedStatements<Entry> | null = null
  const write = (piece: readonly Entry[], end: typeof reached): boolean =>
    part.use(
      (statements) => {
        begun ??= statements
        // a new file has replaced the one with the first rows of this page: those rows are lost
        if (begun !== statements) return false
        statements.put(piece, asOf, end)
        return true
      },
      () => false,
    )
  let piece: Entry[] = []
  let work = 0
  for (const entry of entries) {
    piece.push(entry)
    work += 1 + entry.codes + entry.body.length / charactersOfWork
    if (work < pieceWork) continue
    if (!write(piece, null)) return
    piece = []
    work = 0
    await setImmediate()
  }
  write(piece, reached)
}

/** A walked list's tables: its rows and their codes. */
export interface WalkedTables {
  readonly rows: 'shipments' | 'labels'
  readonly codes: readonly ('shipment_codes' | 'shipment_serials' | 'label_codes')[]
  readonly key: 'shipment_id' | 'label_id'
  /** The table that records the reach of the rows. */
  readonly stretch: 'shipment_stretch' | 'label_stretch'
}

export const shipmentTables: WalkedTables = {
  rows: 'shipments',
  codes: ['shipment_codes', 'shipment_serials'],
  key: 'shipment_id',
  stretch: 'shipment_stretch',
}
export const labelTables: WalkedTables = {
  rows: 'labels',
  codes: ['label_codes'],
  key: 'label_id',
  stretch: 'label_stretch',
}

export function prepareCount(database: Database, { rows }: WalkedTables, scope: ScopeKey): () => number {
  const count = database
    .prepare<[string, string], number>('SELECT number FROM row_counts WHERE scope = ? AND list = ?')
    .pluck()
  return () => count.get(scope, rows) ?? 0
}

export interface OldestWanted {
  readonly scope: ScopeKey
  readonly before: Instant
  readonly said: Instant
  readonly most: number
}

/** The query of `trim`; the index by age returns the rows without reading any other row. */
export const oldestRows = (rows: WalkedTables['rows']): string =>
  `SELECT id FROM ${rows} WHERE scope = @scope AND created_at < @before AND as_of < @said
   ORDER BY created_at LIMIT @most`

/** Rows and codes that are removed in one transaction, beyond those of its last row. They take some milliseconds. */
const removedAtOnce = 2_000

/** Removes the first rows of `ids` with their codes, as many as fit in one transaction. Returns their number. */
export function prepareRemove(
  database: Database,
  { rows, codes, key }: WalkedTables,
): (scope: ScopeKey, ids: readonly string[]) => number {
  const forgets: Statement<[string, string]>[] = [
    ...codes.map((table) => database.prepare(`DELETE FROM ${table} WHERE scope = ? AND ${key} = ?`)),
    database.prepare(`DELETE FROM ${rows} WHERE scope = ? AND id = ?`),
  ]
  return (scope, ids) => {
    let removed = 0
    let work = 0
    for (const id of ids) {
      if (work >= removedAtOnce) break
      for (const forget of forgets) work += forget.run(scope, id).changes
      removed++
    }
    return removed
  }
}

export function prepareTrim(
  database: Database,
  tables: WalkedTables,
  scope: ScopeKey,
  stretch: Stretch,
): WalkedStatements<never>['trim'] {
  const oldest = database.prepare<OldestWanted, string>(oldestRows(tables.rows)).pluck()
  const remove = prepareRemove(database, tables)
  const trim = database.transaction((before: Instant, said: Instant, most: number) => {
    const state = stretch.read()
    if (state && state.oldest < before && state.newest >= before) stretch.write({ ...state, oldest: before })
    return remove(scope, oldest.all({ scope, before, said, most }))
  })
  return (before, said, most) => trim.immediate(before, said, most)
}

interface StretchRecord {
  newest: Instant
  oldest: Instant
  complete: number
  synced_at: number
}

export interface Stretch {
  read(): IndexState | null
  write(state: IndexState): void
}

/** The reach of an index of recent.db, stored in a separate table. */
export function prepareStretch(
  database: Database,
  { stretch: table }: WalkedTables,
  scope: ScopeKey,
): Stretch {
  const read = database.prepare<[string], StretchRecord>(
    `SELECT newest, oldest, complete, synced_at FROM ${table} WHERE scope = ?`,
  )
  const write = database.prepare<Omit<IndexState, 'complete'> & { scope: ScopeKey; complete: number }>(
    `INSERT INTO ${table} (scope, newest, oldest, complete, synced_at)
     VALUES (@scope, @newest, @oldest, @complete, @syncedAt)
     ON CONFLICT DO UPDATE SET newest = excluded.newest, oldest = excluded.oldest, complete = excluded.complete,
       synced_at = excluded.synced_at`,
  )
  return {
    read() {
      const record = read.get(scope)
      if (!record) return null
      const { newest, oldest, complete, synced_at: syncedAt } = record
      return { newest, oldest, complete: complete === 1, syncedAt }
    },
    write: ({ newest, oldest, complete, syncedAt }) =>
      void write.run({ scope, newest, oldest, complete: complete ? 1 : 0, syncedAt }),
  }
}
