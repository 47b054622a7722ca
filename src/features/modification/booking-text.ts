import { m } from '#messages/messages.js'
import type {
  LocationView,
  ModificationChange,
  ModificationDraft,
  ModificationLine,
  ModificationView,
  VariantView,
} from '#shared/bridge/stock-views.ts'
import { looksLikeCommand } from '#shared/domain/commands.ts'
import type { ModificationReason, ModificationStatus } from '#shared/domain/modification.ts'
import { failureText } from '#place/failure-text.ts'
import { isBlankCode } from '#ui/code-groups.ts'
import { formatList, formatSigned, formatDay } from '#ui/format.ts'
import type { Echo } from './booking-echo.svelte.ts'
import type { Outcome } from '#ui/outcome.ts'
import type { ArticleBarcodeData } from '#shared/bridge/scan-views.ts'

export const reasonWords: Record<ModificationReason, () => string> = {
  LOST: m.reason_lost,
  DEFECTIVE: m.reason_defective,
  CORRECTION: m.reason_correction,
}

const statusWords: Record<ModificationStatus, () => string> = {
  created: m.booking_status_created,
  approved: m.booking_status_approved,
  disapproved: m.booking_status_disapproved,
}

function isKnownStatus(status: string): status is ModificationStatus {
  return status in statusWords
}

/**
 * Returns the name of the warehouse's status of a booking. A status without a name in this version is returned
 * unchanged.
 */
export function statusText(status: string): string {
  return isKnownStatus(status) ? statusWords[status]() : status
}

/** Returns the text on the shelf of a location. For a location without a code it returns the end of the id. */
export function locationName({ id, code }: Pick<LocationView, 'id' | 'code'>): string {
  return code ?? m.location_unnamed({ end: id.slice(-4) })
}

/** Returns how much a booking contains: `3 lines, −5 pieces`. */
export function linesText(lines: readonly ModificationLine[]): string {
  const pieces = lines.reduce((sum, { quantity }) => sum + quantity, 0)
  return m.booking_lines({ count: lines.length, pieces, signed: formatSigned(pieces) })
}

const missingWords = {
  reason: m.booking_missing_reason,
  location: m.booking_missing_location,
  lines: m.booking_missing_lines,
}

/** Returns what the operator must do while the question about a scan prevents a booking. */
export function askedText(): string {
  return m.booking_asks({ clear: m.command_clear() })
}

/** Returns one sentence for the area of the button: what the operator must do before the booking, or how to book. */
export function draftText(
  { missing }: ModificationDraft,
  desk: { readonly mayBook: boolean; readonly loginEnded: boolean; readonly choicesAsked: number },
): string {
  if (!desk.mayBook) return m.booking_role_text()
  if (desk.choicesAsked > 0) return askedText()
  if (missing.length > 0)
    return m.booking_missing({ what: formatList(missing.map((part) => missingWords[part]())) })
  return desk.loginEnded ? m.action_make_login() : m.booking_how()
}

const titles: Record<BookingPhase, () => string> = {
  working: m.booking_working,
  waiting: m.phase_waiting,
  login: m.phase_login,
  done: m.booking_done,
  disapproved: m.booking_disapproved,
  rejected: m.booking_rejected,
  set_aside: m.phase_set_aside,
  checking: m.phase_checking,
  decide: m.booking_decide,
}

/**
 * Whether the booking was sent but is not approved yet. The stock changes only after the warehouse approves the
 * booking.
 */
const isOnlySent = (phase: BookingPhase, { status }: ModificationView): boolean =>
  phase === 'done' && status !== 'approved'

/** Whether a waiting booking has a failure that is not about the connection. */
function isAboutService({ failure }: ModificationView): boolean {
  return failure !== null && !failure.code.startsWith('network.')
}

export function bookingTitle(phase: BookingPhase, booking: ModificationView): string {
  if (phase === 'waiting' && isAboutService(booking)) return m.phase_waiting_service()
  return isOnlySent(phase, booking) ? m.booking_sent() : titles[phase]()
}

/**
 * Returns what the operator can do now. `time`: when the booking was made. For a booking in doubt, `doubtText` has a
 * longer text.
 */
export function bookingText(phase: BookingPhase, booking: ModificationView, time: string): string {
  const { failure, status } = booking
  if (isOnlySent(phase, booking))
    return status === null || isKnownStatus(status) ? m.booking_sent_text() : m.booking_status_unknown()
  if (phase === 'rejected' && failure) {
    const { happened } = failureText(failure)
    return `${happened} ${m.booking_rejected_text()}`
  }
  if (phase === 'waiting' && failure && isAboutService(booking)) {
    const { happened, safe, next } = failureText(failure)
    return `${happened} ${safe} ${next}`
  }
  const texts: Record<BookingPhase, () => string> = {
    working: m.booking_working_text,
    waiting: m.booking_waiting_text,
    login: m.action_make_login,
    done: m.booking_done_text,
    disapproved: () =>
      booking.correctedBy === null ? m.booking_disapproved_text() : m.booking_corrected_text(),
    rejected: m.booking_rejected_text,
    set_aside: m.booking_set_aside_text,
    checking: m.doubt_looking,
    decide: () => `${m.booking_decide_text({ time })} ${m.decision_safe()}`,
  }
  return texts[phase]()
}

/** Returns a text that names the disapproved booking which this booking replaces. */
export function correctsText({ reference }: NonNullable<ModificationView['corrects']>): string {
  return reference === null ? m.booking_corrects_earlier() : m.booking_corrects({ reference })
}

/** Returns a text that names the booking which replaces this disapproved booking. */
export function correctedText({ reference }: NonNullable<ModificationView['correctedBy']>): string {
  return reference === null ? m.booking_corrected_sending() : m.booking_corrected_by({ reference })
}

/** Returns the result of the last act as a short text. */
export function echoText(echo: Echo, draft: ModificationDraft | null): string {
  const lost = echo.lost === undefined ? [] : [m.echo_number_lost({ number: echo.lost })]
  return [...lost, actText(echo, draft)].join(' ')
}

function actText(echo: Echo, draft: ModificationDraft | null): string {
  const enter = m.command_enter()
  if (echo.kind === 'unknown') return unknownText(echo)
  if (echo.kind === 'badge') return m.badge_text()
  if (echo.kind === 'number') return m.echo_number({ number: echo.digits, name: echo.name, enter })
  if (echo.kind === 'number_waits')
    return m.echo_number_waits({ number: echo.digits, enter, clear: m.command_clear() })
  if (echo.kind === 'number_none') return m.echo_number_none()
  if (echo.kind === 'number_cleared') return m.echo_number_cleared()
  if (echo.kind === 'typed_waits') return waitsText(echo)
  if (echo.kind === 'typed_cleared') return m.echo_typed_cleared()
  if (echo.kind === 'question_closed') return m.echo_question_closed()
  if (echo.kind === 'failed') {
    const { happened, next } = failureText(echo.failure)
    return `${happened} ${next}`
  }
  const { change } = echo
  if (change === 'undo') return m.echo_undone()
  if (change === 'taken_back') return m.echo_taken_back()
  return changeText(change, draft)
}

function unknownText({ raw, misread, askedService }: Extract<Echo, { kind: 'unknown' }>): string {
  if (misread) return m.echo_misread()
  // the desk never asks the service for a blank code or for a command of another station, so for these texts the
  // operator is not told that the service was not asked
  return askedService || isBlankCode(raw) || looksLikeCommand(raw) ? m.echo_unknown() : m.echo_not_asked()
}

function waitsText({ field, text }: Extract<Echo, { kind: 'typed_waits' }>): string {
  const isEmpty = text.trim() === ''
  if (field === 'quantity') return isEmpty ? m.echo_quantity_empty() : m.echo_quantity_waits({ text })
  return isEmpty ? m.echo_location_empty() : m.echo_location_waits({ text })
}

function changeText(change: ModificationChange, draft: ModificationDraft | null): string {
  switch (change.kind) {
    case 'add':
    case 'quantity': {
      const line = draft?.lines.find(({ variant }) => variant.id === change.variantId)
      return line ? `${formatSigned(line.quantity)} × ${line.variant.name}` : m.echo_removed()
    }
    case 'remove':
      return m.echo_removed()
    case 'reason':
      return reasonWords[change.reason]()
    case 'location':
      return draft?.location ? locationName(draft.location) : ''
    case 'step':
      return change.step === 1 ? m.step_plus() : m.step_minus()
    case 'clear':
      return m.echo_cleared()
    case 'note':
      return m.echo_note()
  }
}

/** The phase of a booking for the operator. */
export type BookingPhase =
  | 'working'
  | 'waiting'
  | 'login'
  | 'done'
  /** The warehouse disapproved the booking. */
  | 'disapproved'
  | 'rejected'
  | 'set_aside'
  /** It is unknown whether the booking arrived, and the desk is asking the service. */
  | 'checking'
  /** The service's data did not show whether the booking arrived, so the operator decides. */
  | 'decide'

/** Returns the phase of a booking. `asked`: whether the operator must decide about it (DeskStatus, needsOperator). */
export function bookingPhase({ create, status, failure }: ModificationView, asked: boolean): BookingPhase {
  if (create === 'unknown') return asked ? 'decide' : 'checking'
  if (create === 'rejected') return 'rejected'
  if (create === 'discarded') return 'set_aside'
  if (create === 'done') return status === 'disapproved' ? 'disapproved' : 'done'
  if (!failure) return 'working'
  if (failure.code === 'session.expired' || failure.code === 'session.signed_out') return 'login'
  // the desk sends a queued booking later, whatever the failure of its last attempt
  return 'waiting'
}

/**
 * Whether the content of a booking may become a draft again: the service refused the booking, or the warehouse
 * disapproved it and no other booking corrects it yet.
 */
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

/**
 * Returns the GS1 data of a scan for the note of the booking: the lot of goods that expire, and the serial number of
 * goods with serial numbers. The service accepts neither in a line (API.md 9.1). Returns undefined if the scan has no
 * such data.
 */
export function remarkOf(
  { articleCode: article, expirable, usingSerialNumbers }: VariantView,
  said: ArticleBarcodeData | undefined,
): string | undefined {
  const { lot = null, expiry = null, serial = null } = said ?? {}
  const parts = [
    ...(expirable && lot !== null ? [lotText(lot, article, expiry)] : []),
    ...(usingSerialNumbers && serial !== null ? [m.note_serial({ serial, article })] : []),
  ]
  return parts.length === 0 ? undefined : parts.join('; ')
}

function lotText(lot: string, article: string, expiry: string | null): string {
  return expiry === null
    ? m.note_lot({ lot, article })
    : m.note_lot_expiry({ lot, article, day: formatDay(expiry) })
}
