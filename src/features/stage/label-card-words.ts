import { m } from '#messages/messages.js'
import type { LabelLook, ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { DeskStatus } from '#shared/bridge/views.ts'
import { type Command, reprintCommands } from '#shared/domain/commands.ts'
import type { LabelPart, LabelPhase } from '#shared/domain/label-phase.ts'
import type { Role } from '#shared/wire/roles.ts'
import { failureText } from '#place/failure-text.ts'
import { formatAge, formatMoment, formatTime } from '#ui/format.ts'
import type { Outcome } from '#ui/outcome.ts'
import { reprintWords } from '#place/print-words.ts'
import { senderFieldName } from '#place/label-words.ts'
import type { CardAct } from './shown-card.svelte.ts'

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

/**
 * More precise titles for some phases, by the part of the label to which the phase refers (`labelParts`). For example,
 * a PDF that was saved to a folder is not called printed.
 */
const titlesOfParts: Partial<Record<`${LabelPhase} ${LabelPart}`, () => string>> = {
  'working request': m.phase_requesting,
  'working paper': m.phase_printing,
  'waiting cancel': m.phase_waiting_cancel,
  'waiting patch': m.phase_waiting_patch,
  'unchanged cancel': m.phase_not_cancelled,
  'requested other_desk': m.phase_overtaken,
  'printed file': m.phase_saved,
  'stopped paper': m.phase_not_printed,
}

export function phaseTitle({
  phase,
  about,
  failure,
}: Pick<ReturnLabelView, 'phase' | 'about' | 'failure'>): string {
  if (phase === 'waiting' && failure?.code === 'api.not_checked') return m.phase_waiting_service()
  return (titlesOfParts[`${phase} ${about}`] ?? titles[phase])()
}

/** The outcome of each phase. The outcome determines the colour and the sound of the card. */
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
}

/**
 * The phases for which the text for the operator is about the phase even if there is a failure: the text already
 * explains the failure, or the failure no longer matters.
 */
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

/**
 * Returns what the operator can do now. If the service refused a field of the sender's address, the text names that
 * field. If there is any other failure, the text is about the failure, except in the phases of the list `ownWords`.
 * Otherwise the text is about the phase.
 */
export function phaseText(label: ReturnLabelView): string {
  const { phase, about, print } = label
  const failure = label.failure ?? print?.failure ?? null
  const field =
    failure?.code === 'return_label.address_invalid' ? senderFieldName(failure.params['field']) : null
  if (field !== null) return m.phase_field_refused({ field })
  if (failure && !ownWords.includes(phase)) {
    const { happened, safe, next } = failureText(failure)
    return `${happened} ${safe} ${next}`
  }
  if (about === 'other_desk')
    return label.trackingCode
      ? m.phase_overtaken_text({ code: label.trackingCode })
      : m.phase_overtaken_bare()
  if (phase === 'print_unknown')
    return print?.scanProves ? m.phase_print_unknown_text() : m.phase_print_unknown_look()
  const text = phase === 'printed' && about === 'file' ? m.phase_saved_text() : (texts[phase]?.() ?? '')
  return print?.isReprint && print.mayBeOnPaper && phase !== 'scanned'
    ? `${m.phase_copy_text()} ${text}`
    : text
}

export interface MakeStanding {
  readonly missingRoles: readonly Role[]
  readonly loginEnded: boolean
  readonly look: { readonly now: LabelLook | null }
}

/**
 * Returns the title and the text about a shipment without a label. If the login lacks a role, they name this role.
 * Otherwise they say whether it is certain that the service has no label, and what happens if the operator makes one:
 * to which printer or folder it goes, or that it waits for a login. `nowMs`: milliseconds since 1970.
 */
export function makeText(
  { missingRoles, loginEnded, look }: MakeStanding,
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

/**
 * Returns the title and the text about the search for a label of the shipment: the service has none, the service could
 * not be asked, or the query is still running (`look` is null). The text says how old this information is.
 */
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

/** Returns the question about a write for which it is unknown whether it arrived. */
export function decisionWords(label: ReturnLabelView): Words {
  const of = { reference: referenceOf(label), time: formatTime(label.asked?.since ?? label.createdAt) }
  const asked = (title: string, text: string): Words => ({ title, text: `${text} ${m.decision_safe()}` })
  if (label.about === 'cancel') return asked(m.decision_title_cancel(), m.decision_text_cancel(of))
  if (label.about === 'patch') return asked(m.decision_title_patch(), m.decision_text_patch(of))
  return asked(m.decision_title(), m.decision_text(of))
}

/**
 * Returns the title and the text about a write that was not sent and waits for the operator's decision. The queue shows
 * the question about the write.
 */
export function askedWords({ failure, question }: NonNullable<ReturnLabelView['asked']>): Words {
  const records = question?.kind === 'exists' ? question.records : []
  const other = records.at(-1)
  if (other) {
    const what = { time: formatTime(other.createdAt), reference: other.reference ?? '' }
    return { title: m.exists_label(), text: `${m.exists_label_text(what)} ${m.exists_label_choose()}` }
  }
  const why = failure ? failureText(failure).happened : m.queue_why_exists()
  return { title: m.decision_waits(), text: `${why} ${m.decision_safe()}` }
}

/**
 * Returns the warning that another label was printed last and was not scanned yet. The two labels may be on each
 * other's parcels.
 */
export function swapWords(label: ReturnLabelView, other: string): Words {
  return { title: m.swap_title(), text: m.swap_text({ other, this: referenceOf(label) }) }
}

/**
 * Returns a name for the label: the shipment's reference, otherwise the label's own reference, otherwise the label's
 * sender.
 */
function referenceOf({ shipmentReference, externalReference, sender }: ReturnLabelView): string {
  return shipmentReference ?? externalReference ?? sender?.addressed_to ?? m.label_eyebrow()
}

/**
 * The commands that do the same as the button of an act, in addition to PRIMARY. An act without a command has only a
 * button.
 */
export const commandOfAct: Partial<Record<CardAct, Command>> = {
  reprint: 'REPRINT',
  reprint_damaged: reprintCommands.damaged,
  reprint_lost: reprintCommands.lost,
  reprint_misprint: reprintCommands.misprint,
  reprint_other: reprintCommands.other,
  method: 'METHOD',
  address: 'ADDRESS',
  cancel: 'CANCEL',
  keep: 'HOME',
}

/**
 * Returns the text of the button for an act. `label` is null for a shipment without a label. `savesFiles`: whether
 * labels are saved in the label folder instead of printed.
 */
export function actWords(act: CardAct, label: ReturnLabelView | null, savesFiles: boolean): string {
  switch (act) {
    case 'make':
      return label ? m.action_make_again() : m.action_make()
    case 'make_again':
      return m.action_once_more()
    case 'request':
      return m.action_request()
    case 'fetch':
      return m.action_fetch()
    case 'reprint':
      if (savesFiles) return (label?.print?.file ?? null) === null ? m.action_save() : m.action_save_again()
      return label?.print ? m.action_reprint() : m.action_print()
    case 'method':
      return m.action_method()
    case 'address':
      return addressWords(label)
    case 'cancel':
      return m.action_cancel()
    case 'confirm_cancel':
      return m.action_cancel_yes()
    case 'keep':
      return m.action_keep()
    case 'as_is':
      return m.prints_leave()
    case 'reprint_damaged':
      return reprintWords.damaged()
    case 'reprint_lost':
      return reprintWords.lost()
    case 'reprint_misprint':
      return reprintWords.misprint()
    case 'reprint_other':
      return reprintWords.other()
  }
}

function addressWords(label: ReturnLabelView | null): string {
  const refused = label?.failure?.code === 'return_label.address_invalid' || label?.patch === 'rejected'
  if (refused && !label.cancelled) return m.action_address_fix()
  if (label?.bars.change === null) return m.action_address_change()
  return label?.shipmentId === null ? m.action_hand_again() : m.action_address()
}
