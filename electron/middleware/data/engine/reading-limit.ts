import { AsyncLocalStorage } from 'node:async_hooks'
import type { SqliteDatabase, SqliteStatement } from 'kysely'

/** Thrown when a call reads more data than its limit allows. */
export class TooMuchToRead extends Error {
  /** Whether the call had already committed a transaction. */
  readonly isAfterCommit: boolean

  constructor(isAfterCommit: boolean) {
    super('This call reads more than one call may')
    this.name = 'TooMuchToRead'
    this.isAfterCommit = isAfterCommit
  }
}

/** The characters and bytes that a call may still read. */
export interface Allowance {
  left: number
  hasCommitted: boolean
}

const allowances = new AsyncLocalStorage<Allowance | null>()

/**
 * Runs `work` with a reading limit: the sizes (`sizeOf`) of all rows that its queries return may add up to `size`. The
 * query that exceeds the limit stops reading and throws `TooMuchToRead`.
 */
export function readingAtMost<Result>(size: number, work: () => Promise<Result>): Promise<Result> {
  return allowances.run({ left: size, hasCommitted: false }, work)
}

/** Runs work without a reading limit. Its reads do not count for the limit of the call that starts it. */
export function readingFreely<Result>(work: () => Result): Result {
  return allowances.run(null, work)
}

/** Returns how many characters and bytes the current call may still read. Null: the call has no reading limit. */
export function currentAllowance(): Allowance | null {
  return allowances.getStore() ?? null
}

/** Notes that a transaction of the current call was committed. */
export function noteCommit(): void {
  const allowance = allowances.getStore()
  if (allowance) allowance.hasCommitted = true
}

/**
 * Maximum number of prepared statements that are kept. A statement with more characters than `longestStatement` is not
 * kept.
 */
const mostStatements = 500
const longestStatement = 4_000

/**
 * Returns the database with queries that stop at the reading limit of the call. In a call without a limit they return
 * all rows. Recently used statements are kept prepared, because most calls run the same statements.
 */
export function limitReads(database: SqliteDatabase): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>()
  const prepare = (text: string): SqliteStatement => {
    const statement = kept.get(text) ?? database.prepare(text)
    if (text.length > longestStatement) return statement
    // a Map keeps the order of insertion, so inserting the key again makes this statement the most recently used one
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
        // prepares a new statement, because another query could use a kept statement before its last row is read
        iterate: (parameters) => database.prepare(text).iterate(parameters),
        all(parameters) {
          const allowance = allowances.getStore()
          return allowance ? takeRows(statement.iterate(parameters), allowance) : statement.all(parameters)
        },
      }
    },
  }
}

/** Returns the rows. Throws `TooMuchToRead` at the first row that exceeds the allowance. */
export function takeRows(rows: Iterable<unknown>, allowance: Allowance): unknown[] {
  const taken: unknown[] = []
  for (const row of rows) {
    allowance.left -= sizeOf(row)
    if (allowance.left < 0) throw new TooMuchToRead(allowance.hasCommitted)
    taken.push(row)
  }
  return taken
}

/**
 * Number of characters that the reading limit adds to the length of each value, because the value also takes memory in
 * the row, and its name is part of the response.
 */
const placeSize = 16
/**
 * Number of characters that the reading limit counts for each row in addition to its values, because reading and
 * showing many small rows takes time too.
 */
const rowSize = 500

function sizeOf(row: unknown): number {
  let size = rowSize
  for (const value of Object.values(row ?? {}))
    size += placeSize + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0)
  return size
}
