import { failure, type Failure } from '#shared/errors/catalogue.ts'
import type { Answer, Explanation } from './command-type.ts'
import type { ApiOutcome } from '../ports/api.ts'
import type { SubjectKind } from '../ports/commands.ts'

/** Where a try leaves its command. */
export type Verdict =
  | { readonly kind: 'done'; readonly answer: Answer }
  /** Not applied. `why` null: only the token was refused. */
  | { readonly kind: 'queued'; readonly why: Failure | null }
  | { readonly kind: 'unknown'; readonly why: Failure }
  /** `answer`: what is true instead, where it is known. */
  | { readonly kind: 'rejected'; readonly why: Failure; readonly answer: Answer | null }

/**
 * Judges a write by its outcome (ARCHITECTURE.md, Writes). Only what surely was not applied may be sent again;
 * `explained` is what the command's type made of a refusal.
 */
export function verdictOf(
  outcome: ApiOutcome<Answer>,
  explained: Explanation | null,
  about: SubjectKind,
): Verdict {
  switch (explained?.kind) {
    case 'met':
      return { kind: 'done', answer: explained.answer }
    case 'unreadable':
      return unknownBecause(explained.failure, about)
    case 'refused':
      return { kind: 'rejected', why: explained.why, answer: explained.answer }
    case undefined:
  }
  switch (outcome.kind) {
    case 'answer':
      return { kind: 'done', answer: outcome.value }
    case 'not_sent':
      return { kind: 'queued', why: outcome.failure }
    case 'ambiguous':
      return unknownBecause(outcome.failure, about)
    case 'refused':
      if (outcome.status === 401) return { kind: 'queued', why: null }
      if (outcome.status === 429) return { kind: 'queued', why: outcome.failure }
      return { kind: 'rejected', why: outcome.failure, answer: null }
  }
}

function unknownBecause(cause: Failure, about: SubjectKind): Verdict {
  return { kind: 'unknown', why: failure(`${about}.outcome_unknown`, { cause: cause.code }) }
}
