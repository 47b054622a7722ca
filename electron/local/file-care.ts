import { openSqlite } from '#kit/open-sqlite.ts'
import { sha256Of } from './journal/desk-seal.ts'
import { schemaVersion } from './migrate.ts'
import { readPosition } from './journal/journal.ts'

/** What a file of SQLite's may need that takes long for a big one (storage-thread.ts). */
export type CareJob =
  { readonly do: 'examine'; readonly file: string } | { readonly do: 'rewrite'; readonly file: string }

/** A copy of desk.db as it was found; `problem` null: it is whole. */
export interface Examined {
  readonly problem: string | null
  readonly sha256: string
  readonly seq: number
  readonly sum: string
  readonly schema: number
}

/** Throws SQLite's own errors. */
export function takeCare(job: CareJob): Examined | null {
  if (job.do === 'examine') return examine(job.file)
  rewrite(job.file)
  return null
}

function examine(file: string): Examined {
  // the copy says that it has a log, like desk.db; one that nobody writes to needs none
  const database = openSqlite(file, 'precious')
  try {
    database.pragma('journal_mode = DELETE')
    const found = database.pragma('quick_check(1)', { simple: true })
    const { seq, sum } = readPosition(database)
    const schema = schemaVersion(database)
    database.close()
    return { problem: found === 'ok' ? null : String(found), sha256: sha256Of(file), seq, sum, schema }
  } finally {
    database.close()
  }
}

/** Rows that were deleted leave traces where SQLite moved them before (also with secure_delete): only a new file has none. */
function rewrite(file: string): void {
  const database = openSqlite(file, 'precious')
  try {
    database.pragma('secure_delete = ON')
    database.exec('VACUUM')
    database.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    database.close()
  }
}
