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
import { type AskedReason, askedReasons } from './commands.ts'

/**
 * The one state of a return label: its phase and steps (label-phase.ts), and what can be done with it. Main computes it
 * for each view that it gives out; the window draws it and derives nothing.
 */
export interface LabelState {
  readonly phase: LabelPhase
  /** What of the label the phase is about. */
  readonly about: LabelPart
  readonly steps: LabelSteps
  readonly acts: LabelActs
  readonly bars: LabelBars
  /** Cancelled, or never made: its shipment has no label by it. */
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

/** What can be done with a label, or with a shipment that has none. */
export const labelActs = [
  'make',
  /** The same once more, after something outside the desk was put right. */
  'make_again',
  'request',
  /** The label is there, but its PDF did not come as one. */
  'fetch',
  /** Where there may be a paper already the window asks why; nothing is printed yet. */
  'reprint',
  /** These two open the label's form. */
  'method',
  'address',
  /** The window asks whether it is meant; nothing is sent yet. */
  'cancel',
] as const
export type LabelAct = (typeof labelActs)[number]

/** What a card offers: Enter does the primary act, and at most three others stand beside it, in this order. */
export interface LabelActs<Act = LabelAct> {
  readonly primary: Act | null
  readonly others: readonly Act[]
}

const offer = (primary: LabelAct | null, ...others: readonly LabelAct[]): LabelActs => ({ primary, others })
const nothing = offer(null)

/** A shipment without a label: make one, its own way or another. */
export const withoutLabel = offer('make', 'method', 'address')

type ActsOf = (label: LabelFacts) => LabelActs

/** The kept PDF is printed once more, but never by Enter. */
const printed: ActsOf = ({ stored }) => (stored ? offer(null, 'reprint') : nothing)

/** A label by hand is made anew in its form; one of a shipment needs only a word, or another method or sender. */
const anew: ActsOf = ({ byHand }) => (byHand ? offer('address') : withoutLabel)

/** What has not left yet can still be changed and taken back. */
const takenBack: ActsOf = (label) =>
  isOpenForChange(label) ? offer(null, 'address', 'cancel') : printed(label)

const actsOfPhase: Readonly<Record<LabelPhase, LabelActs | ActsOf>> = {
  working: printed,
  waiting: takenBack,
  login: takenBack,
  unrequested: offer('request', 'address', 'cancel'),
  changing: printed,
  cancelling: printed,
  cancelled: anew,
  unchanged: ({ patch }) =>
    patch === 'rejected' ? offer('address', 'request', 'cancel') : offer('request', 'address'),
  requested: offer('reprint'),
  printed,
  sent: printed,
  spooled: printed,
  scanned: printed,
  stopped: stoppedActs,
  set_aside: anew,
  checking: printed,
  decide: printed,
  not_printed: ({ stored }) => (stored ? offer('reprint') : nothing),
  // it is seen and decided where the paper is
  print_held: nothing,
  print_unknown: printed,
}

/** The failure says what helps: the same again, another method, another sender, or nothing. */
function stoppedActs(label: LabelFacts): LabelActs {
  const { create, requested, stored, byHand, failure } = label
  // its PDF is what is missing: never a reason for a second label
  if (requested && !stored) return isHopeless(failure) ? nothing : offer('fetch')
  // the label exists: a second one would be a second parcel to pay for
  if (create === 'done' && requested && !canBeMadeAgain(failure)) return printed(label)
  const exists = isOpenForChange(label)
  switch (failure) {
    case 'return_label.method_unsupported':
      // a label that is there keeps its method: another one means cancelling it first
      return exists ? offer(null, 'cancel') : offer('method')
    case 'return_label.address_invalid':
      return offer('address')
    case 'api.rejected':
    case 'api.role_missing':
      if (exists) return offer(null, 'make_again', 'cancel', 'address')
      return byHand ? offer(null, 'make_again', 'address') : offer(null, 'make_again', 'method', 'address')
    default:
      return canBeMadeAgain(failure) ? anew(label) : printed(label)
  }
}

/** Refusals that a second label would meet again, although somebody can do something about them. */
const refusedForGood: readonly ErrorCode[] = [
  'return_label.method_unsupported',
  'return_label.already_requested',
]

function canBeMadeAgain(failure: ErrorCode | null): boolean {
  return failure === null || !(isHopeless(failure) || refusedForGood.includes(failure))
}

/** The same again would meet the same answer. */
function isHopeless(failure: ErrorCode | null): boolean {
  return failure !== null && errorCatalogue[failure].retry === 'never'
}

/** Why a wish would be refused; null: it would not. `change`: another sender. */
export interface LabelBars {
  readonly request: ErrorCode | null
  readonly change: ErrorCode | null
  readonly cancel: ErrorCode | null
  readonly print: ErrorCode | null
}

/** API.md 8.3: once it is requested or cancelled nothing of it changes. */
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

/** Says why a label of which there may be a paper is printed once more, and prints it. */
export type ReprintAct = `reprint_${AskedReason}`
/** The answers to what the window asks before it does an act. */
export type AnswerAct = 'confirm_cancel' | 'keep' | 'as_is' | ReprintAct

/** What the window may ask, and the answers. Enter must not choose a reason. */
export const labelQuestions = {
  cancel: { primary: 'confirm_cancel', others: ['keep'] },
  reprint: {
    primary: null,
    others: [...askedReasons.map((reason) => `reprint_${reason}` as const), 'as_is'],
  },
} as const satisfies Record<string, LabelActs<AnswerAct>>
export type LabelQuestion = keyof typeof labelQuestions

/** The reason that an act gives for one more paper, or null where it is another act. */
export function reasonOfAct(act: LabelAct | AnswerAct): AskedReason | null {
  return askedReasons.find((reason) => act === `reprint_${reason}`) ?? null
}

/** Roles that an act needs. Making also requests the label at once. `bars` null: there is no label. */
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
