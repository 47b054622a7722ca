import { closeSync, existsSync, fstatSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Instant } from '#shared/domain/instants.ts'
import { filePieces, readWhatCanBeRead } from './file-pieces.ts'
import {
  decodeHead,
  decodeWrites,
  type JournaledWrites,
  type JournalHead,
  longestLine,
} from './journal-lines.ts'

/** One file of the journal. Its name is the number of its first transaction. */
interface Segment {
  readonly first: number
  readonly file: string
  readonly bytes: number
}

export function segmentFile(folder: string, first: number): string {
  return join(folder, `${first}.jsonl`)
}

/** Returns the journal's files, oldest first. */
export function listSegments(folder: string): Segment[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => /^\d+\.jsonl$/.test(name))
  return names
    .flatMap((name) => {
      const file = join(folder, name)
      const bytes = statSync(file, { throwIfNoEntry: false })?.size
      return bytes === undefined ? [] : { first: Number.parseInt(name, 10), file, bytes }
    })
    .sort((a, b) => a.first - b.first)
}

/** A line of the journal: one transaction without its writes, and the position of the line. */
export interface JournalLine extends JournalHead {
  /** The number in the name of the journal file that contains this line (`12` for `12.jsonl`). */
  readonly segment: number
  /** The offset of the line in its file, in bytes. */
  readonly at: number
  readonly bytes: number
}

/**
 * All transactions in the journal's files, without their writes. The writes stay in the files and are read on request.
 */
export interface JournalHistory {
  /** The transaction written last; null for an empty journal. */
  readonly last: JournalLine | null
  /** Returns the transactions that follow the transaction with this checksum, up to the first gap in the chain. */
  after(sum: string): JournalLine[]
  text(key: string): string | undefined
  /**
   * Reads the database writes of a journal line from the journal file that contains the line. Returns null if this file
   * no longer exists or the line is damaged.
   */
  writes(line: JournalLine): JournaledWrites | null
}

/**
 * Reads the journal. A part of a file that cannot be read counts as damaged lines. `from`: the number of a transaction; files that contain only earlier transactions are left out.
 */
export function readJournal(folder: string, from = 0): JournalHistory {
  const texts = new Map<string, string>()
  // If two lines name the same previous transaction, the transaction of the first line was never committed. Therefore
  // the map keeps the second line.
  const byPrevious = new Map<string, JournalLine>()
  let last: JournalLine | null = null
  for (const line of readHeads(folder, from)) {
    const { texts: spelled = {}, ...group } = line.group
    for (const [key, text] of Object.entries(spelled)) texts.set(key, text)
    last = { ...line, group }
    byPrevious.set(group.prev, last)
  }
  return {
    last,
    text: (key) => texts.get(key),
    writes: ({ segment, at, bytes }) =>
      ifThere(() => decodeWrites(readLine(segmentFile(folder, segment), at, bytes)), null),
    after(sum) {
      const chain: JournalLine[] = []
      for (let line = byPrevious.get(sum); line; line = byPrevious.get(line.sum)) {
        chain.push(line)
        // returns no transactions if the chain is cyclic; this program never writes such a chain
        if (chain.length > byPrevious.size) return []
      }
      return chain
    },
  }
}

function* readHeads(folder: string, from: number): Generator<JournalLine> {
  const segments = listSegments(folder)
  const wanted = segments.filter((_, index) => (segments[index + 1]?.first ?? Infinity) > from)
  for (const { file, first } of wanted) {
    const lines = linesOf(file)
    // if another process removed this file of the journal meanwhile, the file is skipped and the loop continues with
    // the next file
    for (let line = ifThere(() => lines.next(), null); line?.done === false; line = lines.next()) {
      const { at, bytes } = line.value
      const head = decodeHead(bytes)
      if (head) yield { ...head, segment: first, at, bytes: bytes.length }
    }
  }
}

const lineBreak = 0x0a

interface Line {
  /** The offset of the line in its file, in bytes. */
  readonly at: number
  readonly bytes: Buffer
}

function* linesOf(file: string): Generator<Line> {
  let at = 0
  const line = new UnfinishedLine()
  const take = (): Line => {
    const taken = { at, bytes: Buffer.concat(line.pieces) }
    at += line.length + 1
    line.clear()
    return taken
  }
  for (const piece of filePieces(file, readWhatCanBeRead)) {
    let from = 0
    for (let to = piece.indexOf(lineBreak); to >= 0; to = piece.indexOf(lineBreak, from)) {
      line.add(piece.subarray(from, to))
      yield take()
      from = to + 1
    }
    line.add(piece.subarray(from))
  }
  yield take()
}

/**
 * Collects the pieces of a line until its end is read. Drops the pieces if the line is longer than the journal allows.
 */
class UnfinishedLine {
  pieces: Buffer[] = []
  length = 0

  add(piece: Buffer): void {
    this.length += piece.length
    if (this.length > longestLine) this.pieces = []
    else this.pieces.push(piece)
  }

  clear(): void {
    this.pieces = []
    this.length = 0
  }
}

function readLine(file: string, at: number, bytes: number): Buffer {
  const descriptor = openSync(file, 'r')
  try {
    return readWhatCanBeRead(descriptor, at, bytes)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Removes the files whose transactions all have a number up to `seq`. Also removes files that were last written before
 * `before` if their transactions all have a number up to `oldSeq`. `current`: the file of the next transaction, which
 * is never removed.
 */
export function dropSegments(
  folder: string,
  current: number,
  { seq, oldSeq, before }: { readonly seq: number; readonly oldSeq: number; readonly before: Instant },
): void {
  const segments = listSegments(folder)
  segments.forEach(({ file, first }, index) => {
    const end = (segments[index + 1]?.first ?? current) - 1
    if (first >= current || end > oldSeq) return
    if (end <= seq || (lastMoment(file) ?? 0) < before) rmSync(file, { force: true })
  })
}

/**
 * Removes the oldest files until the removed files had at least `bytes` bytes together. Removes only files whose
 * transactions all have a number up to `seq`. `current`: the file of the next transaction, which is never removed.
 */
export function releaseSegments(
  folder: string,
  current: number,
  { seq, bytes }: { readonly seq: number; readonly bytes: number },
): void {
  const segments = listSegments(folder)
  let wanted = bytes
  for (const [index, segment] of segments.entries()) {
    const end = (segments[index + 1]?.first ?? current) - 1
    if (wanted <= 0 || segment.first >= current || end > seq) return
    rmSync(segment.file, { force: true })
    wanted -= segment.bytes
  }
}

/**
 * Returns the time of the last complete line, in milliseconds since 1970; null if there is none. Reads only the end of
 * a file.
 */
function lastMoment(file: string): number | null {
  return ifThere(() => {
    const descriptor = openSync(file, 'r')
    try {
      for (const line of linesBackwards(descriptor)) {
        const moment = decodeHead(line)?.group.at
        if (moment !== undefined) return moment
      }
      return null
    } finally {
      closeSync(descriptor)
    }
  }, null)
}

/** The number of bytes that each read takes from the end of a file. Most lines have a few hundred bytes. */
const endBytes = 64 * 1024

function* linesBackwards(descriptor: number): Generator<Buffer> {
  const line = new UnfinishedLine()
  const take = (): Buffer => {
    // the pieces are in reverse order, because the loop reads the file from its end
    const bytes = Buffer.concat(line.pieces.reverse())
    line.clear()
    return bytes
  }
  for (let at = fstatSync(descriptor).size; at > 0;) {
    const from = Math.max(0, at - endBytes)
    let piece = readWhatCanBeRead(descriptor, from, at - from)
    for (let cut = piece.lastIndexOf(lineBreak); cut >= 0; cut = piece.lastIndexOf(lineBreak)) {
      line.add(piece.subarray(cut + 1))
      yield take()
      piece = piece.subarray(0, cut)
    }
    line.add(piece)
    at = from
  }
  yield take()
}

/**
 * Runs a read of a file. Returns `otherwise` if the file does not exist: another process may remove the oldest files of
 * the journal at any time.
 */
function ifThere<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return otherwise
    throw error
  }
}
