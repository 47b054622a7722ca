import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  writeSync,
} from 'node:fs'
import type { Database, Statement } from 'better-sqlite3'
import { makeFolder, syncFolder } from '#kit/durable-files.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { systemFailure } from '../sqlite-failure.ts'
import { type JournalHistory, readJournal, segmentFile } from './journal-files.ts'
import { encodeLine, type JournalGroup, longestLine, textKey } from './journal-lines.ts'

/** The position of a desk.db in its journal. */
interface JournalPosition {
  readonly desk: string
  readonly seq: number
  readonly sum: string
  readonly segment: number
}

/** The position before the first transaction of a desk.db. */
const beginning: JournalPosition = { desk: '', seq: 0, sum: '', segment: 1 }

/**
 * The journal of desk.db. Every transaction that writes is in the journal on the disk before it is committed. When
 * desk.db is opened, transactions that are in the journal but not in desk.db are repeated. A damaged desk.db can be
 * rebuilt from a backup and the journal (recovery.ts).
 */
export interface Journal {
  position(): JournalPosition
  /** Writes the open transaction to the journal and updates the position in desk.db. Throws CataloguedError. */
  write(writes: readonly JournalWrite[], migrate?: [from: number, to: number]): void
  /** Removes the last line, because its transaction was rolled back. */
  takeBack(): void
  /**
   * Makes the next transaction begin a new file. Call it before a backup: the backup then contains everything that is
   * in the earlier files.
   */
  turn(): void
  /** Returns the number of bytes that were written since the journal was opened. */
  written(): number
  read(from?: number): JournalHistory
  close(): void
}

export function openJournal(folder: string, database: Database, now: () => Instant): Journal {
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
    turn() {
      database
        .transaction(() => {
          const before = place.position()
          place.set({ ...before, segment: before.seq + 1 })
        })
        .immediate()
      // closes the current file: after a backup the file may be removed, and an open file would still take space on the
      // disk
      writer.close()
    },
    written: () => writer.written(),
    read: (from) => readJournal(folder, from),
    close: () => writer.close(),
  }
}

/** Returns the position of a desk.db in its journal. The file may have no tables yet. */
export function readPosition(database: Database): JournalPosition {
  return preparePosition(database).position()
}

interface Position {
  position(): JournalPosition
  set(position: JournalPosition): void
}

export function preparePosition(database: Database): Position {
  // the statements are prepared at their first use, because the first migration creates the table
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

/** One statement of a transaction and the number of rows that it changed. */
export interface JournalWrite {
  readonly sql: string
  /** The parameters as JSON values (journal-lines.ts); null: a script without parameters. */
  readonly parameters: readonly unknown[] | null
  readonly changes: number
}

/** A file of this size in bytes or more gets no further line. A line has at most 16 MiB, so no file exceeds 64 MiB. */
const fullFile = 48 * 1024 * 1024

/** Writes to the end of the journal's newest file. Only the process that holds desk.db's write lock may use it. */
interface JournalWriter {
  /**
   * Writes one transaction to the file that begins with `segment`; if that file is full, begins a new one. The
   * transaction is on the disk when the call returns. Returns the checksum of the transaction and the number of its
   * file. Throws the system's error, or `store.unavailable` for a transaction that is too long; after an error the file
   * is unchanged, unless a part of the line cannot be cut off again (`cut`).
   */
  append(
    segment: number,
    group: Omit<JournalGroup, 'texts' | 'writes'>,
    writes: readonly JournalWrite[],
  ): { readonly sum: string; readonly segment: number }
  /** Removes the last line, because its transaction was not committed. */
  takeBack(): void
  /** Closes the open file. The next `append` opens the file that it needs. */
  close(): void
  /** Returns the number of bytes of all written lines. */
  written(): number
}

interface OpenFile {
  readonly segment: number
  readonly descriptor: number
  /** Keys of the statements whose text this writer has already written to this file of the journal. */
  readonly known: Set<string>
}

function openJournalWriter(folder: string): JournalWriter {
  let open: OpenFile | null = null
  let written = 0
  let undo = (): void => undefined
  const close = (): void => {
    if (open) closeSync(open.descriptor)
    open = null
  }
  const fileOf = (segment: number): OpenFile => {
    if (open?.segment === segment) return open
    close()
    makeFolder(folder)
    const descriptor = openSync(segmentFile(folder, segment), constants.O_RDWR | constants.O_CREAT, 0o600)
    open = { segment, descriptor, known: new Set() }
    syncFolder(folder)
    return open
  }
  // The choice of the file depends only on the size of the file before the line. It does not depend on the length of
  // the line, so that every process chooses the same file.
  const fileWithRoom = (segment: number, next: number): OpenFile => {
    const file = fileOf(segment)
    return fstatSync(file.descriptor).size < fullFile ? file : fileOf(next)
  }
  return {
    append(wanted, group, writes) {
      const { descriptor, known, segment } = fileWithRoom(wanted, group.seq)
      const texts = new Map(
        writes.map(({ sql }) => [textKey(sql), sql] as const).filter(([key]) => !known.has(key)),
      )
      const { sum, text } = encodeLine({
        ...group,
        ...(texts.size > 0 && { texts: Object.fromEntries(texts) }),
        ...(writes.length > 0 && {
          writes: writes.map((one) => [textKey(one.sql), one.parameters && [...one.parameters], one.changes]),
        }),
      })
      const bytes = Buffer.from(text)
      if (bytes.length > longestLine)
        throw new CataloguedError('store.unavailable', { cause: `a transaction of ${bytes.length} bytes` })
      const end = fstatSync(descriptor).size
      try {
        writeAll(descriptor, bytes, end)
        fdatasyncSync(descriptor)
      } catch (error) {
        cut(descriptor, end)
        throw error
      }
      written += bytes.length
      for (const key of texts.keys()) known.add(key)
      undo = () => {
        for (const key of texts.keys()) known.delete(key)
        // The lock may have ended with the failed commit. Then another process may have written a line after this one,
        // and that line must stay.
        if (fstatSync(descriptor).size === end + bytes.length) cut(descriptor, end)
      }
      return { sum, segment }
    },
    takeBack() {
      const action = undo
      undo = () => undefined
      action()
    },
    close,
    written: () => written,
  }
}

function writeAll(descriptor: number, bytes: Uint8Array, at: number): void {
  let written = 0
  while (written < bytes.length)
    written += writeSync(descriptor, bytes, written, bytes.length - written, at + written)
}

/**
 * Removes a line that was not committed: cuts the file to the length that it had before the line. If that fails, the
 * line or a part of it stays in the file. This does no harm after the next line is written: both lines follow the same
 * transaction, and a reader then uses only the later line.
 */
function cut(descriptor: number, length: number): void {
  try {
    ftruncateSync(descriptor, length)
    fsyncSync(descriptor)
  } catch {
    // an error of the cut is not reported, because the caller reports the failure of the transaction
  }
}
