import { m } from '#messages/messages.js'
import { deskStopped, type Failure, messageKey, type MessageKey } from '#shared/errors/catalogue.ts'

/**
 * Three sentences: the problem, the consequence for the operator's work (mostly that nothing is lost), the next action.
 */
export interface FailureText {
  readonly happened: string
  readonly safe: string
  readonly next: string
}

/** With this type, the compiler reports an error if an error code has no sentences. */
const sentences: Readonly<Record<MessageKey, () => string>> = m

/**
 * Longest part of the service's reason that a sentence shows, in characters. The text for support contains the whole
 * reason.
 */
const longestReason = 120

/**
 * Returns the three sentences of a failure in the language of the screen (resources/i18n, one line each). A sentence
 * contains the reason that the service or the printer gave, because the operator needs it.
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
  const cause = printerCause(failure) ?? scannerCause(failure) ?? sandboxCause(failure)
  return cause ? { happened: cause.happened, next: cause.next } : {}
}

/**
 * Returns the next step after too many logins: how long the operator must wait. Returns no sentence if `seconds` is 0,
 * because the service did not send a time then.
 */
function wordsOfWait(seconds: number): Partial<FailureText> {
  if (!(seconds > 0)) return {}
  const minutes = Math.ceil(seconds / 60)
  return { next: seconds > 90 ? m.login_wait_minutes({ minutes }) : m.login_wait_seconds({ seconds }) }
}

/**
 * Returns the outcome that a failure is shown as. A failure that only informs the operator, for example that another
 * desk was faster, is shown as `look`.
 */
export function outcomeOfFailure({ code }: Failure): 'look' | 'stop' {
  return code === 'queue.moved_on' || code === 'queue.form_in_use' ? 'look' : 'stop'
}

/** Returns code and values for support, such as `api.rejected` and `status 400`. Empty values are left out. */
export function failureParts(failure: Failure): string[] {
  const params = Object.entries(failure.params).filter(([, value]) => value !== '')
  return [failure.code, ...params.map(([name, value]) => `${name} ${String(value)}`)]
}

/**
 * The texts about a device that does not work: why a printer does not print or a scanner does not scan, what the
 * operator can do, and the problem in one or two words for places with little space.
 */
interface CauseText {
  readonly happened: string
  readonly next: string
  readonly short: string
}

/** Texts for the reasons why a printer does not print. The keys are the causes that electron/printing returns. */
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
  certificate: m.cause_certificate,
  disk_full: m.cause_disk_full,
  folder_unwritable: m.cause_folder_unwritable,
}

/** Causes that may stop a printer after it has printed part of a label. */
const inTheMiddle = [
  ...['paper_out', 'cover_open', 'ribbon_out', 'jammed', 'too_hot', 'paused', 'stopped', 'error', 'offline'],
]

function allOf(words: () => string, ...names: readonly string[]): Record<string, () => string> {
  return Object.fromEntries(names.map((name) => [name, words]))
}

/** Returns why a printer refused a job; null if the cause is unknown or the failure is not a printer's refusal. */
export function printerCause({ code, params }: Failure): CauseText | null {
  return code === 'printer.refused' ? textOf(printerCauses, params['cause']) : null
}

/** Returns why a printer stopped in the middle of a label; null if the reason is unknown. */
export function causeInTheMiddle({ code, params }: Failure): CauseText | null {
  const cause = String(params['cause'] ?? '')
  return code === 'printer.outcome_unknown' && inTheMiddle.includes(cause)
    ? textOf(printerCauses, cause)
    : null
}

/** Texts for the causes of a failed start that electron/middleware/entry/utility.ts and main report. */
const sandboxCauses: Partial<Record<string, () => string>> = {
  folder_in_use: m.sandbox_cause_folder_in_use,
  damaged: m.sandbox_cause_damaged,
  disk_full: m.sandbox_cause_disk_full,
  no_access: m.sandbox_cause_no_access,
  crashed: m.sandbox_cause_crashed,
}

/** Returns why the sandbox did not start; null if the cause is unknown or the failure is not about the sandbox. */
function sandboxCause({ code, params }: Failure): Pick<CauseText, 'happened' | 'next'> | null {
  return code === 'station.embedded_failed' ? textOf(sandboxCauses, params['cause']) : null
}

function textOf(causes: typeof printerCauses, cause: string | number | undefined): CauseText | null {
  const words = causes[String(cause ?? '')]?.()
  if (words === undefined) return null
  const [happened = '', next = '', short = ''] = words.split('\n')
  return { happened, next, short }
}

/** The texts for the causes that electron/serial-scanner reports if the port of a scanner cannot be used. */
const scannerCauses: Partial<Record<string, () => string>> = {
  denied: m.scanner_cause_denied,
  held: m.scanner_cause_held,
  not_a_port: m.scanner_cause_not_a_port,
  settings: m.scanner_cause_settings,
  no_driver: m.scanner_cause_no_driver,
  fault: m.scanner_cause_fault,
}

/** Returns why a scanner does not work; null if the cause is unknown or the failure is not about a scanner. */
export function scannerCause({ code, params }: Failure): CauseText | null {
  return code === 'scanner.refused' ? textOf(scannerCauses, params['cause']) : null
}
