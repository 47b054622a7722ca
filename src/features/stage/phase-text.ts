import { m } from '#messages/messages.js'
import type { DeskStatus, ReturnLabelView } from '#shared/bridge/views.ts'
import { failureText } from '#ui/failure-text.ts'
import type { LabelPhase } from './label-phase.ts'
import type { StageState } from './stage.state.svelte.ts'

const titles: Record<LabelPhase, () => string> = {
  working: m.phase_working,
  waiting: m.phase_waiting,
  login: m.phase_login,
  printed: m.phase_printed,
  sent: m.phase_sent,
  spooled: m.phase_spooled,
  scanned: m.phase_scanned,
  stopped: m.phase_stopped,
  set_aside: m.phase_set_aside,
  checking: m.phase_checking,
  decide: m.decision_title,
  not_printed: m.phase_not_printed,
  print_unknown: m.phase_print_unknown,
}

/** A PDF in a folder is not paper yet, and is not called printed. */
function isSaved(phase: LabelPhase, label: ReturnLabelView | null): boolean {
  return phase === 'printed' && (label?.print?.file ?? null) !== null
}

export function phaseTitle(phase: LabelPhase, label: ReturnLabelView | null): string {
  return isSaved(phase, label) ? m.phase_saved() : titles[phase]()
}

const texts: Partial<Record<LabelPhase, () => string>> = {
  working: m.phase_working_text,
  waiting: m.phase_waiting_text,
  checking: m.phase_checking_text,
  printed: m.phase_done_text,
  sent: m.phase_done_text,
  spooled: m.phase_done_text,
  scanned: m.phase_done_text,
  set_aside: m.phase_set_aside_text,
  print_unknown: m.phase_print_unknown_text,
}

/** What to do now: from the failure where there is one, else from the phase. */
export function phaseText(phase: LabelPhase, label: ReturnLabelView): string {
  const failure = label.failure ?? label.print?.failure ?? null
  const finished = phase === 'printed' || phase === 'sent' || phase === 'spooled' || phase === 'scanned'
  if (failure && !finished && phase !== 'set_aside' && phase !== 'checking' && phase !== 'print_unknown') {
    const { happened, safe, next } = failureText(failure.code)
    return `${happened} ${safe} ${next}`
  }
  return isSaved(phase, label) ? m.phase_saved_text() : (texts[phase]?.() ?? '')
}

/** What the zone says of a shipment without a label: what making one does, or what making one lacks. */
export function makeText(
  { missingRoles, loginEnded }: StageState,
  printer: DeskStatus['printer'] | null,
): { title: string; text: string } {
  const [only, second] = missingRoles
  if (only) {
    const one = only === 'RETURN_LABELS_CREATE' ? m.role_create() : m.role_request()
    return { title: m.role_title(), text: `${second ? m.role_both() : one} ${m.role_next()}` }
  }
  if (loginEnded) return { title: m.phase_none(), text: m.action_make_login() }
  const where = printer?.folder === null ? m.action_make_where({ printer: printer.name }) : ''
  return { title: m.phase_none(), text: printer && where === '' ? m.action_make_folder() : where }
}
