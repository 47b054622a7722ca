import type { CommandId } from '#shared/domain/ids.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { Attempts, type OutboxParts } from './attempts.ts'
import type { CommandType } from './command-type.ts'
import { CommandWaits } from './command-waits.ts'
import type { CommandRow } from '../ports/commands.ts'
import { createWorker, type Worker } from '../timing/worker.ts'

/** Longer than any exchange can last, so that the lease outlives what is on its way. */
const leaseMs = 120_000
const mostAtOnce = 4
const otherFlusherMs = 5_000

/** What a command waits for by itself, beside a login, the line and those before it. */
export interface Outlook {
  readonly waitsFor: 'turn' | 'quiet_time' | 'service'
  /** Wall clock, milliseconds since 1970; null: now, or when something happens. */
  readonly nextAt: number | null
}

/**
 * Sends what waits. `sending` is committed before a socket opens; what comes back decides the next state; what nobody
 * knows is looked for, and goes again only once it surely did not arrive (ARCHITECTURE.md, decision 4).
 */
export class Outbox {
  readonly #parts: OutboxParts
  readonly #holder = crypto.randomUUID()
  readonly #worker: Worker
  readonly #waits: CommandWaits
  readonly #attempts: Attempts
  readonly #inFlight = new Map<CommandId, Promise<void>>()
  #holdsLease = false
  #closing = false

  constructor(parts: OutboxParts) {
    const { store, session, clock, line, quietMs, pace, moved, arrived, noticed, onFault } = parts
    this.#parts = parts
    this.#worker = createWorker(clock, () => this.#step(), onFault)
    this.#waits = new CommandWaits(clock, pace, quietMs, () => session.state().username)
    this.#attempts = new Attempts({
      store,
      session,
      clock,
      line,
      waits: this.#waits,
      holder: this.#holder,
      isClosing: () => this.#closing,
      moved,
      arrived,
      noticed,
      onFault,
    })
    line.onBack(() => this.resume())
  }

  /** What a crash cut short becomes `unknown` before anything else happens. */
  start(): void {
    this.#hold()
    this.kick()
  }

  kick(): void {
    this.#worker.kick()
  }

  /** Somebody wishes that it goes on: no reason to wait any longer for the next try. */
  retryNow(): void {
    this.#waits.endPauses()
    this.kick()
  }

  /** The line or the session is back: what nobody knows about is looked for at once, too. */
  resume(): void {
    this.#waits.lookNow()
    this.retryNow()
  }

  /** The operator wants this one to go, or to be looked for, now; it is not checked for having waited. */
  hurry(commandId: CommandId): void {
    this.#waits.checked(commandId)
    this.#waits.lookNow(commandId)
    this.retryNow()
  }

  /** When it is certain whether an unknown command arrived, in milliseconds since 1970; null: it is, or nothing is in doubt. */
  certainAt(command: Pick<CommandRow, 'id' | 'state' | 'endedAt'>): number | null {
    const leftMs = command.state === 'unknown' ? this.#waits.quietMs(command) : 0
    return leftMs > 0 ? this.#parts.clock.now() + leftMs : null
  }

  /** What a queued or unknown command waits for, and until when. */
  outlook(command: CommandRow): Outlook {
    const now = this.#parts.clock.now()
    const quietMs = this.#waits.quietMs(command)
    if (command.state === 'unknown') {
      const nextAt = now + this.#waits.nextLookMs(command)
      return { waitsFor: quietMs > 0 ? 'quiet_time' : 'service', nextAt }
    }
    if (command.state !== 'queued') return { waitsFor: 'turn', nextAt: null }
    if (quietMs > 0) return { waitsFor: 'quiet_time', nextAt: now + quietMs }
    const waitMs = Math.max(this.#waits.allPausedMs(), this.#waits.pausedMs(command.id))
    return waitMs > 0 ? { waitsFor: 'service', nextAt: now + waitMs } : { waitsFor: 'turn', nextAt: null }
  }

  /** Stops taking commands, waits for those on their way, gives the lease back. */
  async close(): Promise<void> {
    this.#closing = true
    await this.#worker.close()
    await Promise.all(this.#inFlight.values())
    if (this.#holdsLease) this.#parts.store.releaseLease(this.#holder)
  }

  #hold(): boolean {
    const { store, clock } = this.#parts
    const held = store.holdLease(this.#holder, clock.now(), leaseMs)
    if (held && !this.#holdsLease) store.recover(this.#holder, clock.now())
    this.#holdsLease = held
    return held
  }

  /** Starts what may start now; answers when to look again. */
  #step(): number | null {
    if (!this.#hold()) return otherFlusherMs
    if (!this.#parts.session.isSignedIn) {
      this.#noteNobodyIsHere()
      return null
    }
    const waits = [this.#lookForUnknown(), this.#startQueued()]
    return waits.reduce((a, b) => (a === null ? b : b === null ? a : Math.min(a, b)))
  }

  /** What waits for a login says so, rather than looking busy. */
  #noteNobodyIsHere(): void {
    const isExpired = this.#parts.session.state().state === 'expired'
    const why = failure(isExpired ? 'session.expired' : 'session.signed_out')
    this.#noteUntried(why, (command) => command.failure?.code !== why.code)
  }

  /** So does what has not had a turn since the line was lost. */
  #noteNoLine(): void {
    const { state, failure: why } = this.#parts.line.view()
    if (state === 'offline' && why) this.#noteUntried(why, (command) => command.failure === null)
  }

  #noteUntried(why: Failure, isNews: (command: CommandRow) => boolean): void {
    const { store, moved } = this.#parts
    for (const command of store.due(mostAtOnce * 8)) {
      if (this.#inFlight.has(command.id) || !isNews(command)) continue
      store.noteFailure(command.id, why)
      moved(command.subject, null)
    }
  }

  #startQueued(): number | null {
    const { store } = this.#parts
    const offlineMs = this.#waits.allPausedMs()
    if (offlineMs > 0) {
      this.#noteNoLine()
      return offlineMs
    }
    let soonest: number | null = null
    for (const command of store.due(mostAtOnce * 8 + this.#waits.pausedCount)) {
      // whoever lands kicks
      if (this.#inFlight.size >= mostAtOnce) return null
      if (this.#inFlight.has(command.id)) continue
      const waitMs = Math.max(this.#waits.quietMs(command), this.#waits.pausedMs(command.id))
      if (waitMs > 0) soonest = Math.min(soonest ?? waitMs, waitMs)
      else this.#fly(command, (type) => this.#attempts.try(command, type))
    }
    return soonest
  }

  #lookForUnknown(): number | null {
    let soonest: number | null = null
    for (const command of this.#parts.store.unknown()) {
      const waitMs = this.#waits.nextLookMs(command)
      if (this.#inFlight.has(command.id)) continue
      // whoever lands kicks: a step that came back at once meanwhile would never let anybody land
      if (this.#inFlight.size >= mostAtOnce) return soonest
      if (waitMs > 0) soonest = Math.min(soonest ?? waitMs, waitMs)
      else this.#fly(command, (type) => this.#attempts.look(command, type))
    }
    return soonest
  }

  #fly(command: CommandRow, act: (type: CommandType) => Promise<void>): void {
    const flight = this.#actOn(command, act)
      .catch((error: unknown) => {
        // nothing says that it will go better at once: a step that came back without a pause would hang the desk
        this.#waits.pause(command.id)
        this.#parts.onFault(error)
      })
      .finally(() => {
        this.#inFlight.delete(command.id)
        this.kick()
      })
    this.#inFlight.set(command.id, flight)
  }

  async #actOn(command: CommandRow, act: (type: CommandType) => Promise<void>): Promise<void> {
    const type = this.#parts.types.get(command.type)
    if (!type) throw new Error(`nobody knows how to send ${command.type}`)
    await act(type)
  }
}
