import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '#kit/open-sqlite.ts'
import { oldScan, textOf } from './site.ts'

/** A scan that an operator submitted, and whether a sound confirmed it. */
export interface Handed {
  readonly number: number
  beeped: boolean
}

export interface Verdict {
  /** Scans that were confirmed by a sound and are not in the journal. */
  readonly lost: readonly number[]
  /** Scans that occur several times in the journal. */
  readonly twice: readonly number[]
  /** Scans that are in the journal after a scan that was submitted later. */
  readonly disordered: readonly number[]
  /** Texts in the journal that were never submitted. */
  readonly changed: readonly string[]
  readonly kept: number
  /** Number of scans that are in the journal but were not confirmed by a sound. */
  readonly unheard: number
  /** Number of old scans that are still in the journal. */
  readonly old: number
}

/** Compares the journal of a killed desk with all submitted scans in their order. */
export function judge(dataDir: string, handed: readonly Handed[]): Verdict {
  const rows = readJournal(dataDir)
  const texts = rows.filter((raw) => !raw.startsWith(oldScan))
  const numbers = new Map(handed.map(({ number }) => [textOf(number), number]))
  const kept = new Set<number>()
  const twice: number[] = []
  const disordered: number[] = []
  const changed: string[] = []
  let last = -1
  for (const raw of texts) {
    const number = numbers.get(raw)
    if (number === undefined) {
      changed.push(raw)
      continue
    }
    if (kept.has(number)) twice.push(number)
    else if (number < last) disordered.push(number)
    kept.add(number)
    last = Math.max(last, number)
  }
  return {
    lost: handed.filter(({ number, beeped }) => beeped && !kept.has(number)).map(({ number }) => number),
    twice,
    disordered,
    changed,
    kept: kept.size,
    unheard: handed.filter(({ number, beeped }) => !beeped && kept.has(number)).length,
    old: rows.length - texts.length,
  }
}

/**
 * Reads a copy of desk.db, because opening the file itself could change it, and the next process must start with the
 * state after the kill.
 */
function readJournal(dataDir: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'scandesk-judged-'))
  try {
    for (const name of ['desk.db', 'desk.db-wal'])
      if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(folder, name))
    const database = openSqlite(join(folder, 'desk.db'), 'cache')
    try {
      return database.prepare<[], string>('SELECT raw FROM scans ORDER BY seq').pluck().all()
    } finally {
      database.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
