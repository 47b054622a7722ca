import { AsyncLocalStorage } from 'node:async_hooks'
import type { SqliteDatabase, SqliteStatement } from 'kysely'

/** Thrown when a call reads more rows than it may. */
export class TooMuchToRead extends Error {
  /** Whether the call had committed a transaction before. */
  readonly isAfterCommit: boolean

  constructor(isAfterCommit: boolean) {
    super('This call reads more than one call may')
    this.name = 'TooMuchToRead'
    this.isAfterCommit = isAfterCommit
  }
}

/** The remaining size that a call may read. */
export interface Allowance {
  left: number
  hasCommitted: boolean
}

const allowances = new AsyncLocalStorage<Allowance | null>()

/**
 * Runs `work`, whose queries may return rows of this total size, in characters and bytes of their values. The query
 * that exceeds it stops reading and throws `TooMuchToRead`.
 */
export function readingAtMost<Result>(size: number, work: () => Promise<Result>): Promise<Result> {
  return allowances.run({ left: size, hasCommitted: false }, work)
}

/** Runs work that a call starts and does not wait for. Such work has no limit and uses nothing of the call's limit. */
export function readingFreely<Result>(work: () => Result): Result {
  return allowances.run(null, work)
}

/** Returns what the current call may still read. Null: it has no limit. */
export function currentAllowance(): Allowance | null {
  return allowances.getStore() ?? null
}

/** Notes that a transaction of the current call was committed. */
export function noteCommit(): void {
  const allowance = allowances.getStore()
  if (allowance) allowance.hasCommitted = true
}

/** Maximum number of prepared statements that are kept, and of the characters of each. */
const mostStatements = 500
const longestStatement = 4_000

/**
 * Returns the database with queries that stop at the limit of their call. Without a limit they return all rows. The
 * statements that were used last are prepared once, because most calls run the same ones.
 */
export function limitReads(database: SqliteDatabase): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>()
  const prepare = (text: string): SqliteStatement => {
    const statement = kept.get(text) ?? database.prepare(text)
    if (text.length > longestStatement) return statement
    // the first key of a Map is the one that was set first, so this one is used last
    kept.delete(text)
    kept.set(text, statement)
    const [oldest] = kept.size > mostStatements ? kept.keys() : []
    if (oldest !== undefined) kept.delete(oldest)
    return statement
  }
  return {
    close: () => database.close(),
    prepare(text) {
      const statement = prepare(text)
      return {
        reader: statement.reader,
        run: (parameters) => statement.run(parameters),
        // a statement of its own, because it is in use until its last row is read
        iterate: (parameters) => database.prepare(text).iterate(parameters),
        all(parameters) {
          const allowance = allowances.getStore()
          return allowance ? takeRows(statement.iterate(parameters), allowance) : statement.all(parameters)
        },
      }
    },
  }
}

/** Returns the rows. Throws `TooMuchToRead` at the one that exceeds the allowance. */
export function takeRows(rows: Iterable<unknown>, allowance: Allowance): unknown[] {
  const taken: unknown[] = []
  for (const row of rows) {
    allowance.left -= sizeOf(row)
    if (allowance.left < 0) throw new TooMuchToRead(allowance.hasCommitted)
    taken.push(row)
  }
  return taken
}

/** Size of a value in addition to its text: for its place in the row and its name in the response. */
const placeSize = 16
/** Size of a row in addition to its values, because reading and showing many small rows takes time too. */
const rowSize = 500

function sizeOf(row: unknown): number {
  let size = rowSize
  for (const value of Object.values(row ?? {}))
    size += placeSize + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0)
  return size
}
