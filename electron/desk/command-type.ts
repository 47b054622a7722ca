import type { Failure } from '#shared/errors/catalogue.ts'
import type { ApiOutcome, ApiPort } from './ports/api.ts'
import type { CommandFacts, CommandRow } from './ports/commands.ts'
import type { LabelLedger } from './ports/label-ledger.ts'
import type { ModificationLedger } from './ports/modification-store.ts'
import type { Session } from './session.ts'

/** What a kind of write may use: the service, and the ledgers that hold its subjects. */
export interface CommandTypesParts {
  readonly api: ApiPort
  readonly session: Session
  readonly labels: LabelLedger
  readonly modifications: ModificationLedger
  /** Milliseconds since 1970, by this machine. */
  readonly now: () => number
}

/** What the service said of a command's subject. */
export interface Answer {
  readonly facts: CommandFacts
  /** The signed address of a PDF that it gave: a secret that expires, handed on and never stored. */
  readonly documentAddress: string | null
}

/** What must be known before a try: go ahead, it has been done already, or it cannot be told now. */
export type Preparation =
  | { readonly kind: 'go'; readonly baseline: readonly string[] | null; readonly serviceTime: number | null }
  | { readonly kind: 'already'; readonly answer: Answer }
  | { readonly kind: 'not_now'; readonly failure: Failure }

/** What looking for a write's effect showed. */
export type ReadBack =
  | { readonly kind: 'found'; readonly answer: Answer }
  | { readonly kind: 'absent' }
  /** `isRefused`: the service will not show it, today or tomorrow. */
  | { readonly kind: 'unreadable'; readonly failure: Failure; readonly isRefused: boolean }

/** A refusal seen in the light of how things stand. */
export type Explanation =
  /** What was wanted is so already. */
  | { readonly kind: 'met'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly why: Failure; readonly answer: Answer | null }
  /** It may be met, but nobody can look now. */
  | { readonly kind: 'unreadable'; readonly failure: Failure }

export type Refusal = Extract<ApiOutcome<never>, { kind: 'refused' }>

/**
 * One kind of write: all that the flusher needs to know of it. A new kind is a new entry in command-types.ts. Each
 * loads its subject from its own ledger by `command.subject.id`; none of them throws.
 */
export interface CommandType {
  /** Before every try. With `attempts` > 0 an earlier one may have arrived after all. */
  prepare(command: CommandRow): Promise<Preparation>
  send(token: string, command: CommandRow): Promise<ApiOutcome<Answer>>
  /** Looks for the effect of a try that nobody knows about. */
  readBack(command: CommandRow): Promise<ReadBack>
  /** Sent twice it leads to the same end: then it is sent again by itself once it can no longer arrive late. */
  readonly isRepeatable: boolean
  /** A refusal that ends the command may mean more than it says; null: it stands as it is. Left out: always. */
  explain?(command: CommandRow, refusal: Refusal): Promise<Explanation | null>
}

/** The same outcome with its value turned into what the outbox understands. */
export function mapOutcome<T, U>(outcome: ApiOutcome<T>, toValue: (value: T) => U): ApiOutcome<U> {
  return outcome.kind === 'answer' ? { ...outcome, value: toValue(outcome.value) } : outcome
}

/** Go ahead unless a look shows that there is nothing left to do. */
export function asPreparation(seen: ReadBack): Preparation {
  const go = { kind: 'go', baseline: null, serviceTime: null } as const
  switch (seen.kind) {
    case 'found':
      return { kind: 'already', answer: seen.answer }
    case 'absent':
      return go
    case 'unreadable':
      // a service that will not show it may still do it, and says so itself
      return seen.isRefused ? go : { kind: 'not_now', failure: seen.failure }
  }
}
