import { errorCatalogue, type ErrorCode } from '../errors/catalogue.ts'
import { type CommandState, isOpen } from './command-state.ts'
import { asksAboutPrint, type PrintState } from './print-job.ts'

/**
 * The phase of a return label, derived from the facts that the desk keeps of it. The acts that a phase allows are in
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
 *   A step in progress may instead have the phase `waiting` (for the connection), `login` (a login is needed) or
 *   `checking` (the write may have arrived). `checking` ends like the step itself, or with `decide` (a query could not
 *   determine the outcome). A label whose creation or request was refused is `stopped`; if the operator gave the write
 *   up, it is `set_aside`. `requested` is final: another desk requested the label, and this desk did not print it.
 */

export const labelPhases = [
  'working',
  'waiting',
  'login',
  /** The label is created, and can be changed until a desk requests it. */
  'unrequested',
  /** A change of the sender is being sent. */
  'changing',
  'cancelling',
  'cancelled',
  /** The service refused the change or the cancellation: the label has not changed. */
  'unchanged',
  /** The label is requested, but no printer of this desk printed it. */
  'requested',
  'printed',
  'sent',
  'spooled',
  'scanned',
  'stopped',
  'set_aside',
  /** The write may have arrived, and the desk is looking for it at the service. */
  'checking',
  /** A look could not determine whether the write arrived, so the operator must decide. */
  'decide',
  'not_printed',
  /**
   * The page is possibly not the expected label, or does not fit on the paper, so it is not printed before an operator
   * has decided.
   */
  'print_held',
  'print_unknown',
] as const
export type LabelPhase = (typeof labelPhases)[number]

/**
 * What the phase of a label is about: the whole label, one of its writes (`request`, `patch`, `cancel`) or its paper.
 * `file`: the paper is a PDF in the label folder. `other_desk`: another desk requested the label.
 */
export const labelParts = ['label', 'request', 'patch', 'cancel', 'paper', 'file', 'other_desk'] as const
export type LabelPart = (typeof labelParts)[number]

/** The states of a step of a label. `never`: the label was cancelled, so the step will not be done. */
export const stepStates = ['todo', 'doing', 'done', 'waiting', 'stop', 'decide', 'never'] as const
export type StepState = (typeof stepStates)[number]
/**
 * The steps of a label: create, request, store, print. There are always four steps, so that nothing on the card moves.
 */
export type LabelSteps = readonly [StepState, StepState, StepState, StepState]

/** All facts on which the state of a label depends. */
export interface LabelFacts {
  /** The state of the label's creation; `done` for a label that was created elsewhere. */
  readonly create: CommandState
  /** The state of the newest change of the sender; null: there was no change. */
  readonly patch: CommandState | null
  readonly request: CommandState | null
  readonly cancel: CommandState | null
  /** Whether a write of the label waits for the operator's decision. */
  readonly asked: boolean
  readonly requested: boolean
  readonly cancelled: boolean
  /** Whether the PDF is stored in the folder `vault` of this desk. */
  readonly stored: boolean
  /** Whether the label was created without a shipment. */
  readonly byHand: boolean
  /**
   * The newest print of the label. `isHeld`: an operator must check the print before it is sent. `isFile`: a PDF in the
   * label folder.
   */
  readonly print: { readonly state: PrintState; readonly isHeld: boolean; readonly isFile: boolean } | null
  /** The first failure that stops the steps of the label; null: there is none. */
  readonly failure: ErrorCode | null
}

type PhaseOf = (label: LabelFacts) => LabelPhase

/** A label is in the phase of the first row whose condition is true. */
const phases: readonly (readonly [holds: (label: LabelFacts) => boolean, phase: LabelPhase | PhaseOf])[] = [
  [({ cancelled }) => cancelled, 'cancelled'],
  // the phases of a label with a write whose outcome is unknown
  [(label) => isInDoubt(label) && label.asked, 'decide'],
  [isInDoubt, 'checking'],
  // the phases of a label that was not created
  [({ create }) => create === 'rejected', 'stopped'],
  [({ create }) => create === 'discarded', 'set_aside'],
  // the phases of a label that is being cancelled, or whose request was refused
  [({ cancel }) => isPending(cancel), unlessHindered('cancelling')],
  [({ request, requested }) => request === 'rejected' && !requested, 'stopped'],
  // the phases of a label whose newest print waits for a decision of the operator or has ended
  [isPrintHeld, 'print_held'],
  [({ print }) => print !== null && papers[print.state] !== null, phaseOfPaper],
  // the phases of a label whose last write was refused or given up
  [(label) => isOvertaken(label) && !label.print && !isPending(label.request), 'requested'],
  [isRefused, 'unchanged'],
  [isSetAside, 'set_aside'],
  // the phases of a label without an uncertain, refused or given-up write
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

/** The phase and step of a label by the state of its newest print; null: the print is still in progress. */
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
      // `waiting` is about the whole label if the label is not created yet or its request is pending; otherwise it is
      // about the pending cancellation or change of the sender, if there is one
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
      // a requested label exists at the service, and only its PDF or its print is missing, so the phase is about its
      // paper
      return label.requested ? 'paper' : 'label'
    case 'requested':
      return isOvertaken(label) ? 'other_desk' : 'label'
    case 'printed':
      return label.print?.isFile ? 'file' : 'paper'
    default:
      return 'label'
  }
}

/** Returns the steps of a label. A created label stays created, whatever the result of a change. */
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
  // a PDF in the label folder still has to be printed from there, so the step is not done
  if (print.isFile && print.state !== 'scan_confirmed') return 'todo'
  return papers[print.state]?.step ?? underWay
}

/** The state of a label in the list of labels; `waiting`: a write of the label has no certain outcome yet. */
export const listedLabelStates = ['waiting', 'unrequested', 'requested', 'cancelled', 'stopped'] as const
export type ListedLabelState = (typeof listedLabelStates)[number]

/** Returns the state of a label at the service, whatever the state of its paper. */
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

/**
 * Returns true for a write that the service refused and for a write that an operator gave up. A write whose outcome was
 * unknown when it was given up may have arrived nevertheless.
 */
export function isOver(write: CommandState | null): boolean {
  return write === 'rejected' || write === 'discarded'
}

function isInDoubt({ create, patch, request, cancel }: LabelFacts): boolean {
  return [create, patch, request, cancel].includes('unknown')
}

function isPrintHeld({ print }: LabelFacts): boolean {
  return print !== null && print.state !== 'unknown' && asksAboutPrint(print.state, print.isHeld)
}

/**
 * Whether a change, a request or a cancellation of this desk failed because another desk or program had already
 * requested the label (API.md 8.3: 412).
 */
function isOvertaken({ requested, failure }: LabelFacts): boolean {
  return requested && failure === 'return_label.already_requested'
}

/**
 * Whether the last change or cancellation was refused and no later write of the label followed. A later write clears
 * the failure.
 */
function isRefused({ requested, patch, request, cancel, failure }: LabelFacts): boolean {
  const wasRefused = patch === 'rejected' || cancel === 'rejected'
  return wasRefused && !requested && failure !== null && !isPending(request)
}

/**
 * Whether the operator gave up the request. A request that was replaced by a later change or a cancellation does not
 * count.
 */
function isSetAside({ requested, patch, request, cancel }: LabelFacts): boolean {
  return request === 'discarded' && !requested && patch !== 'done' && !isPending(patch) && cancel === null
}

function isOnItsWay({ create, request, print }: LabelFacts): boolean {
  return isPending(create) || (request !== null && request !== 'discarded') || print !== null
}

/**
 * Returns a function for the phase of a label. A label without a failure has the given phase, and a label with a
 * failure has the phase of this failure. Exception: if a write was refused because another desk or program had already
 * requested the label (`isOvertaken`), the label has the given phase.
 */
function unlessHindered(phase: LabelPhase): PhaseOf {
  return (label) => (label.failure === null || isOvertaken(label) ? phase : phaseOfFailure(label.failure))
}

function phaseOfFailure(code: ErrorCode): LabelPhase {
  if (errorCatalogue[code].retry === 'later') return 'waiting'
  if (code === 'session.expired' || code === 'session.signed_out') return 'login'
  return code === 'printer.refused' ? 'not_printed' : 'stopped'
}

/** Returns the state of the first step that is not finished. */
function stepOfFailure(failure: ErrorCode | null): StepState {
  if (failure === null) return 'doing'
  const phase = phaseOfFailure(failure)
  return phase === 'waiting' || phase === 'login' ? 'waiting' : 'stop'
}
