import { errorCatalogue, type ErrorCode } from '../errors/catalogue.ts'
import type { Role } from '../wire/roles.ts'
import {
  isOver,
  isPending,
  type LabelFacts,
  type LabelPart,
  type LabelPhase,
  type LabelSteps,
  partOf,
  phaseOf,
  stepsOf,
} from './label-phase.ts'
import { type CommandReason, commandReasons } from './commands.ts'

/**
 * The state of a return label as shown: its phase and steps (label-phase.ts), and the acts that it allows. Main
 * computes this state for each view that it sends; the window only shows the state.
 */
export interface LabelState {
  readonly phase: LabelPhase
  /** What the phase is about, such as the label's cancellation or its paper. */
  readonly about: LabelPart
  readonly steps: LabelSteps
  readonly acts: LabelActs
  readonly bars: LabelBars
  /**
   * Whether the label is cancelled, or its creation was refused or given up. If so, its shipment counts as having no
   * label.
   */
  readonly isVoid: boolean
}

export function labelState(label: LabelFacts): LabelState {
  const phase = phaseOf(label)
  const acts = actsOfPhase[phase]
  return {
    phase,
    about: partOf(phase, label),
    steps: stepsOf(phase, label),
    acts: typeof acts === 'function' ? acts(label) : acts,
    bars: labelBars(label),
    isVoid: label.cancelled || isOver(label.create),
  }
}

/** Acts on a label, or on a shipment that has no label. */
export const labelActs = [
  'make',
  /** Repeats the failed step, after a cause outside the desk was corrected. */
  'make_again',
  'request',
  /** Downloads the PDF of an existing label again, for example because the first download was not a PDF. */
  'fetch',
  /** Prints the label again. If it was possibly printed before, the window first asks for the reason. */
  'reprint',
  /** The two acts `method` and `address` open the label's form. */
  'method',
  'address',
  /** Cancels the label. The window first asks the operator for a confirmation. */
  'cancel',
] as const
export type LabelAct = (typeof labelActs)[number]

/**
 * The acts that a card offers. Enter does the primary act. The other acts are shown beside it, in this order: up to
 * three acts on a label, or up to five answers to a question.
 */
export interface LabelActs<Act = LabelAct> {
  readonly primary: Act | null
  readonly others: readonly Act[]
}

const offer = (primary: LabelAct | null, ...others: readonly LabelAct[]): LabelActs => ({ primary, others })
const nothing = offer(null)

/**
 * The acts that a shipment without a label allows: create a label with the default method, with another method or with
 * another sender.
 */
export const withoutLabel = offer('make', 'method', 'address')

type ActsOf = (label: LabelFacts) => LabelActs

/** Offers to print the stored PDF again, but not as the primary act, so that Enter does not do it. */
const printed: ActsOf = ({ stored }) => (stored ? offer(null, 'reprint') : nothing)

/**
 * Offers to create a label again. A label without a shipment is created in its form. A label of a shipment is created
 * at once, or in the form with another method or sender.
 */
const actsWithoutLabel: ActsOf = ({ byHand }) => (byHand ? offer('address') : withoutLabel)

/** Offers to change or cancel a label that is still open for changes, and to print any other label again. */
const takenBack: ActsOf = (label) =>
  isOpenForChange(label) ? offer(null, 'address', 'cancel') : printed(label)

const actsOfPhase: Readonly<Record<LabelPhase, LabelActs | ActsOf>> = {
  working: printed,
  waiting: takenBack,
  login: takenBack,
  unrequested: offer('request', 'address', 'cancel'),
  changing: printed,
  cancelling: printed,
  cancelled: actsWithoutLabel,
  unchanged: ({ patch }) =>
    patch === 'rejected' ? offer('address', 'request', 'cancel') : offer('request', 'address'),
  requested: offer('reprint'),
  printed,
  sent: printed,
  spooled: printed,
  scanned: printed,
  stopped: stoppedActs,
  set_aside: actsWithoutLabel,
  checking: printed,
  decide: printed,
  not_printed: (label) => (label.stored ? offer('reprint') : withoutPdf(label)),
  // no act is offered for a held print here, because the screen of the prints shows it and asks for the decision
  print_held: nothing,
  print_unknown: printed,
}

/** Offers to download the PDF of a requested label, unless the service would refuse it again. */
function withoutPdf({ requested, failure }: LabelFacts): LabelActs {
  return requested && !isHopeless(failure) ? offer('fetch') : nothing
}

/**
 * Returns the acts that a stopped label allows after its failure: the same step again, another method, another sender,
 * or none.
 */
function stoppedActs(label: LabelFacts): LabelActs {
  const { create, requested, stored, byHand, failure } = label
  // only the PDF of the label is missing, which is never a reason for a second label
  if (requested && !stored) return withoutPdf(label)
  // no second label is offered, because a requested label exists already and the carrier may charge for each label
  if (create === 'done' && requested && !canBeMadeAgain(failure)) return printed(label)
  const exists = isOpenForChange(label)
  switch (failure) {
    case 'return_label.method_unsupported':
      // an existing label keeps its method: to use another one, the operator cancels it first
      return exists ? offer(null, 'cancel') : offer('method')
    case 'return_label.address_invalid':
      return offer('address')
    case 'api.rejected':
    case 'api.role_missing':
      if (exists) return offer(null, 'make_again', 'cancel', 'address')
      return byHand ? offer(null, 'make_again', 'address') : offer(null, 'make_again', 'method', 'address')
    default:
      return canBeMadeAgain(failure) ? actsWithoutLabel(label) : printed(label)
  }
}

function canBeMadeAgain(failure: ErrorCode | null): boolean {
  return failure === null || !(isHopeless(failure) || errorCatalogue[failure].retry === 'change')
}

/** Whether the service would refuse an unchanged request again. */
function isHopeless(failure: ErrorCode | null): boolean {
  return failure !== null && errorCatalogue[failure].retry === 'never'
}

/**
 * The error with which each act on a label would be refused; null: the act is allowed. `change`: a change of the
 * sender.
 */
export interface LabelBars {
  readonly request: ErrorCode | null
  readonly change: ErrorCode | null
  readonly cancel: ErrorCode | null
  readonly print: ErrorCode | null
}

/**
 * Returns the error with which each act on a label would be refused: a label that is requested or cancelled cannot
 * change (API.md 8.3).
 */
export function labelBars({ create, request, cancel, requested, cancelled, stored }: LabelFacts): LabelBars {
  const isEnded = cancelled || isPending(cancel)
  const gone = cancelled || cancel !== null ? 'return_label.cancelled' : 'return_label.unknown'
  const ended = isEnded || isOver(create) ? gone : null
  const final = requested ? 'return_label.already_requested' : null
  const unkept = requested || request !== null ? 'return_label.no_document' : 'return_label.not_made_yet'
  return {
    request: ended,
    change: ended ?? final,
    cancel: isEnded ? 'return_label.cancelled' : final,
    print: stored ? null : unkept,
  }
}

function isOpenForChange(label: LabelFacts): boolean {
  return labelBars(label).change === null
}

/** An act that prints a label again, with the reason of the operator. It is needed if the label may be on paper. */
export type ReprintAct = `reprint_${CommandReason}`
/** The answers to the questions that the window asks before it does an act. */
export type AnswerAct = 'confirm_cancel' | 'keep' | 'as_is' | ReprintAct

/**
 * The questions that the window may ask about a label, and their answers. Enter gives the `primary` answer. The
 * question `reprint` has no such answer, so that Enter never chooses the reason for printing a label again.
 */
export const labelQuestions = {
  cancel: { primary: 'confirm_cancel', others: ['keep'] },
  reprint: {
    primary: null,
    others: [...commandReasons.map((reason) => `reprint_${reason}` as const), 'as_is'],
  },
} as const satisfies Record<string, LabelActs<AnswerAct>>
export type LabelQuestion = keyof typeof labelQuestions

/** Returns the reason that an act gives for printing a label again, or null for other acts. */
export function reasonOfAct(act: LabelAct | AnswerAct): CommandReason | null {
  return commandReasons.find((reason) => act === `reprint_${reason}`) ?? null
}

/**
 * Returns the roles that an act needs. `make` and `make_again` create a label and request it. `bars`: the errors with
 * which acts on the label would be refused; null: there is no label.
 */
export function rolesFor(act: LabelAct | AnswerAct, bars: LabelBars | null): readonly Role[] {
  switch (act) {
    case 'make':
    case 'make_again':
      return ['RETURN_LABELS_CREATE', 'RETURN_LABELS_REQUEST']
    case 'method':
      return ['RETURN_LABELS_CREATE']
    case 'address':
      return [bars?.change === null ? 'RETURN_LABELS_UPDATE' : 'RETURN_LABELS_CREATE']
    case 'request':
      return ['RETURN_LABELS_REQUEST']
    case 'cancel':
    case 'confirm_cancel':
      return ['RETURN_LABELS_CANCEL']
    default:
      return []
  }
}
