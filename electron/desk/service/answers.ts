import type { ErrorCode } from '#shared/errors/catalogue.ts'
import type { ApiOutcome } from '../ports/api.ts'

/** An outcome in which the service refused the call. */
export type Refusal = Extract<ApiOutcome<never>, { kind: 'refused' }>

/**
 * Why the service refused. `token`: only the token was refused, and a call with a fresh one may succeed. `too_many`:
 * too many calls, and the same call may succeed later. `role`: this login lacks a right. `gone`: there is no such
 * record. `final`: any other reason, with the same result tomorrow.
 */
type RefusalReason = 'token' | 'too_many' | 'role' | 'gone' | 'final'

const reasons: Partial<Record<ErrorCode, RefusalReason>> = {
  'session.expired': 'token',
  'api.too_many_requests': 'too_many',
  'api.role_missing': 'role',
  'api.not_found': 'gone',
  'return_label.unknown': 'gone',
}

/**
 * Returns the reason of a refusal by its code in the catalogue, or null if the outcome is no refusal. Only this
 * function decides it. remote/judge.ts turns a status into a code.
 */
export function refusalReason(outcome: ApiOutcome<unknown>): RefusalReason | null {
  return outcome.kind === 'refused' ? (reasons[outcome.failure.code] ?? 'final') : null
}

/** Whether a refusal is final: neither because of the token nor because of too many calls. */
export function isFinalRefusal(outcome: ApiOutcome<unknown>): boolean {
  const reason = refusalReason(outcome)
  return reason !== null && reason !== 'token' && reason !== 'too_many'
}

/**
 * Whether a list ends with a page of this number of rows. The contract names no largest page (API.md 19), so a service
 * may return fewer rows than requested. A page is therefore the last one only if it is empty or shorter than an earlier
 * page. `longest`: the longest page of this walk so far; null before the first page.
 */
export function isLastPage(length: number, longest: number | null): boolean {
  return length === 0 || (longest !== null && length < longest)
}
