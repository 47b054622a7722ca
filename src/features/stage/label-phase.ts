import type { ReturnLabelView } from '#shared/bridge/views.ts'
import type { CommandState } from '#shared/domain/command-state.ts'
import type { PrintState } from '#shared/domain/print-state.ts'
import { errorCatalogue, type ErrorCode, retryPolicy } from '#shared/errors/catalogue.ts'
import type { Outcome } from '#ui/outcome.ts'

/** Where a return label stands, in the operator's words. */
export type LabelPhase =
  | 'working'
  | 'waiting'
  | 'login'
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
  | 'print_unknown'

export type StepState = 'todo' | 'doing' | 'done' | 'waiting' | 'stop' | 'decide'

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

/**
 * The one phase a label is in. What keeps it from going on comes before how far it came. `asked`: the desk looked
 * for a write of unknown outcome, could not tell, and waits for the operator (DeskStatus, needsOperator).
 */
export function labelPhase(label: ReturnLabelView, asked: boolean): LabelPhase {
  const writes = [label.create, label.request]
  if (writes.includes('unknown')) return asked ? 'decide' : 'checking'
  if (writes.includes('discarded')) return 'set_aside'
  if (writes.includes('rejected')) return 'stopped'
  if (label.print && printPhases[label.print.state] !== 'working') return printPhases[label.print.state]
  return label.failure ? phaseOfFailure(label.failure.code) : 'working'
}

function phaseOfFailure(code: keyof typeof errorCatalogue): LabelPhase {
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
  printed: 'done',
  sent: 'done',
  spooled: 'done',
  scanned: 'done',
  stopped: 'stop',
  set_aside: 'look',
  checking: 'look',
  decide: 'decide',
  not_printed: 'stop',
  print_unknown: 'decide',
}

export function outcomeOfPhase(phase: LabelPhase): Outcome {
  return outcomes[phase]
}

/** Create, request, keep, print: always these four, so that nothing on the card moves. */
export function labelSteps(
  label: ReturnLabelView,
  asked: boolean,
): [StepState, StepState, StepState, StepState] {
  const held = heldState(label)
  const writeStep = (state: CommandState): StepState => {
    if (state === 'done') return 'done'
    if (state === 'unknown') return asked ? 'decide' : 'waiting'
    return state === 'rejected' || state === 'discarded' ? 'stop' : held
  }
  const create = writeStep(label.create)
  const request = create === 'done' ? writeStep(label.request) : 'todo'
  const store = label.stored ? 'done' : request === 'done' ? held : 'todo'
  return [create, request, store, store === 'done' ? printStep(label, held) : 'todo']
}

/** What the first unfinished step shows: busy, unless something keeps it. */
function heldState(label: ReturnLabelView): StepState {
  if (!label.failure) return 'doing'
  const phase = phaseOfFailure(label.failure.code)
  return phase === 'waiting' || phase === 'login' ? 'waiting' : 'stop'
}

function printStep(label: ReturnLabelView, held: StepState): StepState {
  if (!label.print) return held
  const outcome = outcomes[printPhases[label.print.state]]
  return outcome === 'done' || outcome === 'stop' || outcome === 'decide' ? outcome : held
}
