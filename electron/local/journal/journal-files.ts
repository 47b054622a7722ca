import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { decodeLine, type JournalLine } from './journal-lines.ts'

/** One file of the journal, named by the number of its first transaction. */
export interface Segment {
  readonly first: number
  readonly file: string
  readonly bytes: number
}

export function segmentFile(folder: string, first: number): string {
  return join(folder, `${first}.jsonl`)
}

/** The journal's files, oldest first. */
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

/** Everything the journal's files say. */
export interface JournalHistory {
  /** The transaction written down last; null for an empty journal. */
  readonly last: JournalLine | null
  /** What follows on the transaction of that checksum, as far as the chain reaches. */
  after(sum: string): JournalLine[]
  text(key: string): string | undefined
}

/** `from`: files that only hold transactions before this number are left out. */
export function readJournal(folder: string, from = 0): JournalHistory {
  const texts = new Map<string, string>()
  // two lines with one predecessor: the first was never committed, or the second would not be there
  const byPrevious = new Map<string, JournalLine>()
  let last: JournalLine | null = null
  for (const line of readLines(folder, from)) {
    for (const [key, text] of Object.entries(line.group.texts ?? {})) texts.set(key, text)
    byPrevious.set(line.group.prev, line)
    last = line
  }
  return {
    last,
    text: (key) => texts.get(key),
    after(sum) {
      const chain: JournalLine[] = []
      for (let line = byPrevious.get(sum); line; line = byPrevious.get(line.sum)) {
        chain.push(line)
        // a chain is no ring; a file that says otherwise was made by nobody here
        if (chain.length > byPrevious.size) return []
      }
      return chain
    },
  }
}

function readLines(folder: string, from: number): JournalLine[] {
  const segments = listSegments(folder)
  const wanted = segments.filter((_, index) => (segments[index + 1]?.first ?? Infinity) > from)
  return wanted.flatMap(({ file }) =>
    textOf(file)
      .split('\n')
      .flatMap((text) => (text === '' ? [] : (decodeLine(text) ?? []))),
  )
}

/**
 * Removes the files that only hold transactions up to `seq`, and those up to `oldSeq` that were written to before
 * `before`. `current` is where the next transaction goes.
 */
export function dropSegments(
  folder: string,
  current: number,
  { seq, oldSeq, before }: { readonly seq: number; readonly oldSeq: number; readonly before: number },
): void {
  const segments = listSegments(folder)
  segments.forEach(({ file, first }, index) => {
    const end = (segments[index + 1]?.first ?? current) - 1
    if (first >= current || end > oldSeq) return
    if (end <= seq || (lastMoment(file) ?? 0) < before) rmSync(file, { force: true })
  })
}

function lastMoment(file: string): number | null {
  const lines = textOf(file).split('\n')
  for (const line of lines.reverse()) {
    const moment = decodeLine(line)?.group.at
    if (moment !== undefined) return moment
  }
  return null
}

/** Another process drops files at any time, the oldest first: one that went since it was listed says nothing. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}
