import { setTimeout } from 'node:timers/promises'

/** Number of times that PostgreSQL may refuse a transaction before its caller fails. */
const mostConflicts = 40
const longestPauseMs = 100

/** Returns the code of an error of the engine or of the system, or an empty text. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Whether PostgreSQL refused a transaction because of another one: serialization_failure or deadlock_detected. */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error))
}

/**
 * Runs a transaction, or a single statement outside a transaction, until PostgreSQL accepts it. A refused transaction
 * has changed nothing. After too many refusals the last refusal is thrown; any other error is thrown at once.
 */
export async function untilAccepted<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let conflicts = 1; ; conflicts += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isConflict(error) || conflicts > mostConflicts) throw error
      await setTimeout(Math.random() * Math.min(longestPauseMs, 2 ** conflicts))
    }
  }
}
