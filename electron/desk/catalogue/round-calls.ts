import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { ApiOutcome, RowPage } from '../ports/api.ts'
import { isFinalRefusal, refusalReason } from '../service/answers.ts'
import type { SyncEnd, SyncListener } from '../ports/catalogue-store.ts'
import type { WalkAnswer } from './list-walk.ts'

interface RoundCallsParts {
  readonly listener: Pick<SyncListener, 'access'>
  /** Returns the time of this PC, for responses without a Date header; milliseconds since 1970. */
  readonly now: () => Instant
  readonly isStopped: () => boolean
}

/** Thrown to end a round. Any function that a round calls can throw it. */
export class RoundEnded extends Error {
  readonly end: SyncEnd
  constructor(end: SyncEnd) {
    super(end.kind)
    this.end = end
  }
}

/** Thrown if one list cannot be read now. The round continues with its other lists. */
export class ListFailed extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.code)
    this.failure = failure
  }
}

/** Returns the failure that has ended the read of a list or the round; null: the error has another cause. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof ListFailed) return error.failure
  return error instanceof RoundEnded && error.end.kind === 'failed' ? error.end.failure : null
}

type Call<T> = (token: string) => Promise<ApiOutcome<T>>
type Answer<T> = Extract<ApiOutcome<T>, { kind: 'answer' }>

/** Makes the calls of one round with a token, and ends the round if no further call can succeed now. */
export class RoundCalls {
  readonly #parts: RoundCallsParts
  #token: string | null = null
  /**
   * The time of the last response, by the service's clock (see `asOf`). This clock may differ much from the PC's clock.
   */
  #asOf: number | null = null

  constructor(parts: RoundCallsParts) {
    this.#parts = parts
  }

  /**
   * Makes a call, and returns its response. A final refusal or an ambiguous outcome ends the read of the list to which
   * the call belongs; any other outcome ends the round (`#try`).
   */
  async ask<T>(call: Call<T>): Promise<Answer<T>> {
    const outcome = await this.#try(call)
    return outcome.kind === 'answer' ? outcome : this.fail(outcome.failure)
  }

  /** Reads one page of a list for a walk. */
  async page<Row>(call: Call<RowPage<Row>>): Promise<WalkAnswer<Row>> {
    const outcome = await this.#try(call)
    switch (outcome.kind) {
      case 'answer':
        return { kind: 'page', page: { ...outcome.value, asOf: this.asOf(outcome) } }
      case 'refused':
        return outcome
      case 'ambiguous':
        return { kind: 'broken', isHeavy: isHeavy(outcome.failure), failure: outcome.failure }
    }
  }

  /** Ends the read of a list. The round continues with its other lists. */
  fail(failure: Failure): never {
    throw new ListFailed(failure)
  }

  /** Ends the round. */
  end(end: SyncEnd): never {
    throw new RoundEnded(end)
  }

  /**
   * Returns the time in the Date header of a response or, without this header, the time of this PC. The date is used
   * even if the clock of this PC differs from it by years, because the result is compared only with other times of the
   * same service.
   */
  asOf(answer: { readonly serverDate: number | null }): number {
    return (this.#asOf = answer.serverDate ?? this.#parts.now())
  }

  /** Whether a moment (by the service's clock) differs from now by more than this number of milliseconds. */
  isOlder(moment: number, ms: Milliseconds): boolean {
    // compares the absolute difference: if the service's clock was set back, the moment is in the future, and must also
    // count as old
    return Math.abs((this.#asOf ?? this.#parts.now()) - moment) > ms
  }

  /**
   * Makes a call. If the service refuses the token, repeats the call once with a new token. A second refusal of the
   * token, a refusal because of too many calls, or a call that did not reach the service, ends the round.
   */
  async #try<T>(call: Call<T>): Promise<Exclude<ApiOutcome<T>, { kind: 'not_sent' }>> {
    for (let refused: string | null = null; ; refused = this.#token) {
      if (this.#parts.isStopped()) return this.end({ kind: 'stopped' })
      const token = await this.#access(refused)
      const outcome = await call(token)
      if (outcome.kind === 'not_sent') return this.end({ kind: 'failed', failure: outcome.failure })
      if (outcome.kind !== 'refused' || isFinalRefusal(outcome)) return outcome
      if (refusalReason(outcome) !== 'token' || refused !== null)
        return this.end({ kind: 'failed', failure: outcome.failure })
    }
  }

  async #access(refused: string | null): Promise<string> {
    if (this.#token !== null && refused === null) return this.#token
    const access = await this.#parts.listener.access(refused)
    if (!access.ok) return this.end({ kind: 'failed', failure: access.failure })
    return (this.#token = access.token)
  }
}

function isHeavy({ code }: Failure): boolean {
  return code === 'network.timeout' || code === 'network.interrupted' || code === 'api.malformed_answer'
}
