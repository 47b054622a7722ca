import type { ServerId } from '#shared/domain/ids.ts'
import type { Milliseconds } from '#shared/domain/instants.ts'
import { isDecision } from '#shared/domain/modification.ts'
import type { Modification } from '#shared/wire/modification.ts'
import { modificationFacts } from './modification-records.ts'
import type { ApiOutcome, ApiPort } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { ModificationLedger } from '../ports/modification-store.ts'
import { refusalReason } from '../service/answers.ts'
import type { Line } from '../service/line.ts'
import type { ListSource } from '../service/page-limit.ts'
import type { Session } from '../service/session.ts'
import { type Backoff, createBackoff, createWorker, type Worker } from '../timing/worker.ts'

interface DecisionParts extends Pick<ListSource, 'pageLimit'> {
  readonly api: Pick<ApiPort, 'listModifications' | 'getModification'>
  readonly session: Pick<Session, 'isSignedIn' | 'withAccess'>
  readonly line: Pick<Line, 'isOffline'>
  readonly ledger: Pick<ModificationLedger, 'get' | 'undecided' | 'noteStatus'>
  readonly clock: ClockPort
  /** Reports that the status of a booking of this desk has changed. */
  readonly moved: (id: string) => void
  readonly onFault: (error: unknown) => void
}

const firstMs = 5_000
const mostMs = 5 * 60_000
/**
 * Maximum number of bookings that each look reads one by one, because the page of the newest bookings does not contain
 * them.
 */
const mostRead = 5
/**
 * Bookings older than this number of milliseconds are no longer watched; their status is read when an operator opens
 * them.
 */
const longestMs = 30 * 24 * 60 * 60_000
const mostWatched = 200

/**
 * Asks the service whether the warehouse has approved or disapproved the bookings of this desk. The first request
 * follows five seconds after a booking has arrived. The intervals then become longer. The first decision on each
 * booking resets the interval to five seconds. A changed decision does not, so a service that changes a decision at
 * each look is soon asked only every five minutes. Requests are sent only while a booking is undecided, the service can
 * be reached, and an operator is signed in.
 */
export class DecisionWatch {
  readonly #parts: DecisionParts
  readonly #worker: Worker
  readonly #pace: Backoff
  /** Server ids for which the service returns no booking, or a booking with another id. */
  readonly #missing = new Set<string>()
  /**
   * Server ids of the bookings whose first decision has already reset the interval between requests to five seconds.
   */
  readonly #decided = new Set<string>()
  /** Whether this user has no right to read bookings; if true, no look follows until `retryNow`. */
  #isRefused = false

  constructor(parts: DecisionParts) {
    this.#parts = parts
    this.#pace = createBackoff(parts.clock, firstMs, mostMs)
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
  }

  /**
   * Handles a change of a booking in the outbox. If the booking has arrived, looks soon, because the warehouse may
   * decide soon.
   */
  arrived(id: string): void {
    if (this.#parts.ledger.get(id)?.serverId == null) return
    this.#restart()
  }

  /**
   * Reads the statuses again after a login or when the connection is back, because decisions may have been made
   * meanwhile.
   */
  retryNow(): void {
    this.#isRefused = false
    this.#pace.reset()
    this.#worker.kick()
  }

  async close(): Promise<void> {
    await this.#worker.close()
  }

  #restart(): void {
    this.#pace.reset()
    // counts a failed look, so that the first look follows after the shortest interval and not at once
    this.#pace.failed()
    this.#worker.kick()
  }

  /**
   * Reads the statuses if a look is due. Returns the milliseconds until the next look; null: the next look follows
   * after an event.
   */
  async #step(): Promise<number | null> {
    const { session, line } = this.#parts
    if (!session.isSignedIn || line.isOffline() || this.#isRefused) return null
    const open = this.#undecided()
    if (open.length === 0) return null
    const waitMs = this.#pace.waitMs()
    if (waitMs > 0) return waitMs
    if (await this.#look(open)) this.#pace.reset()
    this.#pace.failed()
    return this.#nextMs()
  }

  #nextMs(): Milliseconds | null {
    return this.#isRefused || this.#undecided().length === 0 ? null : this.#pace.waitMs()
  }

  #undecided(): { readonly id: string; readonly serverId: ServerId }[] {
    const { ledger, clock } = this.#parts
    return ledger
      .undecided(clock.now() - longestMs, mostWatched)
      .filter(({ serverId }) => !this.#missing.has(serverId))
  }

  /**
   * Reads the page of the newest bookings, then some bookings that the page does not contain. Returns whether it found
   * a decision of the warehouse about a booking for which earlier looks had found none.
   */
  async #look(open: readonly { readonly serverId: ServerId }[]): Promise<boolean> {
    const { api, session, pageLimit } = this.#parts
    const page = await pageLimit.begin()(1, (limit) =>
      session.withAccess((token) => api.listModifications(token, { page: 1, limit }), 'observePage'),
    )
    if (!this.#isAnswer(page)) return false
    const { rows } = page.value
    const askedIds = new Set(open.map(({ serverId }) => serverId))
    let isDecided = this.#note(rows.filter(({ id }) => askedIds.has(id)))
    const listed = new Set(rows.map(({ id }) => id))
    for (const { serverId } of open.filter((one) => !listed.has(one.serverId)).slice(0, mostRead)) {
      const one = await session.withAccess((token) => api.getModification(token, serverId), 'observePage')
      if (refusalReason(one) === 'gone') this.#missing.add(serverId)
      else if (!this.#isAnswer(one)) return isDecided
      else if (one.value.id !== serverId) this.#missing.add(serverId)
      else if (this.#note([one.value])) isDecided = true
    }
    return isDecided
  }

  #isAnswer<T>(outcome: ApiOutcome<T>): outcome is Extract<ApiOutcome<T>, { kind: 'answer' }> {
    if (outcome.kind === 'answer') return true
    this.#isRefused = refusalReason(outcome) === 'role'
    return false
  }

  /** Stores the statuses. Returns whether a booking was decided for the first time. */
  #note(modifications: readonly Modification[]): boolean {
    const { ledger, clock, moved } = this.#parts
    const facts = modifications.map(modificationFacts)
    for (const id of ledger.noteStatus(facts, clock.now())) moved(id)
    const decided = facts.filter(({ serverId, status }) => isDecision(status) && !this.#decided.has(serverId))
    for (const { serverId } of decided) this.#decided.add(serverId)
    return decided.length > 0
  }
}
