import type { Database } from 'better-sqlite3'
import type { SkippedRow } from '#desk/ports/api.ts'
import type { CatalogueList } from '#desk/ports/catalogue-file.ts'
import type { SkippedEntry } from '#desk/ports/catalogue-store.ts'

/** Rows that cannot be read: what is kept of each, in a catalogue file and in the file of all lots alike. */
export interface SkippedStatements {
  put(list: CatalogueList, rows: readonly SkippedRow[], seenAt: number): void
  /** The row reads well again. */
  forget(list: CatalogueList, id: string): void
  clear(list: CatalogueList): void
}

/** Ids and problems come from a row that is not what it should be. */
const longest = 100

export function prepareSkipped(database: Database): SkippedStatements {
  const put = database.prepare<{
    list: string
    key: string
    id: string | null
    problem: string
    seenAt: number
  }>(
    `INSERT INTO skipped (list, key, id, problem, seen_at) VALUES (@list, @key, @id, @problem, @seenAt)
     ON CONFLICT DO UPDATE SET problem = excluded.problem, seen_at = excluded.seen_at`,
  )
  const forget = database.prepare<[string, string]>('DELETE FROM skipped WHERE list = ? AND key = ?')
  const clear = database.prepare<[string]>('DELETE FROM skipped WHERE list = ?')
  return {
    put(list, rows, seenAt) {
      for (const row of rows) {
        const id = row.id?.slice(0, longest) ?? null
        const problem = row.problem.slice(0, longest)
        put.run({ list, key: id ?? problem, id, problem, seenAt })
      }
    },
    forget: (list, id) => void forget.run(list, id),
    clear: (list) => void clear.run(list),
  }
}

export interface SkippedReader {
  count(): number
  /** Newest first. */
  newest(limit: number): SkippedEntry[]
}

export function prepareSkippedReader(database: Database): SkippedReader {
  const count = database.prepare<[], number>('SELECT count(*) FROM skipped').pluck()
  const newest = database.prepare<[number], SkippedEntry>(
    'SELECT list, id, problem, seen_at AS seenAt FROM skipped ORDER BY seen_at DESC, list, key LIMIT ?',
  )
  return { count: () => count.get() ?? 0, newest: (limit) => newest.all(limit) }
}
