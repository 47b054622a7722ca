import type { Modification } from '#shared/wire/modification.ts'
import type { ModificationFacts } from '#shared/writes/modification.ts'
import { modificationFacts } from './modification-records.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { LocationStore } from '../ports/location-store.ts'
import type { ModificationLedger } from '../ports/modification-store.ts'
import { walkModifications } from './recent-modifications.ts'
import { refusalReason } from '../service/answers.ts'
import type { ListSource } from '../service/page-limit.ts'
import type { Session } from '../service/session.ts'
import { createWorker, type Worker } from '../timing/worker.ts'

interface WatchParts extends ListSource {
  readonly session: Pick<Session, 'isSignedIn' | 'withAccess'>
  readonly locations: LocationStore
  readonly ledger: ModificationLedger
  readonly clock: ClockPort
  /** Reports that the status of a booking of this desk has changed. */
  readonly moved: (id: string) => void
  readonly onFault: (error: unknown) => void
}

/**
 * Maximum number of single modifications to read in half an hour, with a pause after each read. Reads of a repeated
 * round count too.
 */
const mostInARound = 60
const pauseMs = 200
const everyMs = 30 * 60_000
const afterFailureMs = 60_000
/** A round reads no further page of the list after it has read this number of modifications. */
const mostListed = 300
/** A modification is left out after this number of failed reads. */
const mostFailures = 3
const mostFailing = 1_000
/**
 * Maximum number of locations to learn from one modification. A modification usually names a few locations; a
 * modification with thousands of locations would fill the book.
 */
const mostTaught = 100

/**
 * Reads the service's newest modifications every half hour, for two purposes. First, the list shows the status of the
 * bookings of this desk. Second, the desk learns locations from the lines of each modification, because the API has no
 * list of locations.
 */
export class ModificationWatch {
  readonly #parts: WatchParts
  readonly #worker: Worker
  /** Server ids of the modifications that this round must still read, newest first. */
  #unread: string[] = []
  /** Number of modifications that may still be read in this half hour. */
  #left = 0
  #countedFromTicks: number | null = null
  /** The number of failed reads of each modification. */
  readonly #failures = new Map<string, number>()
  #nextRoundTicks = 0
  /** Number of consecutive rounds in which the list of modifications could not be read. */
  #failedRounds = 0
  #isClosing = false

  constructor(parts: WatchParts) {
    this.#parts = parts
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
  }

  /** If the last round failed, repeats it now, because a user has logged in or the connection is back. */
  retryNow(): void {
    if (this.#failedRounds > 0) {
      this.#failedRounds = 1
      this.#nextRoundTicks = 0
    }
    this.#worker.kick()
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#worker.close()
  }

  /**
   * Makes one step of a round: lists the newest modifications, or reads one of them. Returns the milliseconds until the
   * next step; null: the next step follows after a login.
   */
  async #step(): Promise<number | null> {
    const { session, clock } = this.#parts
    if (!session.isSignedIn) return null
    const next = this.#unread[0]
    if (next !== undefined) return this.#read(next)
    const waitMs = this.#nextRoundTicks - clock.ticks()
    return waitMs > 0 ? Math.ceil(waitMs) : this.#list()
  }

  async #list(): Promise<number | null> {
    const { locations, clock } = this.#parts
    const seen = new Map<string, ModificationFacts>()
    const walk = await walkModifications(this.#parts, {}, (page) => {
      for (const modification of page) seen.set(modification.id, modificationFacts(modification))
      const isEnough = this.#isClosing || seen.size >= mostListed
      return isEnough || this.#readable([...seen.keys()]).length >= mostInARound ? 'enough' : 'go_on'
    })
    if (this.#isClosing) return null
    // a service that ignores the page number lists no further rows, so the round uses the rows of the first page
    if (!walk.ok && !walk.isRepeated) return this.#pause(walk.isRefused)
    this.#noteStatus([...seen.values()])
    locations.keepRead([...seen.keys()])
    this.#unread = this.#readable([...seen.keys()]).slice(0, this.#mayRead())
    this.#failedRounds = 0
    this.#nextRoundTicks = clock.ticks() + everyMs
    return this.#unread.length > 0 ? pauseMs : everyMs
  }

  /**
   * Returns the ids whose modifications were not read yet. Leaves out modifications whose reads have failed too often.
   */
  #readable(serverIds: readonly string[]): string[] {
    const failures = (serverId: string): number => this.#failures.get(serverId) ?? 0
    return this.#parts.locations.unread(serverIds).filter((serverId) => failures(serverId) < mostFailures)
  }

  #mayRead(): number {
    const ticks = this.#parts.clock.ticks()
    if (this.#countedFromTicks === null || ticks - this.#countedFromTicks >= everyMs) {
      this.#countedFromTicks = ticks
      this.#left = mostInARound
    }
    return this.#left
  }

  async #read(serverId: string): Promise<number | null> {
    const { api, session, locations, clock } = this.#parts
    const outcome = await session.withAccess((token) => api.getModification(token, serverId), 'observePage')
    if (this.#isClosing) return null
    // the call did not reach the service, so the modification stays the next one to read
    if (outcome.kind === 'not_sent') return afterFailureMs
    this.#unread.shift()
    this.#left--
    // a modification that no longer exists at the service is stored as read, so that the desk does not try to read it
    // again
    const isGone = refusalReason(outcome) === 'gone'
    if (outcome.kind !== 'answer' && !isGone) return this.#failed(serverId)
    const taught = outcome.kind === 'answer' ? locationsOf(outcome.value) : []
    locations.learnFromModification(serverId, taught, clock.now())
    this.#failures.delete(serverId)
    if (outcome.kind === 'answer') this.#noteStatus([modificationFacts(outcome.value)])
    return pauseMs
  }

  /**
   * Notes the failed read of one modification. After a pause, this round reads the remaining modifications. A later
   * round reads the failed modification again.
   */
  #failed(serverId: string): number {
    if (this.#failures.size >= mostFailing) this.#failures.clear()
    this.#failures.set(serverId, (this.#failures.get(serverId) ?? 0) + 1)
    return afterFailureMs
  }

  /**
   * Ends the round after its list failed. Returns the milliseconds until the next round, twice as many after each
   * failure in a row, up to half an hour. `isRefused`: returns null, and the next round follows after a login.
   */
  #pause(isRefused: boolean): number | null {
    const ms = isRefused ? everyMs : Math.min(everyMs, afterFailureMs * 2 ** this.#failedRounds)
    this.#failedRounds++
    this.#nextRoundTicks = this.#parts.clock.ticks() + ms
    return isRefused ? null : ms
  }

  #noteStatus(modifications: readonly ModificationFacts[]): void {
    const { ledger, clock, moved } = this.#parts
    for (const id of ledger.noteStatus(modifications, clock.now())) moved(id)
  }
}

/**
 * Returns at most `mostTaught` locations in the lines of a modification, each location once, with its code if a line
 * contains the code.
 */
function locationsOf(modification: Modification): { id: string; code: string | null }[] {
  const codes = new Map<string, string | null>()
  for (const { location } of modification.modification_lines ?? []) {
    const id = location?.id.toLowerCase()
    if (id === undefined || (codes.size >= mostTaught && !codes.has(id))) continue
    codes.set(id, codes.get(id) ?? location?.code?.trim() ?? null)
  }
  return [...codes].map(([id, code]) => ({ id, code }))
}
