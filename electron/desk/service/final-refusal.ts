import type { ApiOutcome } from '../ports/api.ts'

/** A refusal that will be the same tomorrow: neither for a token nor for being too many. */
export function isFinalRefusal(
  outcome: ApiOutcome<unknown>,
): outcome is Extract<ApiOutcome<never>, { kind: 'refused' }> {
  return outcome.kind === 'refused' && outcome.status !== 401 && outcome.status !== 429
}
