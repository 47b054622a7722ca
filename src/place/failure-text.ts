import { m } from '#messages/messages.js'
import { deskStopped, type Failure, messageKey, type MessageKey } from '#shared/errors/catalogue.ts'

/** What happened, what is safe, what to do next: one sentence each. */
export interface FailureText {
  readonly happened: string
  readonly safe: string
  readonly next: string
}

/** The compiler finds a code whose sentence is missing. */
const sentences: Readonly<Record<MessageKey, () => string>> = m

/** Longest reason of the service's that stands in a sentence; whole it stands with what support reads. */
const longestReason = 120

/**
 * The three sentences of a failure, in the language of the screen (resources/i18n, one line each). Where the service or
 * the printer said why it refused, that is what the operator needs to know.
 */
export function failureText(failure: Failure): FailureText {
  const { code, params } = failure
  const [happened = '', safe = '', next = ''] = sentences[messageKey(code)]().split('\n')
  const reason = code === 'api.rejected' ? String(params['reason'] ?? '').trim() : ''
  if (reason === '') return { happened, safe, next, ...wordsOfCause(failure) }
  const short = reason.length > longestReason ? `${reason.slice(0, longestReason - 1).trimEnd()}…` : reason
  return { happened: m.refused_because({ reason: short }), safe, next }
}

function wordsOfCause(failure: Failure): Partial<FailureText> {
  const { code, params } = failure
  if (code === 'printer.sheet_too_large' && params['side'] !== undefined) {
    const sizes = { needed: String(params['neededMm'] ?? ''), printable: String(params['printableMm'] ?? '') }
    return { happened: params['side'] === 'height' ? m.sheets_too_low(sizes) : m.sheets_too_narrow(sizes) }
  }
  if (code === 'session.too_many_logins') return wordsOfWait(Number(params['waitSeconds'] ?? 0))
  if (params['cause'] === deskStopped)
    return { happened: code === 'printer.outcome_unknown' ? m.stopped_printing() : m.stopped_sending() }
  const cause = printerCause(failure) ?? scannerCause(failure)
  return cause ? { happened: cause.happened, next: cause.next } : {}
}

/** Zero: the service did not say how long. */
function wordsOfWait(seconds: number): Partial<FailureText> {
  if (!(seconds > 0)) return {}
  const minutes = Math.ceil(seconds / 60)
  return { next: seconds > 90 ? m.login_wait_minutes({ minutes }) : m.login_wait_seconds({ seconds }) }
}

/** That somebody or something else was quicker, or comes first, is news, and nothing that went wrong. */
export function outcomeOfFailure({ code }: Failure): 'look' | 'stop' {
  return code === 'queue.moved_on' || code === 'queue.form_in_use' ? 'look' : 'stop'
}

/** Code and values for support: `api.rejected`, `status 400`. Empty values are left out. */
export function failureParts(failure: Failure): string[] {
  const params = Object.entries(failure.params).filter(([, value]) => value !== '')
  return [failure.code, ...params.map(([name, value]) => `${name} ${String(value)}`)]
}

/** Why a printer does not print or a scanner is not heard, what to do about it, and both in a word or two where there is no room. */
interface CauseText {
  readonly happened: string
  readonly next: string
  readonly short: string
}

/** What keeps a printer from printing, by what it said of itself, or the network or the system said of it (electron/printing). */
const printerCauses: Partial<Record<string, () => string>> = {
  paper_out: m.cause_paper_out,
  cover_open: m.cause_cover_open,
  ribbon_out: m.cause_ribbon_out,
  jammed: m.cause_jammed,
  too_hot: m.cause_too_hot,
  paused: m.cause_paused,
  stopped: m.cause_stopped,
  not_accepting: m.cause_stopped,
  busy: m.cause_busy,
  error: m.cause_fault,
  offline: m.cause_offline,
  silent: m.cause_silent,
  no_spooler: m.cause_no_spooler,
  ...allOf(m.cause_unreachable, 'connect_timeout', 'closed_early', 'stalled', 'timeout'),
  ...allOf(m.cause_unreachable, 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH'),
  ...allOf(m.cause_unreachable, 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE'),
  ...allOf(m.cause_unplugged, 'ENOENT', 'ENODEV', 'ENXIO', 'EIO', 'process_ended', 'not_open'),
  EBUSY: m.cause_taken,
  ...allOf(m.cause_no_access, 'EACCES', 'EPERM', 'not_allowed'),
  ...allOf(m.cause_wrong_address, 'not_a_device', 'no_queue', 'bad_address', 'not_ipp', 'needs_tls'),
  ...allOf(m.cause_unsuited, 'media_unsupported', 'format_unsupported'),
  disk_full: m.cause_disk_full,
  folder_unwritable: m.cause_folder_unwritable,
}

/** What a printer may run into with a label half out. */
const inTheMiddle = [
  ...['paper_out', 'cover_open', 'ribbon_out', 'jammed', 'too_hot', 'paused', 'stopped', 'error', 'offline'],
]

function allOf(words: () => string, ...names: readonly string[]): Record<string, () => string> {
  return Object.fromEntries(names.map((name) => [name, words]))
}

/** Why a printer refused; null where it did not say. */
export function printerCause({ code, params }: Failure): CauseText | null {
  return code === 'printer.refused' ? textOf(printerCauses, params['cause']) : null
}

/** What a printer ran into in the middle of a label, as far as it said so; null where it only broke off. */
export function causeInTheMiddle({ code, params }: Failure): CauseText | null {
  const cause = String(params['cause'] ?? '')
  return code === 'printer.outcome_unknown' && inTheMiddle.includes(cause)
    ? textOf(printerCauses, cause)
    : null
}

function textOf(causes: typeof printerCauses, cause: string | number | undefined): CauseText | null {
  const words = causes[String(cause ?? '')]?.()
  if (words === undefined) return null
  const [happened = '', next = '', short = ''] = words.split('\n')
  return { happened, next, short }
}

/** Why the port of a scanner cannot be used, by the cause that electron/scanner found. */
const scannerCauses: Partial<Record<string, () => string>> = {
  denied: m.scanner_cause_denied,
  held: m.scanner_cause_held,
  not_a_port: m.scanner_cause_not_a_port,
  settings: m.scanner_cause_settings,
  no_driver: m.scanner_cause_no_driver,
  fault: m.scanner_cause_fault,
}

/** Null where no cause is known, and for everything that is no scanner's. */
export function scannerCause({ code, params }: Failure): CauseText | null {
  return code === 'scanner.refused' ? textOf(scannerCauses, params['cause']) : null
}
