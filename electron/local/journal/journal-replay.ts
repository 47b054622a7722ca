import type { Database } from 'better-sqlite3'
import { deskMigrations } from '../desk-schema.ts'
import { preparePosition } from './journal.ts'
import type { JournalHistory, JournalLine } from './journal-files.ts'
import { decodeParameter } from './journal-lines.ts'
import { applyMigrations, schemaVersion } from '../migrate.ts'

/**
 * Thrown if a repeated transaction of the journal has another effect than it had originally. The database is then not
 * in the state to which the journal belongs.
 */
export class ReplayMismatch extends Error {}

/** Repeats transactions of the journal inside the caller's transaction. Throws ReplayMismatch or SQLite's error. */
export function replay(database: Database, chain: readonly JournalLine[], history: JournalHistory): void {
  const place = preparePosition(database)
  const statements = new Map<string, (parameters: unknown[]) => number>()
  const statement = (key: string): ((parameters: unknown[]) => number) => {
    const known = statements.get(key)
    if (known) return known
    const prepared = database.prepare(textOf(history, key))
    const run = (parameters: unknown[]): number => prepared.run(...parameters).changes
    statements.set(key, run)
    return run
  }
  for (const line of chain) {
    const { group } = line
    if (group.migrate) {
      const [from, to] = group.migrate
      if (schemaVersion(database) !== from) throw new ReplayMismatch(`schema ${from}`)
      applyMigrations(database, deskMigrations.slice(from, to))
      statements.clear()
    }
    const writes = history.writes(line)
    if (!writes) throw new ReplayMismatch(`transaction ${group.seq} is no longer in its file`)
    for (const [key, parameters, changes] of writes) {
      if (parameters === null) database.exec(textOf(history, key))
      else if (statement(key)(parameters.map(decodeParameter)) !== changes)
        throw new ReplayMismatch(`transaction ${group.seq}`)
    }
  }
  const last = chain.at(-1)
  if (!last) return
  const { desk, seq } = last.group
  // the number of the file never decreases, because each file contains only the transactions between its number and the
  // number of the next file
  const segment = Math.max(place.position().segment, last.segment)
  place.set({ desk, seq, sum: last.sum, segment })
}

function textOf(history: JournalHistory, key: string): string {
  const text = history.text(key)
  if (text === undefined) throw new ReplayMismatch(`no statement ${key}`)
  return text
}
