import type { QueueChoice, QueueQuestion } from '../bridge/queue-views.ts'
import type { ErrorCode } from '../errors/catalogue.ts'
import { type CommandState, isOpen } from './command-state.ts'

/** What a write looks like to somebody who has to decide about it. */
export interface WriteStanding {
  readonly state: CommandState
  /** No try of it can have arrived. */
  readonly isUntouched: boolean
  readonly question: QueueQuestion['kind'] | null
  /** Why it was refused or has not gone; null: nothing is known against it. */
  readonly failure: ErrorCode | null
  /** How many records of the service the question shows. */
  readonly records: number
}

/** The same again would meet the same answer, whatever is put right around it. */
const refusedAsItIs: readonly ErrorCode[] = [
  'return_label.method_unsupported',
  'return_label.already_requested',
]

/**
 * What may be done about a write, in the order in which it is offered. Only what surely did not arrive can be changed;
 * what is on its way is left alone until it is known how that ended.
 */
export function choicesOf({ state, isUntouched, question, failure, records }: WriteStanding): QueueChoice[] {
  const adopt: QueueChoice[] = records > 0 ? ['adopt'] : []
  const edit: QueueChoice[] = isUntouched ? ['edit'] : []
  const retry: QueueChoice[] = failure !== null && refusedAsItIs.includes(failure) ? [] : ['retry']
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

/** Whether a write waits for somebody's decision rather than for something. */
export function isAsking(state: CommandState, needsOperator: boolean): boolean {
  return state === 'rejected' || (isOpen(state) && needsOperator)
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** How long a write that was ambiguous once may still turn up at the service a second time. */
export const watchForMs = 24 * hourMs

/** Milliseconds after its last ambiguous end at which the service is looked at: 1, 5, 15 minutes, then every hour. */
const watchOffsets = [
  minuteMs,
  5 * minuteMs,
  15 * minuteMs,
  ...Array.from({ length: 24 }, (_, hour) => (hour + 1) * hourMs),
]

/**
 * When the service is looked at next for a late arrival; null: it was watched long enough. `endedAt`: the last ambiguous
 * end; `watchedAt`: the last look since, or null. Milliseconds since 1970.
 */
export function nextWatchAt(endedAt: number, watchedAt: number | null): number | null {
  const seen = Math.max(0, (watchedAt ?? endedAt) - endedAt)
  const next = watchOffsets.find((offset) => offset > seen)
  return next === undefined ? null : endedAt + next
}
