import { setImmediate } from 'node:timers/promises'
import type { Database, Statement } from 'better-sqlite3'
import type { IndexState, IndexStore } from '#desk/ports/recent-store.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import type { RecentPart } from './recent-database.ts'

/**
 * Removes old rows to keep recent.db below its maximum size. `IndexStore.makeRoom` and `IndexStore.keptFrom` describe
 * the methods.
 */
export interface RecentRoom {
  make(most: number): number
  keptFrom(): number | null
}

/** The stored form of a row. */
export interface WalkedEntry {
  readonly body: string
  /** Number of the codes of this row that a search can find. */
  readonly codes: number
}

/** The common statements of the lists that are read page by page. Each list has its own statements for searches. */
export interface WalkedStatements<Entry> {
  readonly count: () => number
  readonly stretch: Stretch
  /**
   * Writes some rows with all their codes in one transaction. If `reached` returns a range of creation times in which
   * no row is missing, the transaction stores this range too.
   */
  readonly put: (entries: readonly Entry[], asOf: number, reached: (() => IndexState | null) | null) => void
  readonly trim: (before: Instant, said: Instant, most: number) => number
}

interface WalkedParts<Row, Entry> {
  readonly part: RecentPart<WalkedStatements<Entry>>
  /** Converts the rows of a page to their stored form, one row at a time. */
  readonly entriesOf: (rows: readonly Row[]) => Iterable<Entry>
  readonly room: RecentRoom
}

/**
 * Creates the common methods of a list that is read page by page: count the rows, read the range of creation times in
 * which no row is missing, write the next page, and remove the oldest rows. The list is empty after recent.db was
 * damaged and replaced.
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
   * Pages are written one after the other, because an older response must not overwrite a newer response that arrived
   * during the write.
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
 * A transaction ends when its rows have this amount of work. Each row, each of its codes, and every 500 characters of
 * its body count as one, because writing each of these takes about as long. The last row of a transaction may exceed
 * this number. A transaction with 500 codes takes some milliseconds.
 */
const pieceWork = 500
const charactersOfWork = 500

/**
 * Writes a page in small transactions and lets the event loop run between them. One transaction writes a row with all
 * its codes, so reads between two transactions find complete rows. Only the last transaction stores the range of
 * creation times in which no row is missing. If the program ends before this transaction, the stored range stays
 * unchanged, and the next run reads and writes the same page again.
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
        // if an empty file has replaced a damaged file since the first rows of this page were written, those rows are
        // lost, so the write stops
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

/** The tables of a list: its rows and their codes. */
export interface WalkedTables {
  readonly rows: 'shipments' | 'labels'
  readonly codes: readonly ('shipment_codes' | 'shipment_serials' | 'label_codes')[]
  readonly key: 'shipment_id' | 'label_id'
  /** The table that stores the range of creation times in which no row is missing. */
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

/**
 * The query by which `trim` finds the oldest rows. The query reads only the index of creation times, which also
 * contains `as_of` and `id`, and not the rows themselves.
 */
export const oldestRows = (rows: WalkedTables['rows']): string =>
  `SELECT id FROM ${rows} WHERE scope = @scope AND created_at < @before AND as_of < @said
   ORDER BY created_at LIMIT @most`

/**
 * Maximum number of rows and codes that one transaction removes, which takes some milliseconds. The last row may exceed
 * this number, because a row is removed together with all its codes.
 */
const removedAtOnce = 2_000

/**
 * Returns a function that removes rows with their codes, in the order of `ids`. It stops after `removedAtOnce` rows and
 * codes together, and returns the number of removed rows.
 */
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

/** Reads and writes the range of creation times in which no row of a list is missing. A separate table stores it. */
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
