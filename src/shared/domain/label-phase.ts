import { errorCatalogue, type ErrorCode } from '../errors/catalogue.ts'
import { type CommandState, isOpen } from './command-state.ts'
import { asksAboutPrint, type PrintState } from './print-job.ts'

/**
 * Where a return label stands, from the facts that the desk keeps of it. What can be done with it then is in
 * label-state.ts.
 *
 *   working (label) ──► working (request) ──► working (paper) ──► sent, spooled, printed ──► scanned
 *        │                    ▲                     │
 *        │ not requested yet  │                     └──► print_held, print_unknown, not_printed
 *        ▼                    │
 *   unrequested ─┬─ request ──┘
 *                ├─ another sender ──► changing ────► unrequested; refused: unchanged
 *                └─ cancel ──────────► cancelling ──► cancelled; refused: unchanged
 *
 *   Whatever is under way may instead be waiting (for the connection), login (needs one) or checking (it may have arrived),
 *   which ends as it would have, or as decide (looking did not tell). A refused creation or request is stopped; one that
 *   the operator gave up is set_aside; what another desk requested is requested: final, and without paper of this desk.
 */

export const labelPhases = [
  'working',
  'waiting',
  'login',
  /** Made, and open for change until somebody requests it. */
  'unrequested',
  /** Another sender is on its way. */
  'changing',
  'cancelling',
  'cancelled',
  /** The service refused the change or the cancelling: the label is as it was. */
  'unchanged',
  /** Requested, but nothing of it came out of this desk's printer. */
  'requested',
  'printed',
  'sent',
  'spooled',
  'scanned',
  'stopped',
  'set_aside',
  /** May have arrived; the desk is looking. */
  'checking',
  /** Looking did not tell. */
  'decide',
  'not_printed',
  /** The print does not look as it should: nothing is sent before somebody looked. */
  'print_held',
  'print_unknown',
] as const
export type LabelPhase = (typeof labelPhases)[number]

/** Which part of a label its phase is about. `file`: its paper is a PDF. `other_desk`: somebody else requested it. */
export const labelParts = ['label', 'request', 'patch', 'cancel', 'paper', 'file', 'other_desk'] as const
export type LabelPart = (typeof labelParts)[number]

/** `never`: the chain ended before it, as it was meant to. */
export const stepStates = ['todo', 'doing', 'done', 'waiting', 'stop', 'decide', 'never'] as const
export type StepState = (typeof stepStates)[number]
/** Make, request, keep, print: always these four, so that nothing on the card moves. */
export type LabelSteps = readonly [StepState, StepState, StepState, StepState]

/** All that the state of a label depends on. */
export interface LabelFacts {
  /** Done for a label that was made elsewhere. */
  readonly create: CommandState
  /** The newest of its kind; null: none was given. */
  readonly patch: CommandState | null
  readonly request: CommandState | null
  readonly cancel: CommandState | null
  /** A write of it waits for the operator's word. */
  readonly asked: boolean
  readonly requested: boolean
  readonly cancelled: boolean
  /** The PDF is in the vault. */
  readonly stored: boolean
  /** Made without a shipment. */
  readonly byHand: boolean
  /** The newest. `isHeld`: somebody has to look at it before it is sent. `isFile`: a PDF in the label folder. */
  readonly print: { readonly state: PrintState; readonly isHeld: boolean; readonly isFile: boolean } | null
  /** The first thing that keeps its chain from going on. */
  readonly failure: ErrorCode | null
}

type PhaseOf = (label: LabelFacts) => LabelPhase

/** A label is in the phase of the first row that holds. */
const phases: readonly (readonly [holds: (label: LabelFacts) => boolean, phase: LabelPhase | PhaseOf])[] = [
  [({ cancelled }) => cancelled, 'cancelled'],
  // nobody knows what arrived
  [(label) => isInDoubt(label) && label.asked, 'decide'],
  [isInDoubt, 'checking'],
  // there is no label
  [({ create }) => create === 'rejected', 'stopped'],
  [({ create }) => create === 'discarded', 'set_aside'],
  // it is being cancelled, or nobody requests it
  [({ cancel }) => isPending(cancel), unlessHindered('cancelling')],
  [({ request, requested }) => request === 'rejected' && !requested, 'stopped'],
  // its newest paper
  [isPrintHeld, 'print_held'],
  [({ print }) => print !== null && papers[print.state] !== null, phaseOfPaper],
  // the last write was refused or given up, and nothing came after it
  [(label) => isOvertaken(label) && !label.print && !isPending(label.request), 'requested'],
  [isRefused, 'unchanged'],
  [isSetAside, 'set_aside'],
  // a request goes on until the label is printed; without one the label rests where it is
  [isOnItsWay, unlessHindered('working')],
  [({ patch }) => isPending(patch), unlessHindered('changing')],
  [({ requested }) => requested, 'requested'],
  [() => true, 'unrequested'],
]

export function phaseOf(label: LabelFacts): LabelPhase {
  const [, phase] = phases.find(([holds]) => holds(label)) ?? [null, 'unrequested' as const]
  return typeof phase === 'string' ? phase : phase(label)
}

interface Paper {
  readonly phase: LabelPhase
  readonly step: StepState
}

/** What the newest print means for its label; null: it is under way. */
const papers: Readonly<Record<PrintState, Paper | null>> = {
  queued: null,
  sending: null,
  sent: { phase: 'sent', step: 'done' },
  spooled: { phase: 'spooled', step: 'done' },
  confirmed: { phase: 'printed', step: 'done' },
  scan_confirmed: { phase: 'scanned', step: 'done' },
  refused: { phase: 'not_printed', step: 'stop' },
  unknown: { phase: 'print_unknown', step: 'decide' },
  failed: { phase: 'not_printed', step: 'stop' },
}

function phaseOfPaper({ print }: LabelFacts): LabelPhase {
  return (print && papers[print.state]?.phase) ?? 'working'
}

export function partOf(phase: LabelPhase, label: LabelFacts): LabelPart {
  const { create, patch, request, cancel } = label
  switch (phase) {
    case 'working':
      if (label.print !== null || label.stored) return 'paper'
      return create === 'done' ? 'request' : 'label'
    case 'waiting':
      // a label that is made waits with what is to be changed about it
      if (create !== 'done' || isPending(request)) return 'label'
      if (isPending(cancel)) return 'cancel'
      return isPending(patch) ? 'patch' : 'label'
    case 'checking':
    case 'decide':
      if (cancel === 'unknown') return 'cancel'
      return patch === 'unknown' ? 'patch' : 'label'
    case 'unchanged':
      return patch === 'rejected' ? 'patch' : 'cancel'
    case 'stopped':
      // the label exists: only its paper does not
      return label.requested ? 'paper' : 'label'
    case 'requested':
      return isOvertaken(label) ? 'other_desk' : 'label'
    case 'printed':
      return label.print?.isFile ? 'file' : 'paper'
    default:
      return 'label'
  }
}

/** A label that is made stays made, whatever becomes of a change. */
export function stepsOf(phase: LabelPhase, label: LabelFacts): LabelSteps {
  const underWay = stepOfFailure(label.failure)
  const stepOf = (write: CommandState | null): StepState => {
    if (write === null) return 'todo'
    if (write === 'unknown') return label.asked ? 'decide' : 'waiting'
    if (write === 'done') return 'done'
    return isOver(write) ? 'stop' : underWay
  }
  const make = stepOf(label.create)
  if (label.cancelled) return [make, 'never', 'never', 'never']
  const request = label.requested ? 'done' : make === 'done' ? stepOf(label.request) : 'todo'
  const isWanted = label.request !== null || label.print !== null
  const keep = label.stored ? 'done' : request === 'done' && isWanted ? underWay : 'todo'
  if (keep !== 'done' || !isWanted) return [make, request, keep, 'todo']
  return [make, request, keep, phase === 'print_held' ? 'decide' : printStep(label, underWay)]
}

function printStep({ print }: LabelFacts, underWay: StepState): StepState {
  if (!print) return underWay
  // a PDF in the label folder still has to be printed from there
  if (print.isFile && print.state !== 'scan_confirmed') return 'todo'
  return papers[print.state]?.step ?? underWay
}

/** How the list of labels names it; `waiting`: something of it waits to be sent. */
export const listedLabelStates = ['waiting', 'unrequested', 'requested', 'cancelled', 'stopped'] as const
export type ListedLabelState = (typeof listedLabelStates)[number]

/** How far the service has it, whatever becomes of its paper. */
export function listedLabelState(label: LabelFacts): ListedLabelState {
  const { create, patch, request, cancel } = label
  if (label.cancelled) return 'cancelled'
  if ([create, patch, request, cancel].some(isPending)) return 'waiting'
  if (label.requested) return 'requested'
  return create === 'done' ? 'unrequested' : 'stopped'
}

export function isPending(write: CommandState | null): boolean {
  return write !== null && isOpen(write)
}

/** It will not arrive any more. */
export function isOver(write: CommandState | null): boolean {
  return write === 'rejected' || write === 'discarded'
}

function isInDoubt({ create, patch, request, cancel }: LabelFacts): boolean {
  return [create, patch, request, cancel].includes('unknown')
}

function isPrintHeld({ print }: LabelFacts): boolean {
  return print !== null && print.state !== 'unknown' && asksAboutPrint(print.state, print.isHeld)
}

/** Somebody requested the label before a change, a request or a cancelling of ours arrived (API.md 8.3: 412). */
function isOvertaken({ requested, failure }: LabelFacts): boolean {
  return requested && failure === 'return_label.already_requested'
}

/** The last change was refused, and nothing was sent since: what came after it lifts the failure. */
function isRefused({ requested, patch, request, cancel, failure }: LabelFacts): boolean {
  const wasRefused = patch === 'rejected' || cancel === 'rejected'
  return wasRefused && !requested && failure !== null && !isPending(request)
}

/** The operator let the request rest; one that gave way to a later change or a cancelling is no decision. */
function isSetAside({ requested, patch, request, cancel }: LabelFacts): boolean {
  return request === 'discarded' && !requested && patch !== 'done' && !isPending(patch) && cancel === null
}

function isOnItsWay({ create, request, print }: LabelFacts): boolean {
  return isPending(create) || (request !== null && request !== 'discarded') || print !== null
}

/** That phase, unless something keeps it from going on; a change that came too late keeps nothing else. */
function unlessHindered(phase: LabelPhase): PhaseOf {
  return (label) => (label.failure === null || isOvertaken(label) ? phase : phaseOfFailure(label.failure))
}

function phaseOfFailure(code: ErrorCode): LabelPhase {
  if (errorCatalogue[code].retry === 'later') return 'waiting'
  if (code === 'session.expired' || code === 'session.signed_out') return 'login'
  return code === 'printer.refused' ? 'not_printed' : 'stopped'
}

/** What the first unfinished step shows. */
function stepOfFailure(failure: ErrorCode | null): StepState {
  if (failure === null) return 'doing'
  const phase = phaseOfFailure(failure)
  return phase === 'waiting' || phase === 'login' ? 'waiting' : 'stop'
}
