import type { Instant } from './instants.ts'
import type { QueueChoice, QueueQuestion } from '../bridge/queue-views.ts'
import { type ErrorCode, retryPolicy } from '../errors/catalogue.ts'
import { type CommandState, isOpen } from './command-state.ts'

/** The facts of a write on which the operator's choices depend. */
export interface WriteStanding {
  readonly state: CommandState
  /** Whether it is certain that no attempt to send the write had an effect at the service. */
  readonly isUntouched: boolean
  readonly question: QueueQuestion['kind'] | null
  /** Why the write was refused or could not be sent; null: there is no failure. */
  readonly failure: ErrorCode | null
  /** The number of the service's records that the question shows. */
  readonly records: number
}

/**
 * Returns the choices for a write, in the order in which they are offered. A write can be changed only if it certainly
 * did not arrive. A write that is being sent has no choices until its outcome is certain.
 */
export function choicesOf({ state, isUntouched, question, failure, records }: WriteStanding): QueueChoice[] {
  const adopt: QueueChoice[] = records > 0 ? ['adopt'] : []
  const edit: QueueChoice[] = isUntouched ? ['edit'] : []
  const retry: QueueChoice[] = failure !== null && retryPolicy(failure) === 'change' ? [] : ['retry']
  if (state === 'sending' || state === 'done' || state === 'discarded') return []
  switch (question) {
    case 'outcome':
      return [...adopt, 'send_again', 'discard', 'later']
    case 'exists':
      return [...adopt, 'go_on', ...edit, 'discard', 'later']
    case 'changed':
      return [...edit, 'retry', 'discard', 'later']
    case 'refused':
      return ['edit', ...retry, 'discard']
    case null:
      return ['retry', ...edit, 'discard']
  }
}

/** Whether a write waits for an operator's decision, not for a connection or an earlier write. */
export function isAsking(state: CommandState, needsOperator: boolean): boolean {
  return state === 'rejected' || (isOpen(state) && needsOperator)
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** The longest time between two planned checks for a late arrival of a write, in milliseconds. */
export const longestWatchGapMs = hourMs

/**
 * The desk checks the service for the write at these times after its last ambiguous outcome, in milliseconds: 1, 5, 15
 * minutes, then every hour up to 24 hours.
 */
const watchOffsets = [
  minuteMs,
  5 * minuteMs,
  15 * minuteMs,
  ...Array.from({ length: 24 }, (_, hour) => (hour + 1) * longestWatchGapMs),
]

/**
 * Returns when to check the service again for a late arrival of a write; null: no further check is needed. `from`:
 * time of the last ambiguous outcome, or of the check at which the checks began again; `watchedAt`: time of the last
 * check since then, or null. All in milliseconds since 1970.
 */
export function nextWatchAt(from: Instant, watchedAt: Instant | null): Instant | null {
  const seen = Math.max(0, (watchedAt ?? from) - from)
  const next = watchOffsets.find((offset) => offset > seen)
  return next === undefined ? null : from + next
}
