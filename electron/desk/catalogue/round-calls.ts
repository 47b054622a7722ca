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

type Call<T> = (token: string) => Promise<ApiOutcome<T>>
type Told<T> = Extract<ApiOutcome<T>, { kind: 'answer' | 'refused' }>

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

  /** Makes a call. Returns a response or a final refusal; any other outcome ends the round. */
  async ask<T>(call: Call<T>): Promise<Told<T>> {
    const outcome = await this.#try(call)
    if (outcome.kind === 'answer' || outcome.kind === 'refused') return outcome
    return this.fail(outcome.failure)
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
      case 'not_sent':
        return this.fail(outcome.failure)
    }
  }

  fail(failure: Failure): never {
    return this.end({ kind: 'failed', failure })
  }

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

  /** Whether a moment (by the service's clock) is more than this number of milliseconds ago. */
  isOlder(moment: number, ms: Milliseconds): boolean {
    // compares the absolute difference: if the service's clock was set back, the moment is in the future, and must also
    // count as old
    return Math.abs((this.#asOf ?? this.#parts.now()) - moment) > ms
  }

  /**
   * Makes a call. If the service refuses the token, repeats the call once with a new token. A second refusal of the
   * token, or a refusal because of too many calls, ends the round.
   */
  async #try<T>(call: Call<T>): Promise<ApiOutcome<T>> {
    for (let refused: string | null = null; ; refused = this.#token) {
      if (this.#parts.isStopped()) throw new RoundEnded({ kind: 'stopped' })
      const token = await this.#access(refused)
      const outcome = await call(token)
      if (outcome.kind !== 'refused' || isFinalRefusal(outcome)) return outcome
      if (refusalReason(outcome) !== 'token' || refused !== null) return this.fail(outcome.failure)
    }
  }

  async #access(refused: string | null): Promise<string> {
    if (this.#token !== null && refused === null) return this.#token
    const access = await this.#parts.listener.access(refused)
    if (!access.ok) return this.fail(access.failure)
    return (this.#token = access.token)
  }
}

function isHeavy({ code }: Failure): boolean {
  return code === 'network.timeout' || code === 'network.interrupted' || code === 'api.malformed_answer'
}
