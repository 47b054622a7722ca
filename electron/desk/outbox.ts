import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { type Backoff, createBackoff } from './backoff.ts'
import type { Answer, CommandType } from './command-type.ts'
import type { Line } from './line.ts'
import type { ClockPort } from './ports/clock.ts'
import type { CommandRow, OutboxStore, Subject } from './ports/commands.ts'
import type { Session } from './session.ts'
import { QuietTime } from './quiet-time.ts'
import { isFinalRefusal, type Verdict, verdictOf } from './verdict.ts'
import { settle } from './settle.ts'
import { createWorker, type Worker } from './worker.ts'

export interface OutboxParts {
  readonly store: OutboxStore
  readonly types: ReadonlyMap<string, CommandType>
  readonly session: Session
  readonly clock: ClockPort
  readonly line: Line
  /** How long an ambiguous write may still arrive, in milliseconds. */
  readonly quietMs: number
  /** A command of this subject moved; `answer` when the service just described it. */
  readonly moved: (subject: Subject, answer: Answer | null) => void
  readonly onFault: (error: unknown) => void
}

/** Longer than any exchange can last, so that the lease outlives what is on its way. */
const leaseMs = 120_000
const mostAtOnce = 4
const otherFlusherMs = 5_000

/**
 * Sends what waits. `sending` is committed before a socket opens; what comes back decides the next state; what nobody
 * knows is looked for, and never sent again by itself unless twice leads to the same end (ARCHITECTURE.md, decision 4).
 */
export class Outbox {
  readonly #parts: OutboxParts
  readonly #holder = crypto.randomUUID()
  readonly #worker: Worker
  readonly #backoff: Backoff
  readonly #quiet: QuietTime
  readonly #inFlight = new Map<string, Promise<void>>()
  /** Commands whose token was refused: the first time a refresh answers it at once, then it is slowed down. */
  readonly #unauthorised = new Set<string>()
  #holdsLease = false
  #closing = false

  constructor(parts: OutboxParts) {
    this.#parts = parts
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
    this.#backoff = createBackoff(parts.clock, 1_000, 60_000)
    this.#quiet = new QuietTime(parts.clock, parts.quietMs)
    parts.line.onBack(() => this.retryNow())
  }

  /** What a crash cut short becomes `unknown` before anything else happens. */
  start(): void {
    this.#hold()
    this.kick()
  }

  kick(): void {
    this.#worker.kick()
  }

  /** The line seems to be back: no reason to wait any longer. */
  retryNow(): void {
    this.#backoff.reset()
    this.kick()
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
    const { store, session, moved } = this.#parts
    const code = session.view().state === 'expired' ? 'session.expired' : 'session.signed_out'
    for (const command of store.due(mostAtOnce * 8)) {
      if (this.#inFlight.has(command.id) || command.failure?.code === code) continue
      store.noteFailure(command.id, failure(code))
      moved(command.subject, null)
    }
  }

  #startQueued(): number | null {
    const { store } = this.#parts
    const offlineMs = this.#backoff.waitMs()
    if (offlineMs > 0) return offlineMs
    let soonest: number | null = null
    for (const command of store.due(mostAtOnce * 8)) {
      if (this.#inFlight.size >= mostAtOnce) return null
      if (this.#inFlight.has(command.id)) continue
      const quietMs = this.#quiet.leftMs(command)
      if (quietMs > 0) soonest = Math.min(soonest ?? quietMs, quietMs)
      else this.#fly(command, (type) => this.#try(command, type))
    }
    return soonest
  }

  #lookForUnknown(): number | null {
    let soonest: number | null = null
    for (const command of this.#parts.store.unknown()) {
      const waitMs = this.#quiet.nextLookMs(command)
      if (this.#inFlight.has(command.id)) continue
      if (waitMs > 0 || this.#inFlight.size >= mostAtOnce)
        soonest = Math.min(soonest ?? waitMs, waitMs || 1_000)
      else this.#fly(command, (type) => this.#look(command, type))
    }
    return soonest
  }

  #fly(command: CommandRow, act: (type: CommandType) => Promise<void>): void {
    const type = this.#parts.types.get(command.type)
    if (!type) throw new Error(`nobody knows how to send ${command.type}`)
    const flight = act(type)
      .catch(this.#parts.onFault)
      .finally(() => {
        this.#inFlight.delete(command.id)
        this.kick()
      })
    this.#inFlight.set(command.id, flight)
  }

  async #try(command: CommandRow, type: CommandType): Promise<void> {
    const { store, session, clock } = this.#parts
    const prepared = await type.prepare(command)
    if (prepared.kind === 'not_now') {
      this.#postpone(command, prepared.failure)
      return
    }
    const access = await session.access()
    if (!access.ok) {
      this.#postpone(command, access.failure)
      return
    }
    if (this.#closing) return
    const { serviceTime, baseline } =
      prepared.kind === 'go' ? prepared : { serviceTime: null, baseline: null }
    const at = clock.now()
    if (!store.begin(command.id, this.#holder, { at, serviceTime: serviceTime ?? at, baseline })) return
    this.#parts.moved(command.subject, null)
    const verdict: Verdict =
      prepared.kind === 'already'
        ? { kind: 'done', answer: prepared.answer }
        : await this.#send(command, type, access.token)
    await settle(
      this.#parts,
      () => this.#closing,
      () => this.#apply(command, verdict),
    )
  }

  async #send(command: CommandRow, type: CommandType, token: string): Promise<Verdict> {
    const { session, line } = this.#parts
    const outcome = await type.send(token, command)
    line.observe(outcome)
    if (outcome.kind === 'refused' && outcome.status === 401) session.accessRefused(token)
    const explained = isFinalRefusal(outcome) ? await type.explain?.(command, outcome) : null
    return verdictOf(outcome, explained ?? null, command.subject.kind)
  }

  #apply(command: CommandRow, verdict: Verdict): void {
    const { store, clock, moved } = this.#parts
    const { id, subject } = command
    this.#pace(id, verdict)
    switch (verdict.kind) {
      case 'done':
        if (store.complete(id, clock.now(), verdict.answer.facts)) moved(subject, verdict.answer)
        return
      case 'queued':
        store.requeue(id, clock.now(), verdict.why)
        break
      case 'unknown':
        store.markUnknown(id, clock.now(), verdict.why)
        break
      case 'rejected':
        store.reject(id, clock.now(), verdict.why, verdict.answer?.facts ?? null)
        moved(subject, verdict.answer)
        return
    }
    moved(subject, null)
  }

  /** How fast to go on after this. */
  #pace(commandId: string, verdict: Verdict): void {
    if (verdict.kind === 'unknown') this.#quiet.begin(commandId)
    else if (verdict.kind !== 'queued') {
      this.#backoff.reset()
      this.#unauthorised.delete(commandId)
      this.#quiet.forget(commandId)
    } else if (verdict.why || this.#unauthorised.has(commandId)) this.#backoff.failed()
    else this.#unauthorised.add(commandId)
  }

  /** Not even tried: it stays queued and says why. */
  #postpone(command: CommandRow, cause: Failure): void {
    this.#backoff.failed()
    this.#parts.store.noteFailure(command.id, cause)
    this.#parts.moved(command.subject, null)
  }

  /**
   * Looks for the effect of a write that nobody knows about. Finding it decides. Not finding it sends again only what
   * may be sent twice, and only once the first can no longer arrive; else the operator is asked.
   */
  async #look(command: CommandRow, type: CommandType): Promise<void> {
    this.#quiet.looked(command.id)
    const seen = await type.readBack(command)
    if (seen.kind === 'found') {
      await settle(
        this.#parts,
        () => this.#closing,
        () => this.#apply(command, { kind: 'done', answer: seen.answer }),
      )
      return
    }
    if (this.#quiet.leftMs(command) > 0) return
    const { store, clock, moved } = this.#parts
    // the service will not show it, tomorrow neither: waiting tells nothing more
    const isAllToSee = seen.kind === 'absent' || seen.isRefused
    if (type.isRepeatable && isAllToSee) store.requeue(command.id, clock.now(), command.failure)
    else if (isAllToSee && !command.needsOperator) store.askOperator(command.id)
    else return
    moved(command.subject, null)
  }
}
