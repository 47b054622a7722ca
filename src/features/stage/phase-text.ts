import { m } from '#messages/messages.js'
import type { LabelLook, ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { DeskStatus, WaitingWrite } from '#shared/bridge/views.ts'
import { type CommandState, isOpen } from '#shared/domain/command-state.ts'
import { failureText } from '#ui/failure-text.ts'
import { formatAge, formatMoment, formatTime } from '#ui/format.ts'
import { senderFieldName } from '#ui/sender-field-names.ts'
import { mayBeOnPaper } from './label-acts.ts'
import { type LabelPhase, wasOvertaken } from './label-phase.ts'
import type { StageState } from './stage.state.svelte.ts'

export interface Words {
  readonly title: string
  readonly text: string
}

const titles: Record<LabelPhase, () => string> = {
  working: m.phase_working,
  waiting: m.phase_waiting,
  login: m.phase_login,
  unrequested: m.phase_unrequested,
  changing: m.phase_changing,
  cancelling: m.phase_cancelling,
  cancelled: m.phase_cancelled,
  unchanged: m.phase_not_changed,
  requested: m.phase_requested,
  printed: m.phase_printed,
  sent: m.phase_sent,
  spooled: m.phase_spooled,
  scanned: m.phase_scanned,
  stopped: m.phase_stopped,
  set_aside: m.phase_set_aside,
  checking: m.phase_checking,
  decide: m.decision_title,
  not_printed: m.phase_not_printed,
  print_held: m.phase_print_held,
  print_unknown: m.phase_print_unknown,
}

/** A PDF in a folder is not paper yet, and is not called printed. */
function isSaved(phase: LabelPhase, label: ReturnLabelView | null): boolean {
  return phase === 'printed' && (label?.print?.file ?? null) !== null
}

export function phaseTitle(phase: LabelPhase, label: ReturnLabelView | null): string {
  if (phase === 'requested' && label && wasOvertaken(label)) return m.phase_overtaken()
  if (phase === 'waiting' && label) return waitingTitle(label)
  if (phase === 'working' && label) return workingTitle(label)
  if (phase === 'unchanged' && label?.patch !== 'rejected') return m.phase_not_cancelled()
  // the label exists: only its paper does not
  if (phase === 'stopped' && label?.requested) return m.phase_not_printed()
  return isSaved(phase, label) ? m.phase_saved() : titles[phase]()
}

/** The first of its steps that is not done. */
function workingTitle({ create, print, stored }: ReturnLabelView): string {
  if (print !== null || stored) return m.phase_printing()
  return create === 'done' ? m.phase_requesting() : m.phase_working()
}

/** The label is made: what waits is only what was to be changed about it. */
function waitingTitle({ create, patch, request, cancel }: ReturnLabelView): string {
  const waits = (state: CommandState | null): boolean => state !== null && isOpen(state)
  if (create !== 'done' || waits(request)) return m.phase_waiting()
  if (waits(cancel)) return m.phase_waiting_cancel()
  return waits(patch) ? m.phase_waiting_patch() : m.phase_waiting()
}

const texts: Partial<Record<LabelPhase, () => string>> = {
  working: m.phase_working_text,
  waiting: m.phase_waiting_text,
  unrequested: m.phase_unrequested_text,
  changing: m.phase_changing_text,
  cancelling: m.phase_cancelling_text,
  cancelled: m.phase_cancelled_text,
  requested: m.phase_requested_text,
  printed: m.phase_done_text,
  sent: m.phase_done_text,
  spooled: m.phase_done_text,
  scanned: m.phase_scanned_text,
  set_aside: m.phase_set_aside_text,
  print_held: m.phase_print_held_text,
  print_unknown: m.phase_print_unknown_text,
}

/** Phases that say themselves what a failure would say, or that a failure no longer touches. */
const ownWords: readonly LabelPhase[] = [
  'printed',
  'sent',
  'spooled',
  'scanned',
  'set_aside',
  'checking',
  'print_held',
  'print_unknown',
  'cancelled',
  'requested',
]

/** What to do now: from the failure where there is one, else from the phase. */
export function phaseText(phase: LabelPhase, label: ReturnLabelView): string {
  const failure = label.failure ?? label.print?.failure ?? null
  const field =
    failure?.code === 'return_label.address_invalid' ? senderFieldName(failure.params['field']) : null
  if (field !== null) return m.phase_field_refused({ field })
  if (failure && !ownWords.includes(phase)) {
    const { happened, safe, next } = failureText(failure)
    return `${happened} ${safe} ${next}`
  }
  if (phase === 'requested' && wasOvertaken(label))
    return label.trackingCode
      ? m.phase_overtaken_text({ code: label.trackingCode })
      : m.phase_overtaken_bare()
  const text = isSaved(phase, label) ? m.phase_saved_text() : (texts[phase]?.() ?? '')
  return label.print?.isReprint && mayBeOnPaper(label) && phase !== 'scanned'
    ? `${m.phase_copy_text()} ${text}`
    : text
}

/**
 * What the zone says of a shipment without a label: whether one is known to be missing, what making one does, or what
 * making one lacks. `nowMs`: milliseconds since 1970.
 */
export function makeText(
  { missingRoles, loginEnded, look }: StageState,
  printer: DeskStatus['printer'] | null,
  nowMs: number,
): Words {
  const [only, second] = missingRoles
  if (only) {
    const one = only === 'RETURN_LABELS_CREATE' ? m.role_create() : m.role_request()
    return { title: m.role_title(), text: `${second ? m.role_both() : one} ${m.role_next()}` }
  }
  const { title, text } = lookWords(look.now, nowMs)
  if (loginEnded) return { title, text: m.action_make_login() }
  const where = printer?.folder === null ? m.action_make_where({ printer: printer.title }) : ''
  const made = printer && where === '' ? m.action_make_folder() : where
  return { title, text: [text, made].filter(Boolean).join(' ') }
}

/** Whether the service has a label of the shipment, as of when; null: nobody has looked yet. */
function lookWords(look: LabelLook | null, nowMs: number): Words {
  if (look === null || look.label) return { title: m.look_asking(), text: '' }
  if (look.state === 'none')
    return {
      title: m.phase_none(),
      text: look.asOf === null ? '' : m.look_none({ age: formatAge(look.asOf, nowMs) }),
    }
  const known = look.asOf === null ? m.look_never() : m.look_unasked({ time: formatMoment(look.asOf, nowMs) })
  return { title: m.look_unknown(), text: known }
}

/** The question about a write of which nobody knows whether it arrived. `write`: null where it is not known yet. */
export function decisionWords(label: ReturnLabelView, write: WaitingWrite | null): Words {
  const reference = referenceOf(label)
  const time = formatTime(write?.since ?? label.createdAt)
  const asked = (title: string, text: string): Words => ({ title, text: `${text} ${m.decision_safe()}` })
  if (label.cancel === 'unknown')
    return asked(m.decision_title_cancel(), m.decision_text_cancel({ reference, time }))
  if (label.patch === 'unknown')
    return asked(m.decision_title_patch(), m.decision_text_patch({ reference, time }))
  return asked(m.decision_title(), m.decision_text({ reference, time }))
}

/** A write that was not sent and waits for a word of another kind: the queue shows what it is about. */
export function askedWords({ failure, question }: WaitingWrite): Words {
  const records = question?.kind === 'exists' ? question.records : []
  const other = records.at(-1)
  if (other) {
    const what = { time: formatTime(other.createdAt), reference: other.reference ?? '' }
    return { title: m.exists_label(), text: `${m.exists_label_text(what)} ${m.exists_label_choose()}` }
  }
  const why = failure ? failureText(failure).happened : m.queue_why_exists()
  return { title: m.decision_waits(), text: `${why} ${m.decision_safe()}` }
}

/** Another label came out last and was not scanned yet: perhaps each is on the other's parcel. */
export function swapWords(label: ReturnLabelView, other: string): Words {
  return { title: m.swap_title(), text: m.swap_text({ other, this: referenceOf(label) }) }
}

/** What people call the label: the shipment it belongs to, else its own reference, else who sends it. */
function referenceOf({ shipmentReference, externalReference, sender }: ReturnLabelView): string {
  return shipmentReference ?? externalReference ?? sender?.addressed_to ?? m.label_eyebrow()
}
