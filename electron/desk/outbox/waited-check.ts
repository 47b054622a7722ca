import type { ErrorParams } from '#shared/errors/catalogue.ts'
import { type ErrorCode, type Failure, failure } from '#shared/errors/catalogue.ts'
import type { Preparation } from './command-type.ts'
import type { ApiOutcome } from '../ports/api.ts'

type Stop = Exclude<Preparation, { kind: 'go' }>

/** What it needs is no longer so. */
export function changed(code: ErrorCode, params: ErrorParams = {}): Stop {
  return { kind: 'ask', question: { kind: 'changed' }, failure: failure(code, params) }
}

/** The service does not let this login look: it may have lost a right since the operator asked. */
export function roleMissing({ params }: Failure): Stop {
  return changed('api.role_missing', params)
}

/** What a read that failed means for a write that waited; null: it has nothing to say. 404 is for the caller to judge. */
export function stopOf(outcome: Exclude<ApiOutcome<unknown>, { kind: 'answer' }>): Stop | null {
  if (outcome.kind !== 'refused') return { kind: 'not_now', failure: outcome.failure }
  if (outcome.status === 403) return roleMissing(outcome.failure)
  if (outcome.status === 401 || outcome.status === 429) return { kind: 'not_now', failure: outcome.failure }
  return null
}
