import type { ErrorCode } from '#shared/errors/catalogue.ts'
import type { ApiOutcome } from '../ports/api.ts'

/** An outcome by which the service said no. */
export type Refusal = Extract<ApiOutcome<never>, { kind: 'refused' }>

/**
 * Why the service said no. `token`: only the token was refused, and a fresh one may do. `too_many`: too many calls, and
 * the same call may succeed later. `role`: this login lacks a right. `gone`: there is no such record. `final`: anything
 * else, which will be the same tomorrow.
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
 * The meaning of a refusal, by its code in the catalogue: the one place where the desk decides it. A status becomes a code
 * in remote/judge.ts. Null: the outcome is no refusal.
 */
export function refusalReason(outcome: ApiOutcome<unknown>): RefusalReason | null {
  return outcome.kind === 'refused' ? (reasons[outcome.failure.code] ?? 'final') : null
}

/** Whether it is a refusal that will be the same tomorrow: neither for a token nor for too many calls. */
export function isFinalRefusal(outcome: ApiOutcome<unknown>): boolean {
  const reason = refusalReason(outcome)
  return reason !== null && reason !== 'token' && reason !== 'too_many'
}

/**
 * Whether a list ends with a page of this many rows. The contract names no largest page (API.md 19), so a service may
 * give fewer rows than it was asked for: a page is the last one only if it is empty, or shorter than one before it.
 * `longest`: of the pages of this walk so far; null before the first.
 */
export function isLastPage(length: number, longest: number | null): boolean {
  return length === 0 || (longest !== null && length < longest)
}
