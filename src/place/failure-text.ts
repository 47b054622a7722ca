import { m } from '#messages/messages.js'
import type { deskStopped, ErrorCode, Failure } from '#shared/errors/catalogue.ts'

/** What happened, what is safe, what to do next: one sentence each. */
export interface FailureText {
  readonly happened: string
  readonly safe: string
  readonly next: string
}

/** Every code by name, so that the compiler misses the sentence of a new one. */
const sentences: Record<ErrorCode, () => string> = {
  'bridge.invalid_arguments': m.error_bridge_invalid_arguments,
  'bridge.forbidden_sender': m.error_bridge_forbidden_sender,
  'bridge.too_many_calls': m.error_bridge_too_many_calls,
  'internal.unexpected': m.error_internal_unexpected,
  'network.offline': m.error_network_offline,
  'network.timeout': m.error_network_timeout,
  'network.interrupted': m.error_network_interrupted,
  'network.certificate': m.error_network_certificate,
  'network.not_the_service': m.error_network_not_the_service,
  'api.unavailable': m.error_api_unavailable,
  'api.too_many_requests': m.error_api_too_many_requests,
  'api.malformed_answer': m.error_api_malformed_answer,
  'api.rejected': m.error_api_rejected,
  'api.not_found': m.error_api_not_found,
  'api.role_missing': m.error_api_role_missing,
  'session.invalid_credentials': m.error_session_invalid_credentials,
  'session.too_many_logins': m.error_session_too_many_logins,
  'session.unknown_wms': m.error_session_unknown_wms,
  'session.unknown_customer': m.error_session_unknown_customer,
  'session.expired': m.error_session_expired,
  'session.signed_out': m.error_session_signed_out,
  'station.none': m.error_station_none,
  'station.invalid_url': m.error_station_invalid_url,
  'station.insecure_url': m.error_station_insecure_url,
  'station.invalid_host': m.error_station_invalid_host,
  'station.invalid_code': m.error_station_invalid_code,
  'station.embedded_unavailable': m.error_station_embedded_unavailable,
  'station.work_waits': m.error_station_work_waits,
  'station.too_many': m.error_station_too_many,
  'return_label.method_unsupported': m.error_return_label_method_unsupported,
  'return_label.method_gone': m.error_return_label_method_gone,
  'return_label.already_requested': m.error_return_label_already_requested,
  'return_label.outcome_unknown': m.error_return_label_outcome_unknown,
  'return_label.no_document': m.error_return_label_no_document,
  'return_label.unknown': m.error_return_label_unknown,
  'return_label.cancelled': m.error_return_label_cancelled,
  'return_label.not_made_yet': m.error_return_label_not_made_yet,
  'return_label.address_invalid': m.error_return_label_address_invalid,
  'modification.incomplete': m.error_modification_incomplete,
  'modification.outcome_unknown': m.error_modification_outcome_unknown,
  'modification.unknown': m.error_modification_unknown,
  'modification.under_way': m.error_modification_under_way,
  'modification.corrected': m.error_modification_corrected,
  'queue.moved_on': m.error_queue_moved_on,
  'queue.form_in_use': m.error_queue_form_in_use,
  'article.unknown': m.error_article_unknown,
  'article.gone': m.error_article_gone,
  'article.stock_not_kept': m.error_article_stock_not_kept,
  'article.lots_not_kept': m.error_article_lots_not_kept,
  'catalogue.too_large': m.error_catalogue_too_large,
  'catalogue.low_disk': m.error_catalogue_low_disk,
  'location.unknown': m.error_location_unknown,
  'location.code_taken': m.error_location_code_taken,
  'location.book_full': m.error_location_book_full,
  'location.file_unreadable': m.error_location_file_unreadable,
  'location.file_too_large': m.error_location_file_too_large,
  'location.import_under_way': m.error_location_import_under_way,
  'document.not_a_pdf': m.error_document_not_a_pdf,
  'document.too_large': m.error_document_too_large,
  'document.host_refused': m.error_document_host_refused,
  'document.missing': m.error_document_missing,
  'document.unreadable': m.error_document_unreadable,
  'printer.refused': m.error_printer_refused,
  'printer.outcome_unknown': m.error_printer_outcome_unknown,
  'printer.paper_too_narrow': m.error_printer_paper_too_narrow,
  'printer.sheet_too_large': m.error_printer_sheet_too_large,
  'printer.prints_again': m.error_printer_prints_again,
  'printer.same_twice': m.error_printer_same_twice,
  'printer.route_unknown': m.error_printer_route_unknown,
  'printer.given_up': m.error_printer_given_up,
  'scanner.unplugged': m.error_scanner_unplugged,
  'scanner.refused': m.error_scanner_refused,
  'scanner.same_twice': m.error_scanner_same_twice,
  'setup.too_many_tests': m.error_setup_too_many_tests,
  'station.too_many_new': m.error_station_too_many_new,
  'store.unavailable': m.error_store_unavailable,
  'store.full': m.error_store_full,
  'store.other_version': m.error_store_other_version,
}

/** The compiler compares it; no value of shared is imported here. */
const ownStop: typeof deskStopped = 'desk_stopped'

/** Longest reason of the service's that stands in a sentence; whole it stands with what support reads. */
const longestReason = 120

/**
 * The three sentences of a failure, in the language of the screen (resources/i18n, one line each). Where the service or
 * the printer said why it refused, that is what the operator needs to know.
 */
export function failureText(failure: Failure): FailureText {
  const { code, params } = failure
  const [happened = '', safe = '', next = ''] = sentences[code]().split('\n')
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
  if (params['cause'] === ownStop)
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
