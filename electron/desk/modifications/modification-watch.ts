import type { Modification } from '#shared/wire/modification.ts'
import type { ModificationFacts } from '#shared/writes/modification.ts'
import { modificationFacts } from './modification-records.ts'
import type { ApiPort } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { LocationStore } from '../ports/location-store.ts'
import type { ModificationLedger } from '../ports/modification-store.ts'
import { walkModifications } from './recent-modifications.ts'
import { refusalReason } from '../service/answers.ts'
import type { Session } from '../service/session.ts'
import { createWorker, type Worker } from '../timing/worker.ts'

interface WatchParts {
  readonly api: ApiPort
  readonly session: Session
  readonly locations: LocationStore
  readonly ledger: ModificationLedger
  readonly clock: ClockPort
  /** A modification booked here has another status. */
  readonly moved: (id: string) => void
  readonly onFault: (error: unknown) => void
}

/**
 * The desk reads at most this many single modifications in half an hour, with a pause between two. A service cannot raise
 * the number by failing a round.
 */
const mostInARound = 60
const pauseMs = 200
const everyMs = 30 * 60_000
const afterFailureMs = 60_000
/** A round looks back over so many modifications at most. */
const mostListed = 300
/** So often one may fail to be read before it is left out. */
const mostFailures = 3
const mostFailing = 1_000
/** Most locations that one modification teaches: it names a few, and one of thousands would fill the book. */
const mostTaught = 100

/**
 * Looks at the service's newest modifications now and then. They tell the status of those booked here, and the lines
 * of each tell locations: the API has no list of them.
 */
export class ModificationWatch {
  readonly #parts: WatchParts
  readonly #worker: Worker
  /** Still to be read in this round: ids of the service, newest first. */
  #unread: string[] = []
  /** How many may still be read in this half hour. */
  #left = 0
  #countedFromTicks: number | null = null
  /** How often each of those that cannot be read has failed. */
  readonly #failures = new Map<string, number>()
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

  /** One call at a time; returns when to go on, in milliseconds. */
  async #step(): Promise<number | null> {
    const { session, clock } = this.#parts
    if (!session.isSignedIn) return null
    const next = this.#unread[0]
    if (next !== undefined) return this.#read(next)
    const waitMs = this.#nextRoundTicks - clock.ticks()
    return waitMs > 0 ? Math.ceil(waitMs) : this.#list()
  }

  async #list(): Promise<number | null> {
    const { api, session, locations, clock } = this.#parts
    const seen = new Map<string, ModificationFacts>()
    const walk = await walkModifications(api, session, {}, (page) => {
      for (const modification of page) seen.set(modification.id, modificationFacts(modification))
      const isEnough = this.#isClosing || seen.size >= mostListed
      return isEnough || this.#readable([...seen.keys()]).length >= mostInARound ? 'enough' : 'go_on'
    })
    if (this.#isClosing) return null
    if (!walk.ok) return this.#pause(walk.isRefused ? null : afterFailureMs)
    this.#noteStatus([...seen.values()])
    locations.keepRead([...seen.keys()])
    this.#unread = this.#readable([...seen.keys()]).slice(0, this.#mayRead())
    this.#hasFailed = false
    this.#nextRoundTicks = clock.ticks() + everyMs
    return this.#unread.length > 0 ? pauseMs : everyMs
  }

  /** Those of them that were not read, without those that fail again and again. */
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
    const outcome = await session.withAccess((token) => api.getModification(token, serverId))
    if (this.#isClosing) return null
    // it did not reach the service: the same one again, once it does
    if (outcome.kind === 'not_sent') return afterFailureMs
    this.#unread.shift()
    this.#left--
    // gone meanwhile: nothing to learn of it any more
    const isGone = refusalReason(outcome) === 'gone'
    if (outcome.kind !== 'answer' && !isGone) return this.#failed(serverId)
    const taught = outcome.kind === 'answer' ? locationsOf(outcome.value) : []
    locations.learnFromModification(serverId, taught, clock.now())
    this.#failures.delete(serverId)
    if (outcome.kind === 'answer') this.#noteStatus([modificationFacts(outcome.value)])
    return pauseMs
  }

  /** The others of the round are read all the same, slowly; this one in a later round. */
  #failed(serverId: string): number {
    if (this.#failures.size >= mostFailing) this.#failures.clear()
    this.#failures.set(serverId, (this.#failures.get(serverId) ?? 0) + 1)
    return afterFailureMs
  }

  /** Null: until somebody else logs in. */
  #pause(ms: number | null): number | null {
    this.#hasFailed = true
    this.#nextRoundTicks = this.#parts.clock.ticks() + (ms ?? everyMs)
    return ms
  }

  #noteStatus(modifications: readonly ModificationFacts[]): void {
    const { ledger, clock, moved } = this.#parts
    for (const id of ledger.noteStatus(modifications, clock.now())) moved(id)
  }
}

/** The locations that a modification names, each once, with its code where one of the lines has it. */
function locationsOf(modification: Modification): { id: string; code: string | null }[] {
  const codes = new Map<string, string | null>()
  for (const { location } of modification.modification_lines ?? []) {
    const id = location?.id.toLowerCase()
    if (id === undefined || (codes.size >= mostTaught && !codes.has(id))) continue
    codes.set(id, codes.get(id) ?? location?.code?.trim() ?? null)
  }
  return [...codes].map(([id, code]) => ({ id, code }))
}
