import { type ErrorCode, type Failure, failure } from '#shared/errors/catalogue.ts'
import type { ApiOutcome } from '../ports/api.ts'

/** An outcome in which the service refused the call. */
export type Refusal = Extract<ApiOutcome<never>, { kind: 'refused' }>

/**
 * Why the service refused. `token`: only the token was refused, and a call with a fresh token may succeed. `too_many`:
 * the desk made too many calls, and the same call may succeed later. `role`: this login lacks a right. `gone`: there is
 * no such record. `final`: any other reason; a repeated call would be refused again.
 */
type RefusalReason = 'token' | 'too_many' | 'role' | 'gone' | 'final'

/** What the failure of a call means for the desk. */
interface Meaning {
  /** Why the service refused; only used for a refusal. */
  readonly refusal: RefusalReason
  /**
   * The state of the connection after this failure, if the service neither accepted nor refused the call. `trouble`: a
   * server responds, but the connection counts as lost after several such failures. `unreadable`: the failure does not
   * change the state.
   */
  readonly line: 'offline' | 'trouble' | 'unreadable'
  /**
   * The pause of the outbox after this failure. `command`: this command waits, each time longer. `all`: every write
   * would fail now for the same reason, so all commands wait. `unfinished`: a check of this command continues after a
   * pause that always has the same length.
   */
  readonly pause: 'command' | 'all' | 'unfinished'
  /**
   * What the failure of a read shows about later reads of the same list or record. `may_last`: the response is wrong or
   * has unreadable rows, or the service refuses the read although the login has the right. `may_be_alone`: other calls
   * may succeed although this read fails each time; the read was sent. Null: neither.
   */
  readonly read: 'may_last' | 'may_be_alone' | null
}

const ofOneCall: Meaning = { refusal: 'final', line: 'unreadable', pause: 'command', read: null }
const ofConnection: Meaning = { ...ofOneCall, line: 'offline', pause: 'all' }
const ofSentCall: Meaning = { ...ofConnection, read: 'may_be_alone' }
const ofLogin: Meaning = { ...ofOneCall, pause: 'all' }

/**
 * The meaning of a failure by its code. A new code of the service (`api.*`) without a row here does not compile.
 * remote/judge.ts converts a status to a code.
 */
const meanings: Readonly<
  Record<Extract<ErrorCode, `api.${string}`>, Meaning> & Partial<Record<ErrorCode, Meaning>>
> = {
  'api.unavailable': { ...ofOneCall, line: 'trouble', read: 'may_be_alone' },
  'api.too_many_requests': { ...ofOneCall, refusal: 'too_many', pause: 'all', read: 'may_be_alone' },
  'api.malformed_answer': { ...ofOneCall, read: 'may_last' },
  'api.rejected': { ...ofOneCall, read: 'may_last' },
  'api.not_found': { ...ofOneCall, refusal: 'gone' },
  'api.role_missing': { ...ofOneCall, refusal: 'role' },
  'api.not_checked': ofOneCall,
  'api.blocked': ofOneCall,
  'session.expired': { ...ofLogin, refusal: 'token', read: 'may_be_alone' },
  'network.not_the_service': ofSentCall,
  'network.timeout': ofSentCall,
  'network.interrupted': ofSentCall,
  'return_label.unknown': { ...ofOneCall, refusal: 'gone' },
  'modification.comparing': { ...ofOneCall, pause: 'unfinished' },
}

/** The meaning of the error codes that `meanings` does not contain, by the part of the code before the dot. */
const meaningsOfAreas: Readonly<Record<string, Meaning>> = {
  network: ofConnection,
  station: ofConnection,
  session: ofLogin,
}

/** Returns the meaning of a failure. */
export function meaningOf(code: ErrorCode): Meaning {
  const [area = ''] = code.split('.')
  return meanings[code] ?? meaningsOfAreas[area] ?? ofOneCall
}

/** Returns the reason of a refusal, or null if the outcome is no refusal. */
export function refusalReason(outcome: ApiOutcome<unknown>): RefusalReason | null {
  return outcome.kind === 'refused' ? meaningOf(outcome.failure.code).refusal : null
}

/**
 * Whether this failure of a list or another read may last (`may_last` of `Meaning`). If it lasts, the operator decides
 * about the write.
 */
export function isUnreadableList({ code }: Failure): boolean {
  return meaningOf(code).read === 'may_last'
}

/** Whether this failure of a read may concern only this read. Only the other calls of the desk show whether it does. */
export function mayConcernOneRead({ code }: Failure): boolean {
  return meaningOf(code).read !== null
}

/** Whether another program than the service answered the call, for example a firewall with its web page. */
export function isOfOtherProgram(why: Failure | null): boolean {
  return [why?.code, why?.params['cause']].includes('network.not_the_service')
}

/** Whether the service refused for a reason other than the token or too many calls. */
export function isFinalRefusal(outcome: ApiOutcome<unknown>): boolean {
  const reason = refusalReason(outcome)
  return reason !== null && reason !== 'token' && reason !== 'too_many'
}

/**
 * Returns why a list could not be read. `isRefused`: this login has no right to read the list. Any other refusal of a
 * list is a fault of the service or of the request, and may end.
 */
export function unreadList(outcome: Exclude<ApiOutcome<unknown>, { kind: 'answer' }>): {
  readonly failure: Failure
  readonly isRefused: boolean
} {
  const reason = refusalReason(outcome)
  const isFault = reason === 'final' || reason === 'gone'
  // the code of the service may concern one record, for example `return_label.unknown`, and not the list, so it is
  // replaced
  const why = isFault ? failure('api.rejected', outcome.failure.params) : outcome.failure
  return { failure: why, isRefused: reason === 'role' }
}

/**
 * Returns a response from a cache as ambiguous, any other outcome unchanged. A response from a cache may be older than
 * a write of the desk, so it does not show whether the write arrived.
 */
export function unlessStored<T>(outcome: ApiOutcome<T>): ApiOutcome<T> {
  if ((outcome.kind !== 'answer' && outcome.kind !== 'refused') || !outcome.isStored) return outcome
  const { status } = outcome
  return { kind: 'ambiguous', status, failure: failure('api.malformed_answer', { status, cause: 'STORED' }) }
}

/** Whether `unlessStored` has returned this outcome for a response from a cache. */
export function isStoredAnswer(outcome: ApiOutcome<unknown>): boolean {
  return outcome.kind === 'ambiguous' && outcome.failure.params['cause'] === 'STORED'
}

/**
 * Whether a list ends with a page of this number of rows. The contract names no largest page (API.md 19), so a service
 * may return fewer rows than requested. A page is therefore the last one only if it is empty or shorter than an earlier
 * page. `longest`: the longest page of this walk so far; null before the first page.
 */
export function isLastPage(length: number, longest: number | null): boolean {
  return length === 0 || (longest !== null && length < longest)
}
