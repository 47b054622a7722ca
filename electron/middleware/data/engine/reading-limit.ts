import { AsyncLocalStorage } from 'node:async_hooks'
import type { SqliteDatabase } from 'kysely'

/** A call asks for more rows than one answer may hold. */
export class TooMuchToRead extends Error {
  constructor() {
    super('This call reads more than one answer may hold')
    this.name = 'TooMuchToRead'
  }
}

interface Allowance {
  left: number
}

const allowances = new AsyncLocalStorage<Allowance>()

/**
 * Runs `work`, in which queries may return rows of this size in all, in characters and bytes of their values. The query
 * that returns more ends there, with the rest unread, and throws `TooMuchToRead`.
 */
export function readingAtMost<Result>(size: number, work: () => Promise<Result>): Promise<Result> {
  return allowances.run({ left: size }, work)
}

/** The database with queries that end where their allowance does; without one they return all rows. */
export function limitReads(database: SqliteDatabase): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare(text) {
      const statement = database.prepare(text)
      return {
        reader: statement.reader,
        run: (parameters) => statement.run(parameters),
        iterate: (parameters) => statement.iterate(parameters),
        all(parameters) {
          const allowance = allowances.getStore()
          return allowance === undefined
            ? statement.all(parameters)
            : takeRows(statement.iterate(parameters), allowance)
        },
      }
    },
  }
}

function takeRows(rows: Iterable<unknown>, allowance: Allowance): unknown[] {
  const taken: unknown[] = []
  for (const row of rows) {
    allowance.left -= sizeOf(row)
    if (allowance.left < 0) throw new TooMuchToRead()
    taken.push(row)
  }
  return taken
}

/** What a value takes beside its text: its place in the row, and its name in the answer. */
const placeSize = 16

function sizeOf(row: unknown): number {
  let size = 0
  for (const value of Object.values(row ?? {}))
    size += placeSize + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0)
  return size
}
