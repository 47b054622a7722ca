import type { Database, Statement } from 'better-sqlite3'
import { CataloguedError } from '#shared/errors/result.ts'
import { isCorrupt } from '../sqlite-failure.ts'
import { encodeParameter } from './journal-lines.ts'
import type { Journal, JournalWrite } from './journal.ts'

/**
 * Statements that are not journaled. They write only to `leases`, whose rows are valid only while a process runs, so
 * rows restored from the journal would be wrong.
 */
const unjournaled = /^\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+leases\b/i

interface Watch {
  /** Called when SQLite reports that the file is damaged. */
  readonly onDamage: () => void
  readonly onClosing: () => void
  /** Called after the file is closed. */
  readonly onClosed: () => void
}

/**
 * Returns the database that the stores of desk.db use. Reads are unchanged. Each transaction that writes, even a single
 * statement, is written to the journal before it is committed. A statement must have the same effect when it is
 * repeated on the same rows, so times and ids are parameters and are never created by SQL.
 */
export function journaledDatabase(database: Database, journal: Journal, watch: Watch): Database {
  const recorder = new Recorder(createTransactions(database, journal), watch)
  const close = (): Database => {
    if (!database.open) return database
    watch.onClosing()
    journal.close()
    database.close()
    watch.onClosed()
    return database
  }
  const exec = (sql: string): Database => {
    recorder.write({ sql, parameters: null }, () => {
      database.exec(sql)
      return { changes: 0 }
    })
    return database
  }
  return new Proxy(database, {
    get(target, name): unknown {
      switch (name) {
        case 'prepare':
          return (sql: string) => recorder.watched(target.prepare(sql))
        case 'transaction':
          return (work: Work) => recorder.transaction(work)
        case 'exec':
          return exec
        case 'close':
          return close
        default: {
          const value: unknown = Reflect.get(target, name, target)
          return isMethod(value) ? value.bind(target) : value
        }
      }
    },
  })
}

function isMethod(value: unknown): value is Work {
  return typeof value === 'function'
}

class Recorder {
  readonly #transactions: JournaledTransactions
  readonly #watch: Watch
  #isDamaged = false

  constructor(transactions: JournaledTransactions, watch: Watch) {
    this.#transactions = transactions
    this.#watch = watch
  }

  write<T extends { readonly changes: number }>(what: Omit<JournalWrite, 'changes'>, action: () => T): T {
    // the write is refused, because a write to a damaged file may depend on wrong data
    if (this.#isDamaged) throw new CataloguedError('store.damaged')
    return this.#transactions.within(() => {
      const result = action()
      const { changes } = result
      // a statement that changed no row is not recorded, because its repetition would change no row either
      if (changes > 0 || what.parameters === null) this.#transactions.note({ ...what, changes })
      return result
    })
  }

  transaction(work: Work): ReturnType<JournaledTransactions['transaction']> {
    const { deferred, immediate, exclusive } = this.#transactions.transaction(work)
    const watched =
      (run: Work): Work =>
      (...args) =>
        this.#watching(() => run(...args))
    const variants = {
      default: watched(deferred),
      deferred: watched(deferred),
      immediate: watched(immediate),
      exclusive: watched(exclusive),
    }
    return Object.assign(watched(deferred), variants)
  }

  /** Changes the methods of the statement so that they also record its writes in the journal. */
  watched(statement: Statement): Statement {
    const { source: sql } = statement
    const run = statement.run.bind(statement)
    const get = statement.get.bind(statement)
    const all = statement.all.bind(statement)
    const isRecorded = !statement.readonly && !unjournaled.test(sql)
    statement.get = (...parameters) => this.#watching(() => get(...parameters))
    statement.all = (...parameters) => this.#watching(() => all(...parameters))
    statement.run = (...parameters) =>
      this.#watching(() =>
        isRecorded
          ? this.write({ sql, parameters: parameters.map(encodeParameter) }, () => run(...parameters))
          : run(...parameters),
      )
    if (isRecorded) refuse(statement)
    return statement
  }

  #watching<T>(action: () => T): T {
    try {
      return action()
    } catch (error) {
      if (isCorrupt(error) && !this.#isDamaged) {
        this.#isDamaged = true
        this.#watch.onDamage()
      }
      throw error
    }
  }
}

/**
 * Replaces those methods of a statement that would write to desk.db without a record in the journal. The new methods
 * throw.
 */
function refuse(statement: Statement): void {
  const refused = (): never => {
    throw new Error(`only run() is written to the journal: ${statement.source}`)
  }
  statement.get = refused
  statement.all = refused
  statement.iterate = refused
  statement.bind = refused
}

type Work = (...args: unknown[]) => unknown

type Kind = 'deferred' | 'immediate' | 'exclusive'

/** A function as better-sqlite3's `transaction` returns it: a plain call runs a deferred transaction. */
type Transactional = Work & Record<Kind | 'default', Work>

interface JournaledTransactions {
  transaction(work: Work): Transactional
  /** Runs the action in the open transaction, or in a new one. */
  within<T>(action: () => T): T
  /** Records a write of the open transaction. */
  note(write: JournalWrite): void
}

/** Creates the transactions of desk.db. Each is written to the journal before its commit. */
function createTransactions(database: Database, journal: Journal): JournaledTransactions {
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
      // removes the line of this transaction from the journal. The line stays if the failed commit has released the
      // lock of the database and another process has written a line after it (journal.ts)
      if (isWritten) journal.takeBack()
      if (database.inTransaction) rollBack()
      throw error
    }
  }
}
