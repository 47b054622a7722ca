import type { Database } from 'better-sqlite3'
import type { Journal } from './journal.ts'
import type { JournalWrite } from './journal-writer.ts'

export type Work = (...args: unknown[]) => unknown

type Kind = 'deferred' | 'immediate' | 'exclusive'

/** As better-sqlite3 hands out transactions: called plainly it is a deferred one. */
type Transactional = Work & Record<Kind | 'default', Work>

export interface JournaledTransactions {
  transaction(work: Work): Transactional
  /** In the transaction under way, or in one of its own. */
  within<T>(action: () => T): T
  /** What the transaction under way has written. */
  note(write: JournalWrite): void
}

/** Transactions of desk.db, each written to the journal before its commit. */
export function createTransactions(database: Database, journal: Journal): JournaledTransactions {
  const writes: JournalWrite[] = []
  const outermost = createOutermost(database, journal, () => writes.splice(0))
  const nested =
    (savepoint: Work): Work =>
    (...args) => {
      const mark = writes.length
      try {
        return savepoint(...args)
      } catch (error) {
        writes.splice(mark)
        throw error
      }
    }
  return {
    transaction(work) {
      const inner = nested(database.transaction(work))
      const variant =
        (kind: Kind): Work =>
        (...args) =>
          database.inTransaction ? inner(...args) : outermost(kind, () => work(...args))
      return Object.assign(variant('deferred'), {
        default: variant('deferred'),
        deferred: variant('deferred'),
        immediate: variant('immediate'),
        exclusive: variant('exclusive'),
      })
    },
    within: (action) => (database.inTransaction ? action() : outermost('immediate', action)),
    note: (write) => void writes.push(write),
  }
}

type Outermost = <T>(kind: Kind, work: () => T) => T

function createOutermost(
  database: Database,
  journal: Journal,
  takeWrites: () => readonly JournalWrite[],
): Outermost {
  const statement = (sql: string): (() => void) => {
    const prepared = database.prepare(sql)
    return () => void prepared.run()
  }
  const [commit, rollBack] = [statement('COMMIT'), statement('ROLLBACK')]
  const begin: Record<Kind, () => void> = {
    deferred: statement('BEGIN DEFERRED'),
    immediate: statement('BEGIN IMMEDIATE'),
    exclusive: statement('BEGIN EXCLUSIVE'),
  }
  return (kind, work) => {
    takeWrites()
    begin[kind]()
    let isWritten = false
    try {
      const result = work()
      const writes = takeWrites()
      if (writes.length > 0) {
        journal.write(writes)
        isWritten = true
      }
      commit()
      return result
    } catch (error) {
      // while the lock is still held, so that nobody else has written behind it
      if (isWritten) journal.takeBack()
      if (database.inTransaction) rollBack()
      throw error
    }
  }
}
