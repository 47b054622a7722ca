import { type SubjectKind, subjectKinds } from '../writes/write-kinds.ts'

/** The error codes for a write whose arrival is uncertain: one code for each kind of write. */
const unknownOutcomes = Object.fromEntries(
  subjectKinds.map((kind) => [`${kind}.outcome_unknown`, { retry: 'operator' }]),
) as Readonly<Record<`${SubjectKind}.outcome_unknown`, { readonly retry: 'operator' }>>

/**
 * Every failure that an operator can see. `retry`: `never` (the same call will fail again), `later` (the same call may
 * succeed later), `operator` (an operator must decide or correct something), `change` (the write itself must be
 * changed: the same write would fail again, and a second label would not help). The text for the operator is in
 * resources/i18n under `messageKey(code)`; a test proves that the messages have exactly the codes of the catalogue.
 */
export const errorCatalogue = {
  'bridge.invalid_arguments': { retry: 'never' },
  'bridge.forbidden_sender': { retry: 'never' },
  'bridge.too_many_calls': { retry: 'later' },
  'bridge.too_often': { retry: 'later' },
  'internal.unexpected': { retry: 'operator' },

  'network.offline': { retry: 'later' },
  'network.timeout': { retry: 'later' },
  'network.interrupted': { retry: 'later' },
  'network.certificate': { retry: 'operator' },
  'network.not_the_service': { retry: 'operator' },
  'network.address_refused': { retry: 'operator' },

  'api.unavailable': { retry: 'later' },
  'api.too_many_requests': { retry: 'later' },
  'api.malformed_answer': { retry: 'operator' },
  'api.rejected': { retry: 'never' },
  'api.not_found': { retry: 'never' },
  'api.role_missing': { retry: 'never' },
  'api.not_checked': { retry: 'later' },
  'api.blocked': { retry: 'operator' },

  'session.invalid_credentials': { retry: 'operator' },
  'session.too_many_logins': { retry: 'operator' },
  'session.unknown_wms': { retry: 'operator' },
  'session.unknown_customer': { retry: 'operator' },
  'session.expired': { retry: 'operator' },
  'session.signed_out': { retry: 'operator' },

  'station.none': { retry: 'operator' },
  'station.invalid_url': { retry: 'operator' },
  'station.insecure_url': { retry: 'operator' },
  'station.invalid_host': { retry: 'operator' },
  'station.invalid_code': { retry: 'operator' },
  'station.embedded_unavailable': { retry: 'later' },
  'station.embedded_failed': { retry: 'operator' },
  'station.work_waits': { retry: 'operator' },
  'station.changed': { retry: 'operator' },
  'station.too_many': { retry: 'operator' },

  'return_label.method_unsupported': { retry: 'change' },
  'return_label.method_gone': { retry: 'operator' },
  'return_label.already_requested': { retry: 'change' },
  'return_label.no_document': { retry: 'later' },
  'return_label.unknown': { retry: 'never' },
  'return_label.cancelled': { retry: 'never' },
  'return_label.not_made_yet': { retry: 'later' },
  'return_label.address_invalid': { retry: 'operator' },

  'modification.incomplete': { retry: 'operator' },
  'modification.unknown': { retry: 'never' },
  'modification.under_way': { retry: 'never' },
  'modification.corrected': { retry: 'never' },
  'modification.too_many_lines': { retry: 'operator' },
  'modification.comparing': { retry: 'later' },

  'queue.moved_on': { retry: 'never' },
  'queue.form_in_use': { retry: 'operator' },

  'article.unknown': { retry: 'operator' },
  'article.gone': { retry: 'operator' },
  'article.stock_not_kept': { retry: 'later' },
  'article.lots_not_kept': { retry: 'later' },

  'catalogue.too_large': { retry: 'operator' },
  'catalogue.low_disk': { retry: 'operator' },

  'location.unknown': { retry: 'operator' },
  'location.code_taken': { retry: 'operator' },
  'location.book_full': { retry: 'operator' },
  'location.file_unreadable': { retry: 'operator' },
  'location.file_too_large': { retry: 'operator' },
  'location.import_under_way': { retry: 'later' },

  'document.not_a_pdf': { retry: 'operator' },
  'document.too_large': { retry: 'never' },
  'document.low_disk': { retry: 'operator' },
  'document.host_refused': { retry: 'never' },
  'document.missing': { retry: 'operator' },
  'document.unreadable': { retry: 'operator' },

  'printer.refused': { retry: 'operator' },
  'printer.outcome_unknown': { retry: 'operator' },
  'printer.paper_too_narrow': { retry: 'operator' },
  'printer.sheet_too_large': { retry: 'operator' },
  'printer.given_up': { retry: 'operator' },
  'printer.prints_again': { retry: 'operator' },
  'printer.same_twice': { retry: 'operator' },
  'printer.route_unknown': { retry: 'operator' },
  'printer.too_many_new': { retry: 'later' },

  'scanner.unplugged': { retry: 'later' },
  'scanner.refused': { retry: 'operator' },
  'scanner.same_twice': { retry: 'operator' },

  'setup.too_many_tests': { retry: 'later' },
  'setup.not_confirmed': { retry: 'operator' },
  'setup.question_open': { retry: 'operator' },
  'setup.too_many_questions': { retry: 'later' },
  'station.too_many_new': { retry: 'later' },

  'support.not_saved': { retry: 'operator' },
  'support.not_shown': { retry: 'operator' },

  'store.unavailable': { retry: 'operator' },
  'store.full': { retry: 'operator' },
  'store.low_disk': { retry: 'operator' },
  'store.too_much': { retry: 'later' },
  'store.too_many_writes': { retry: 'operator' },
  'store.other_version': { retry: 'operator' },
  'store.damaged': { retry: 'operator' },
  'backup.low_disk': { retry: 'operator' },
  'backup.failed': { retry: 'operator' },
  'purge.files_kept': { retry: 'operator' },

  ...unknownOutcomes,
} as const satisfies Record<string, { retry: RetryPolicy }>

export type RetryPolicy = 'never' | 'later' | 'operator' | 'change'
export type ErrorCode = keyof typeof errorCatalogue

export const errorCodes = Object.keys(errorCatalogue) as ErrorCode[]

/** Values for the placeholders of an error message, for instance `{ host }`; never a secret. */
export type ErrorParams = Readonly<Record<string, string | number>>

/** A catalogued failure as plain data, so that it can cross the bridge and be stored in a database. */
export interface Failure {
  readonly code: ErrorCode
  readonly params: ErrorParams
}

export function failure(code: ErrorCode, params: ErrorParams = {}): Failure {
  return { code, params }
}

/**
 * The cause in an error `….outcome_unknown` if Scandesk itself was stopped between sending and the outcome, for
 * instance by a power cut. It differs from the cause `stopped`, which means that the printer's own queue is stopped.
 */
export const deskStopped = 'desk_stopped'

export function retryPolicy(code: ErrorCode): RetryPolicy {
  return errorCatalogue[code].retry
}

/** The message key of an error code: `network.offline` -> `error_network_offline`. Every code has exactly one dot. */
export type MessageKey = {
  [C in ErrorCode]: C extends `${infer Area}.${infer Name}` ? `error_${Area}_${Name}` : never
}[ErrorCode]

/** Returns the key of an error's message in resources/i18n. */
export function messageKey(code: ErrorCode): MessageKey {
  return `error_${code.replace('.', '_')}` as MessageKey
}
