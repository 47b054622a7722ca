import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import { type CommandState, isOpen } from '#shared/domain/command-state.ts'
import type { PrintState } from '#shared/domain/print-state.ts'
import { errorCatalogue, type ErrorCode, retryPolicy } from '#shared/errors/catalogue.ts'
import type { Outcome } from '#ui/outcome.ts'

/** Where a return label stands, in the operator's words. */
export type LabelPhase =
  | 'working'
  | 'waiting'
  | 'login'
  /** Made, and open for change until somebody requests it. */
  | 'unrequested'
  /** Another sender is on its way. */
  | 'changing'
  | 'cancelling'
  | 'cancelled'
  /** The service refused the change or the cancelling: the label is as it was. */
  | 'unchanged'
  /** Requested, but nothing of it came out of this desk's printer. */
  | 'requested'
  | 'printed'
  | 'sent'
  | 'spooled'
  | 'scanned'
  | 'stopped'
  | 'set_aside'
  /** May have arrived; the desk is looking. */
  | 'checking'
  /** Looking did not tell. */
  | 'decide'
  | 'not_printed'
  /** What would come out is not as it should be: nothing is sent before somebody looked. */
  | 'print_held'
  | 'print_unknown'

const printPhases: Record<PrintState, LabelPhase> = {
  queued: 'working',
  sending: 'working',
  sent: 'sent',
  spooled: 'spooled',
  confirmed: 'printed',
  scan_confirmed: 'scanned',
  refused: 'not_printed',
  unknown: 'print_unknown',
  failed: 'not_printed',
}

const isPending = (state: CommandState | null): boolean => state !== null && isOpen(state)

/**
 * The one phase a label is in. What keeps it from going on comes before how far it came. `asked`: the desk looked
 * for a write of unknown outcome, could not tell, and waits for the operator (DeskStatus, needsOperator). `isHeld`: its print
 * waits for the operator, too (DeskStatus, waitingPrints).
 */
export function labelPhase(label: ReturnLabelView, asked: boolean, isHeld = false): LabelPhase {
  const { create, patch, request, cancel, print, requested } = label
  if (label.cancelled) return 'cancelled'
  if ([create, patch, request, cancel].includes('unknown')) return asked ? 'decide' : 'checking'
  if (create === 'rejected') return 'stopped'
  if (create === 'discarded') return 'set_aside'
  if (isPending(cancel)) return heldPhase(label) ?? 'cancelling'
  if (request === 'rejected' && !requested) return 'stopped'
  if (isHeld && (print?.state === 'queued' || print?.state === 'refused')) return 'print_held'
  if (print && printPhases[print.state] !== 'working') return printPhases[print.state]
  if (!print && !isPending(request) && wasOvertaken(label)) return 'requested'
  if (isRefused(label)) return 'unchanged'
  if (isSetAside(label)) return 'set_aside'
  // a request of ours goes on by itself until the label is printed; without one the label rests where it is
  const goesOn = isPending(create) || (request !== null && request !== 'discarded') || print !== null
  if (goesOn) return heldPhase(label) ?? 'working'
  if (isPending(patch)) return heldPhase(label) ?? 'changing'
  return requested ? 'requested' : 'unrequested'
}

/** Somebody requested the label before a change, a request or a cancelling of ours arrived (api.md, States: 412). */
export function wasOvertaken({ requested, failure }: ReturnLabelView): boolean {
  return requested && failure?.code === 'return_label.already_requested'
}

/** The last change was refused, and nothing was sent since: what came after it lifts the failure. */
function isRefused({ requested, patch, request, cancel, failure }: ReturnLabelView): boolean {
  const wasRefused = patch === 'rejected' || cancel === 'rejected'
  return wasRefused && !requested && failure !== null && !isPending(request)
}

/** The operator let the request rest; one that gave way to a later change or a cancelling is no decision. */
function isSetAside({ requested, patch, request, cancel }: ReturnLabelView): boolean {
  return request === 'discarded' && !requested && patch !== 'done' && !isPending(patch) && cancel === null
}

/** Why what is under way does not move, or null where it does. */
function heldPhase(label: ReturnLabelView): LabelPhase | null {
  const { failure } = label
  // a change that came too late keeps nothing else from going on
  if (wasOvertaken(label)) return null
  return failure && phaseOfFailure(failure.code)
}

export function phaseOfFailure(code: ErrorCode): LabelPhase {
  if (errorCatalogue[code].retry === 'later') return 'waiting'
  if (code === 'session.expired' || code === 'session.signed_out') return 'login'
  return code === 'printer.refused' ? 'not_printed' : 'stopped'
}

/** Refusals that a second label would meet again, whatever the catalogue says of the call itself. */
const refusedForGood: readonly ErrorCode[] = [
  'return_label.method_unsupported',
  'return_label.already_requested',
  'api.role_missing',
  'api.rejected',
]

/** Whether a new label may go better than this stopped one; if not, the parcel is set aside. */
export function canMakeAgain({ failure }: ReturnLabelView): boolean {
  return failure === null || (retryPolicy(failure.code) !== 'never' && !refusedForGood.includes(failure.code))
}

const outcomes: Record<LabelPhase, Outcome> = {
  working: 'none',
  waiting: 'look',
  login: 'look',
  unrequested: 'none',
  changing: 'none',
  cancelling: 'none',
  cancelled: 'done',
  unchanged: 'stop',
  requested: 'look',
  printed: 'done',
  sent: 'done',
  spooled: 'done',
  scanned: 'done',
  stopped: 'stop',
  set_aside: 'look',
  checking: 'look',
  decide: 'decide',
  not_printed: 'stop',
  print_held: 'decide',
  print_unknown: 'decide',
}

export function outcomeOfPhase(phase: LabelPhase): Outcome {
  return outcomes[phase]
}

export function outcomeOfPrint(state: PrintState): Outcome {
  return outcomes[printPhases[state]]
}
