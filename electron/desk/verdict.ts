import { failure, type Failure } from '#shared/errors/catalogue.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { ReadBack } from './command-types.ts'
import type { ApiOutcome } from './ports/api.ts'

/** Where a try leaves its command. */
export type Verdict =
  | { readonly kind: 'done'; readonly label: ReturnLabel }
  /** Not applied. `why` null: only the token was refused. */
  | { readonly kind: 'queued'; readonly why: Failure | null }
  | { readonly kind: 'unknown'; readonly why: Failure }
  | { readonly kind: 'rejected'; readonly why: Failure }

/**
 * Judges a write by its outcome (ARCHITECTURE.md, Writes). Only what surely was not applied may be sent again; `seen`
 * is what a look showed after a 412 to a write whose goal may be met already.
 */
export function verdictOf(outcome: ApiOutcome<ReturnLabel>, seen: ReadBack | null): Verdict {
  if (seen?.kind === 'found') return { kind: 'done', label: seen.label }
  if (seen?.kind === 'unreadable') return unknownBecause(seen.failure)
  switch (outcome.kind) {
    case 'answer':
      return { kind: 'done', label: outcome.value }
    case 'not_sent':
      return { kind: 'queued', why: outcome.failure }
    case 'ambiguous':
      return unknownBecause(outcome.failure)
    case 'refused':
      if (outcome.status === 401) return { kind: 'queued', why: null }
      return { kind: outcome.status === 429 ? 'queued' : 'rejected', why: outcome.failure }
  }
}

function unknownBecause(cause: Failure): Verdict {
  return { kind: 'unknown', why: failure('return_label.outcome_unknown', { cause: cause.code }) }
}
