import type { ModificationView } from '#shared/bridge/stock-views.ts'
import { retryPolicy } from '#shared/errors/catalogue.ts'
import type { Outcome } from '#ui/outcome.ts'

/** Where a booked modification stands, in the operator's words. */
export type BookingPhase =
  | 'working'
  | 'waiting'
  | 'login'
  | 'done'
  /** Somebody in the warehouse turned it down. */
  | 'disapproved'
  | 'rejected'
  | 'set_aside'
  /** May have arrived; the desk is looking. */
  | 'checking'
  /** Looking did not tell. */
  | 'decide'

/** The one phase of a booking. `asked`: the desk waits for the operator's word on it (DeskStatus, needsOperator). */
export function bookingPhase({ create, status, failure }: ModificationView, asked: boolean): BookingPhase {
  if (create === 'unknown') return asked ? 'decide' : 'checking'
  if (create === 'rejected') return 'rejected'
  if (create === 'discarded') return 'set_aside'
  if (create === 'done') return status === 'disapproved' ? 'disapproved' : 'done'
  if (!failure) return 'working'
  if (failure.code === 'session.expired' || failure.code === 'session.signed_out') return 'login'
  return retryPolicy(failure.code) === 'later' ? 'waiting' : 'rejected'
}

/** Whether its facts may become the draft of another try: the service refused it, or the warehouse disapproved it. */
export function mayCorrect(phase: BookingPhase, { correctedBy }: ModificationView): boolean {
  return phase === 'rejected' || (phase === 'disapproved' && correctedBy === null)
}

const outcomes: Record<BookingPhase, Outcome> = {
  working: 'none',
  waiting: 'look',
  login: 'look',
  done: 'done',
  disapproved: 'look',
  rejected: 'stop',
  set_aside: 'look',
  checking: 'look',
  decide: 'decide',
}

export function outcomeOfBooking(phase: BookingPhase): Outcome {
  return outcomes[phase]
}
