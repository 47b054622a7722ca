import type { Modification } from '#shared/wire/modification.ts'
import { modificationFacts } from './modification-facts.ts'
import { walkModifications } from './modification-walk.ts'
import type { ApiPort } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { LocationStore } from '../ports/location-store.ts'
import type { ModificationLedger } from '../ports/modification-store.ts'
import type { Session } from '../service/session.ts'
import { createWorker, type Worker } from '../timing/worker.ts'

export interface WatchParts {
  readonly api: ApiPort
  readonly session: Session
  readonly locations: LocationStore
  readonly ledger: ModificationLedger
  readonly clock: ClockPort
  /** A modification booked here has another status. */
  readonly moved: (id: string) => void
  readonly onFault: (error: unknown) => void
}

/** At most so many single modifications are asked for in a round, with a pause between two. */
const mostInARound = 60
const pauseMs = 200
const everyMs = 30 * 60_000
const afterFailureMs = 60_000
/** A round looks back over so many modifications at most. */
const mostListed = 300

/**
 * Looks at the service's newest modifications now and then. They tell the status of those booked here, and the lines
 * of each tell locations: the API has no list of them.
 */
export class ModificationWatch {
  readonly #parts: WatchParts
  readonly #worker: Worker
  /** Still to be read in this round: ids of the service, newest first. */
  #unread: string[] = []
  #nextRoundTicks = 0
  #hasFailed = false
  #isClosing = false

  constructor(parts: WatchParts) {
    this.#parts = parts
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
  }

  /** After a login or when the line is back: no reason to wait longer after a round that failed. */
  retryNow(): void {
    if (this.#hasFailed) this.#nextRoundTicks = 0
    this.#worker.kick()
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#worker.close()
  }

  /** One call at a time; answers when to go on. */
  async #step(): Promise<number | null> {
    const { session, clock } = this.#parts
    if (!session.isSignedIn) return null
    const next = this.#unread.shift()
    if (next !== undefined) return this.#read(next)
    const waitMs = this.#nextRoundTicks - clock.ticks()
    return waitMs > 0 ? Math.ceil(waitMs) : this.#list()
  }

  async #list(): Promise<number | null> {
    const { api, session, locations, clock } = this.#parts
    const seen = new Map<string, Modification>()
    const walk = await walkModifications(api, session, {}, (page) => {
      for (const modification of page) seen.set(modification.id, modification)
      const isEnough = this.#isClosing || seen.size >= mostListed
      return isEnough || locations.unread([...seen.keys()]).length >= mostInARound ? 'enough' : 'go_on'
    })
    if (this.#isClosing) return null
    if (!walk.ok) return this.#pause(walk.isRefused ? null : afterFailureMs)
    this.#noteStatus([...seen.values()])
    this.#unread = locations.unread([...seen.keys()]).slice(0, mostInARound)
    this.#hasFailed = false
    this.#nextRoundTicks = clock.ticks() + everyMs
    return this.#unread.length > 0 ? pauseMs : everyMs
  }

  async #read(serverId: string): Promise<number | null> {
    const { api, session, locations, clock } = this.#parts
    const outcome = await session.withAccess((token) => api.getModification(token, serverId))
    if (this.#isClosing) return null
    if (outcome.kind === 'answer') {
      locations.learnFromModification(serverId, locationsOf(outcome.value), clock.now())
      this.#noteStatus([outcome.value])
      return pauseMs
    }
    if (outcome.kind === 'refused' && outcome.status === 404) {
      // gone meanwhile: nothing to learn of it any more
      locations.learnFromModification(serverId, [], clock.now())
      return pauseMs
    }
    this.#unread = []
    return this.#pause(afterFailureMs)
  }

  /** Null: until somebody else logs in. */
  #pause(ms: number | null): number | null {
    this.#hasFailed = true
    this.#nextRoundTicks = this.#parts.clock.ticks() + (ms ?? everyMs)
    return ms
  }

  #noteStatus(modifications: readonly Modification[]): void {
    const { ledger, clock, moved } = this.#parts
    for (const id of ledger.noteStatus(modifications.map(modificationFacts), clock.now())) moved(id)
  }
}

function locationsOf(modification: Modification): { id: string; code: string | null }[] {
  const lines = modification.modification_lines ?? []
  return lines.flatMap(({ location }) =>
    location ? [{ id: location.id.toLowerCase(), code: location.code?.trim() ?? null }] : [],
  )
}
