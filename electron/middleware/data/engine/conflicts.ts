import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout } from 'node:timers/promises'
import { currentAllowance } from './reading-limit.ts'

/** Maximum number of refusals by PostgreSQL after which a transaction is tried again. At the next refusal it fails. */
const mostConflicts = 40
const longestPauseMs = 100
/** Number of refusals after which a transaction runs alone. */
const refusalsBeforeAlone = 8

/** Returns the code of an error of the engine or of the system, or an empty text. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/**
 * Whether PostgreSQL refused a transaction because of another transaction: serialization_failure, deadlock_detected or
 * lock_not_available. A transaction that runs alone gets lock_not_available if it waits too long for the other
 * transactions.
 */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01', '55P03'].includes(codeOf(error))
}

/**
 * Whether PostgreSQL refused a statement because the server of this connection only reads, for example after a
 * failover: read_only_sql_transaction, or feature_not_supported, with which a standby refuses serializable
 * transactions. Every statement of the middleware is supported otherwise. The text of the error is in the language of
 * the server.
 */
export function isFromReader(error: unknown): boolean {
  return ['25006', '0A000'].includes(codeOf(error))
}

/**
 * Thrown if a transaction that runs alone takes too long. The transaction has changed nothing and is not tried again.
 * The code is that of a statement that exceeds its time (query_canceled), so the error counts as a failure of the
 * storage: the same call may succeed later. The client gets the message.
 */
export class TooLongAlone extends Error {
  readonly code = '57014'

  constructor() {
    super(
      'This change conflicts with other changes, and takes too long to make them wait. Repeat it later, or in smaller parts.',
    )
    this.name = 'TooLongAlone'
  }
}

/** The function to call between two tries of a refused transaction. */
const betweenTries = new AsyncLocalStorage<() => Promise<void>>()

/**
 * Runs `work`. If PostgreSQL refuses one of its transactions, `between` runs before each further try. The tries of a
 * large transaction may take a minute in all, so `between` lets the calls of other customers run.
 */
export function lettingOthersBetweenTries<Result>(
  between: () => Promise<void>,
  work: () => Promise<Result>,
): Promise<Result> {
  return betweenTries.run(between, work)
}

const alone = new AsyncLocalStorage<boolean>()

/**
 * Whether the transaction that begins now must run alone, because it was refused several times. Otherwise a large
 * transaction would be refused again and again while many small ones run, also those of other customers. A transaction
 * that runs alone waits for the end of all others, and transactions that begin later wait for it. Exceptions are
 * transactions with their own isolation level (`read committed`): they do not wait, and no transaction waits for them.
 * A transaction that runs alone for too long fails with `TooLongAlone`.
 */
export function runsAlone(): boolean {
  return alone.getStore() ?? false
}

/**
 * Runs a transaction, or a single statement outside a transaction, until PostgreSQL accepts it. A refused transaction
 * has changed nothing, and its reads do not count for the reading limit of the call: otherwise the number of refusals
 * would determine whether a call exceeds its limit. After several refusals `runsAlone` is true for the next tries.
 * After too many refusals the error of the last refusal is thrown. Any other error is thrown at once.
 */
export async function untilAccepted<Result>(work: () => Promise<Result>): Promise<Result> {
  const allowance = currentAllowance()
  const left = allowance?.left ?? 0
  for (let conflicts = 1; ; conflicts += 1) {
    try {
      return await alone.run(conflicts > refusalsBeforeAlone, work)
    } catch (error) {
      if (!isConflict(error) || conflicts > mostConflicts) throw error
      if (allowance !== null) allowance.left = left
      await setTimeout(Math.random() * Math.min(longestPauseMs, 2 ** conflicts))
      await betweenTries.getStore()?.()
    }
  }
}
