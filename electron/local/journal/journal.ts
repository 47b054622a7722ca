import { randomBytes } from 'node:crypto'
import type { Database, Statement } from 'better-sqlite3'
import { type JournalHistory, readJournal } from './journal-files.ts'
import { type JournalWrite, openJournalWriter } from './journal-writer.ts'
import { systemFailure } from '../sqlite-failure.ts'

/** Where a desk.db stands in its journal. */
export interface JournalPosition {
  readonly desk: string
  readonly seq: number
  readonly sum: string
  readonly segment: number
}

/** Before the first transaction of a desk.db that knows of the journal. */
const beginning: JournalPosition = { desk: '', seq: 0, sum: '', segment: 1 }

/**
 * The journal of desk.db: every transaction that writes, on the disk before its commit. Opening does again what the
 * journal has and desk.db has not, so a damaged desk.db is made anew from a backup and the journal (recovery.ts).
 */
export interface Journal {
  position(): JournalPosition
  /** Writes down the transaction under way and moves the position in it. Throws CataloguedError. */
  write(writes: readonly JournalWrite[], migrate?: [from: number, to: number]): void
  /** What was written down last was rolled back. */
  takeBack(): void
  /** The next transaction begins a new file: call it when a backup has what the files until now say. */
  turn(): void
  read(from?: number): JournalHistory
  close(): void
}

export function openJournal(folder: string, database: Database, now: () => number): Journal {
  const writer = openJournalWriter(folder)
  const place = preparePosition(database)
  return {
    position: () => place.position(),
    write(writes, migrate) {
      const before = place.position()
      const desk = before.desk || randomBytes(6).toString('hex')
      const seq = before.seq + 1
      const group = { seq, at: now(), desk, prev: before.sum, ...(migrate && { migrate }) }
      try {
        place.set({ desk, seq, ...writer.append(before.segment, group, writes) })
      } catch (error) {
        throw systemFailure(error)
      }
    },
    takeBack: () => writer.takeBack(),
    turn: () =>
      database
        .transaction(() => {
          const before = place.position()
          place.set({ ...before, segment: before.seq + 1 })
        })
        .immediate(),
    read: (from) => readJournal(folder, from),
    close: () => writer.close(),
  }
}

/** Also of a desk.db that knows of no journal yet. */
export function readPosition(database: Database): JournalPosition {
  return preparePosition(database).position()
}

interface Position {
  position(): JournalPosition
  set(position: JournalPosition): void
}

export function preparePosition(database: Database): Position {
  // the table comes with a migration, so the statements cannot be there from the beginning
  let statements: ReturnType<typeof prepare> | null = null
  return {
    position() {
      if (!statements && !hasPosition(database)) return beginning
      return (statements ??= prepare(database)).read.get() ?? beginning
    },
    set(position) {
      const { write } = (statements ??= prepare(database))
      write.run(position)
    },
  }
}

function prepare(database: Database): {
  readonly read: Statement<[], JournalPosition>
  readonly write: Statement<[JournalPosition]>
} {
  return {
    read: database.prepare('SELECT desk, seq, sum, segment FROM journal_position'),
    write: database.prepare(
      `INSERT OR REPLACE INTO journal_position (one, desk, seq, sum, segment)
       VALUES (1, @desk, @seq, @sum, @segment)`,
    ),
  }
}

function hasPosition(database: Database): boolean {
  return database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'journal_position'`).get() !== undefined
}
