import type { QueueNotice } from '#shared/bridge/queue-views.ts'
import type { CommandId } from '#shared/domain/ids.ts'
import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { rolePrefix, wireRole } from '#shared/wire/roles.ts'
import type { Subject, SubjectKind } from '#shared/writes/write-kinds.ts'
import {
  type Answer,
  type BuiltCall,
  type CommandType,
  type Explanation,
  isUnreadableList,
  type Preparation,
} from './command-type.ts'
import { CommandWaits, type Pace } from './command-waits.ts'
import type { ApiOutcome } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { CommandRow, OutboxStore, SeenRecord, StoredQuestion } from '../ports/commands.ts'
import { recordsOfQuestion } from './seen-records.ts'
import { type Due, mostAtOnce, Slots } from './slots.ts'
import { isFinalRefusal, meaningOf, refusalReason } from '../service/answers.ts'
import type { Line } from '../service/line.ts'
import type { Session } from '../service/session.ts'
import { writeUntilStored } from '../timing/calls.ts'
import { createPresses, createWorker, type Presses, type Worker } from '../timing/worker.ts'

// this file has over 400 lines, because its two classes are one state machine: Outbox decides when a command is sent,
// and Attempts sends one command or looks for its effect. The table in shared/domain/command-state.ts has the states
// and their changes

/** The dependencies and callbacks of the outbox. */
export interface OutboxParts {
  readonly store: OutboxStore
  readonly types: ReadonlyMap<string, CommandType>
  readonly session: Session
  readonly clock: ClockPort
  readonly line: Line
  /** How long an ambiguous write may still arrive, in milliseconds. */
  readonly quietMs: Milliseconds
  readonly pace: Pace
  /**
   * Reports each change of a command's state. `answer`: the subject as the service has just described it; null: the
   * service has not described it.
   */
  readonly moved: (subject: Subject, answer: Answer | null) => void
  /** Called when the service has confirmed a write. */
  readonly arrived: () => void
  /** Stores a notice about an effect of a write, if the desk cannot undo this effect. */
  readonly noticed: (kind: QueueNotice['kind'], subject: Subject, records: readonly SeenRecord[]) => void
  readonly onFault: (error: unknown) => void
}

/**
 * Duration of the lease, in milliseconds. It is longer than any call to the service, so that no other process sends a
 * command that is being sent.
 */
const leaseMs = 120_000
/** Time between two tries to take the lease while another process has it, in milliseconds. */
const otherFlusherMs = 5_000

/** Why a command waits. A missing login, a lost connection and earlier commands are not covered by this type. */
export interface Outlook {
  readonly waitsFor: 'turn' | 'quiet_time' | 'service'
  /** When the command may continue, milliseconds since 1970. Null: now, or after an event. */
  readonly nextAt: Instant | null
}

/**
 * Sends queued commands. The state `sending` is committed before a socket opens. The outcome of the call decides the
 * next state. If the outcome is unknown, Outbox looks for the effect at the service. It sends a command again only if
 * the command certainly did not arrive, is repeatable, or an operator decides so (ARCHITECTURE.md, decision 4).
 */
export class Outbox {
  readonly #parts: OutboxParts
  readonly #holder = crypto.randomUUID()
  readonly #worker: Worker
  readonly #waits: CommandWaits
  readonly #attempts: Attempts
  readonly #presses: Presses
  /** Whether the next `#endPauses` also makes all looks due. */
  #wantsLooks = false
  readonly #slots = new Slots(() => this.kick())
  #holdsLease = false
  #closing = false

  constructor(parts: OutboxParts) {
    const { store, session, clock, line, quietMs, pace, moved, arrived, noticed, onFault } = parts
    this.#parts = parts
    this.#worker = createWorker(clock, () => this.#step(), onFault)
    this.#waits = new CommandWaits(clock, pace, quietMs, () => session.state().username)
    this.#presses = createPresses(clock, () => this.#endPauses(), onFault)
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

  /**
   * Starts the outbox. Before it sends a command, it sets the state `unknown` for the commands that a crash
   * interrupted.
   */
  start(): void {
    this.#hold()
    this.kick()
  }

  /** Starts a check of which commands may be sent; returns before the check ends. */
  kick(): void {
    this.#worker.kick()
  }

  /**
   * Ends all pauses between attempts, because an operator asks for it. The pauses are ended at most once in two seconds
   * (see `Presses`).
   */
  retryNow(): void {
    // only a request that ends a pause counts towards this limit, so that a request without effect does not delay the
    // next request
    if (this.#wantsLooks || this.#waits.hasPauses) this.#presses.press()
    this.kick()
  }

  /** Ends all pauses and makes all looks due, because an operator asks for it. The limit of `retryNow` applies. */
  lookNow(): void {
    this.#wantsLooks = true
    this.retryNow()
  }

  /** Ends all pauses and makes all looks due now, because the connection or the session is back. */
  resume(): void {
    this.#wantsLooks = true
    this.#endPauses()
  }

  /**
   * Sends this command or looks for its effect now, because the operator asks for it. A queued command is sent without
   * the additional checks for a command that has waited (`hasWaited`).
   */
  hurry(commandId: CommandId): void {
    this.#waits.checked(commandId)
    this.#waits.putFirst(commandId)
    this.#waits.lookNow(commandId)
    this.retryNow()
  }

  /**
   * Returns when the quiet time of an unknown command ends, in milliseconds since 1970. After this time the command can
   * no longer arrive. Null: the quiet time is over, or the outcome is known.
   */
  certainAt(command: Pick<CommandRow, 'id' | 'state' | 'endedAt'>): Instant | null {
    const leftMs = command.state === 'unknown' ? this.#waits.quietMs(command) : 0
    return leftMs > 0 ? this.#parts.clock.now() + leftMs : null
  }

  /** Returns why a queued or unknown command waits, and how long. */
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

  /** Starts no more commands, waits for the calls under way, and releases the lease. */
  async close(): Promise<void> {
    this.#closing = true
    this.#presses.stop()
    await this.#worker.close()
    await this.#slots.ended()
    this.release()
  }

  /**
   * Releases the lease although a call may still be under way, because `close` did not end in time. After the call of
   * `close` no command can be sent any more. The next holder of the lease sets the state `unknown` for a command that
   * is being sent.
   */
  release(): void {
    if (this.#holdsLease) this.#parts.store.releaseLease(this.#holder)
    this.#holdsLease = false
  }

  #endPauses(): void {
    if (this.#wantsLooks) this.#waits.lookNow()
    this.#wantsLooks = false
    this.#waits.endPauses()
    this.kick()
  }

  #hold(): boolean {
    const { store, clock } = this.#parts
    const held = store.holdLease(this.#holder, clock.now(), leaseMs)
    if (held && !this.#holdsLease) store.recover(this.#holder, clock.now())
    this.#holdsLease = held
    return held
  }

  /**
   * Starts the commands that may be sent or looked up now. Returns the milliseconds until the next check; null: the
   * next check follows after an event.
   */
  #step(): number | null {
    if (!this.#hold()) return otherFlusherMs
    if (!this.#parts.session.isSignedIn) {
      this.#noteNoLogin()
      return null
    }
    const due: Due[] = []
    const waits = [this.#findLooks(due), this.#findQueued(due)]
    this.#slots.fill(due.sort((a, b) => this.#waits.compareTurns(a.id, b.id)))
    return waits.reduce((a, b) => (a === null ? b : b === null ? a : Math.min(a, b)))
  }

  /**
   * Stores the missing login as the reason why the first queued commands wait, so that the window shows this reason.
   */
  #noteNoLogin(): void {
    const isExpired = this.#parts.session.state().state === 'expired'
    const why = failure(isExpired ? 'session.expired' : 'session.signed_out')
    this.#noteUntried(why, (command) => command.failure?.code !== why.code)
  }

  /** Stores the lost connection as the reason why the first queued commands wait, unless they have a reason already. */
  #noteNoLine(): void {
    const { state, failure: why } = this.#parts.line.view()
    if (state === 'offline' && why) this.#noteUntried(why, (command) => command.failure === null)
  }

  #noteUntried(why: Failure, isNews: (command: CommandRow) => boolean): void {
    const { store, moved } = this.#parts
    for (const command of store.due(mostAtOnce * 8)) {
      if (this.#slots.isRunning(command.id) || !isNews(command)) continue
      store.noteFailure(command.id, why)
      moved(command.subject, null)
    }
  }

  /** Adds the queued commands that may be sent now. Returns the milliseconds until the next one; null: there is none. */
  #findQueued(found: Due[]): number | null {
    const { store } = this.#parts
    const offlineMs = this.#waits.allPausedMs()
    if (offlineMs > 0) {
      this.#noteNoLine()
      return offlineMs
    }
    let soonest: number | null = null
    // each command is the next one of its subject, so the commands may run in any order
    for (const command of store.due(mostAtOnce * 8 + this.#waits.stayedCount)) {
      if (this.#slots.isRunning(command.id)) continue
      const waitMs = Math.max(this.#waits.quietMs(command), this.#waits.pausedMs(command.id))
      const isRepeated = !this.#waits.isFirst(command)
      const run = (): Promise<void> => this.#actOn(command, (type) => this.#attempts.try(command, type))
      if (waitMs > 0) soonest = Math.min(soonest ?? waitMs, waitMs)
      else found.push({ id: command.id, isRepeated, run })
    }
    return soonest
  }

  /** Adds the commands whose look is due. Returns the milliseconds until the next look; null: there is none. */
  #findLooks(found: Due[]): number | null {
    let soonest: number | null = null
    const { store } = this.#parts
    for (const waiting of store.unknown()) {
      const waitMs = this.#waits.nextLookMs(waiting)
      if (this.#slots.isRunning(waiting.id)) continue
      const run = (): Promise<void> | null => {
        const command = store.get(waiting.id)
        return command && this.#actOn(command, (type) => this.#attempts.look(command, type))
      }
      if (waitMs > 0) soonest = Math.min(soonest ?? waitMs, waitMs)
      else found.push({ id: waiting.id, isRepeated: true, run })
    }
    return soonest
  }

  async #actOn(command: CommandRow, act: (type: CommandType) => Promise<void>): Promise<void> {
    try {
      const type = this.#parts.types.get(command.type)
      if (!type) throw new Error(`no kind of write has the command type ${command.type}`)
      await act(type)
    } catch (error) {
      // without a pause the desk could repeat a failing attempt without end
      this.#waits.pause(command.id)
      this.#parts.onFault(error)
    }
  }
}

interface AttemptParts extends Omit<OutboxParts, 'types' | 'quietMs' | 'pace'> {
  readonly waits: CommandWaits
  /** The id under which this outbox holds the lease. */
  readonly holder: string
  readonly isClosing: () => boolean
}

type Stop = Exclude<Preparation, { kind: 'go' }>

/**
 * Sends one command, or looks for the effect of an earlier attempt. Both end with a change of state
 * (shared/domain/command-state.ts), which is durable before it is reported.
 */
class Attempts {
  readonly #parts: AttemptParts

  constructor(parts: AttemptParts) {
    this.#parts = parts
  }

  async try(command: CommandRow, type: CommandType): Promise<void> {
    const { store, session, waits, clock } = this.#parts
    const hasWaited = waits.hasWaited(command)
    const prepared = await type.prepare(command, hasWaited)
    if (this.#parts.isClosing()) return
    if (prepared.kind !== 'go') return this.#stop(command, prepared, hasWaited)
    waits.wasReadable(command.id)
    const access = await session.access()
    if (this.#parts.isClosing()) return
    if (!access.ok) {
      this.#postpone(command, access.failure)
      return
    }
    // if another user logged in during the preparation, or the age of the command or of its last check exceeded
    // `waitedMs`, the command is prepared again with the additional checks for commands that have waited
    if (!hasWaited && waits.hasWaited(command)) return this.try(command, type)
    // the role is checked after access(), because access() may have renewed the token with other roles
    const lost = hasWaited ? this.#roleLost(type) : null
    if (lost) return this.#stop(command, lost, hasWaited)
    if (hasWaited) waits.checked(command.id)
    const call = this.#build(command, type)
    if (call === null) return
    const at = clock.now()
    const { serviceTime, baseline } = prepared
    if (!store.begin(command.id, this.#parts.holder, { at, serviceTime: serviceTime ?? at, baseline })) return
    this.#parts.moved(command.subject, null)
    const verdict = await this.#send(command, type, call, access.token)
    await this.#writeUntilStored(() => this.#apply(command, verdict, hasWaited))
  }

  /**
   * Looks for the effect of a write of unknown outcome. If a record is found, the write is done. If no record is found
   * and the write can no longer arrive, the write is queued again. If the list stays unreadable, a repeatable write is
   * queued again; for any other write the operator is asked and the looks continue.
   */
  async look(command: CommandRow, type: CommandType): Promise<void> {
    const { store, clock, moved, waits } = this.#parts
    waits.looked(command)
    const seen = await type.readBack(command)
    if (this.#parts.isClosing()) return
    // if the operator was asked about a record that may be from another desk, only the operator decides about it
    const hasQuestion = command.question?.kind === 'outcome'
    if (seen.kind === 'found' && !seen.isSurelyOurs && (hasQuestion || waits.isToBeSeenAgain(command.id)))
      return
    if (seen.kind === 'found')
      return this.#writeUntilStored(() => this.#found(command, seen.answer, seen.others))
    if (waits.quietMs(command) > 0) return
    const isHopeless =
      seen.kind === 'unreadable' && (seen.isRefused || this.#isUnreadable(command, seen.failure))
    if (seen.kind === 'absent' || (isHopeless && type.isRepeatable))
      store.requeue(command.id, clock.now(), command.failure)
    else if (!isHopeless || !this.#askOutcome(command, seen.alike)) return
    moved(command.subject, null)
  }

  /** Asks the operator about the outcome. Returns false if the same question is open already. */
  #askOutcome({ id, question }: CommandRow, records: readonly SeenRecord[]): boolean {
    const newQuestion: StoredQuestion = { kind: 'outcome', records: recordsOfQuestion(records) }
    if (JSON.stringify(question) === JSON.stringify(newQuestion)) return false
    return this.#parts.store.ask(id, newQuestion, null)
  }

  /**
   * If the login has lost the role that this type of command needs, returns a question for the operator, so that the
   * command is not sent now. Otherwise returns null, also if the token contains no roles of the embedded service.
   */
  #roleLost({ role }: CommandType): Stop | null {
    const { roles } = this.#parts.session.state()
    const saysRoles = roles.some((one) => one.startsWith(rolePrefix))
    if (!saysRoles || roles.includes(wireRole(role))) return null
    return { kind: 'ask', question: { kind: 'changed' }, failure: failure('api.role_missing', { role }) }
  }

  async #stop(command: CommandRow, prepared: Stop, hasWaited: boolean): Promise<void> {
    const { store, moved } = this.#parts
    switch (prepared.kind) {
      case 'already':
        await this.#writeUntilStored(() => this.#found(command, prepared.answer, prepared.others))
        return
      case 'not_now':
        this.#notNow(command, prepared.failure, hasWaited)
        return
      case 'ask':
        store.ask(command.id, bounded(prepared.question), prepared.failure)
        break
      case 'doubt':
        this.#doubt(command, prepared.alike)
    }
    moved(command.subject, null)
  }

  /**
   * Postpones a command whose check failed. If the checks have failed for ten minutes for a reason that may last, and
   * the command has waited, asks the operator instead, because the command could wait without end.
   */
  #notNow(command: CommandRow, cause: Failure, hasWaited: boolean): void {
    // the text of `cause` is about the check, which the service may have refused for good; the command only waits
    const waits = failure('api.not_checked', { cause: cause.code, ...cause.params })
    const why = isUnreadableList(cause) ? waits : cause
    const isForGood = this.#isUnreadable(command, cause) && this.#parts.waits.isUnreadableForLong(command.id)
    if (!isForGood || !hasWaited) this.#postpone(command, why)
    else {
      if (command.endedAt === null) this.#parts.store.ask(command.id, { kind: 'changed' }, why)
      else this.#doubt(command, [])
      this.#parts.moved(command.subject, null)
    }
  }

  /** Asks the operator whether an earlier attempt has arrived. */
  #doubt({ id, subject, failure: earlier }: CommandRow, alike: readonly SeenRecord[]): void {
    const { store, clock } = this.#parts
    const why = failure(`${subject.kind}.outcome_unknown`, { cause: 'unseen' })
    store.doubt(id, clock.now(), earlier ?? why)
    store.ask(id, { kind: 'outcome', records: recordsOfQuestion(alike) }, null)
  }

  #isUnreadable({ id }: CommandRow, why: Failure): boolean {
    const { waits } = this.#parts
    if (isUnreadableList(why)) return waits.isUnreadableForGood(id)
    waits.wasReadable(id)
    return false
  }

  /**
   * Builds the call of a command. Returns null and rejects the command if the call can never be built. Throws if it
   * cannot be built now.
   */
  #build(command: CommandRow, type: CommandType): BuiltCall | null {
    try {
      return type.build(command)
    } catch (error) {
      if (error instanceof CataloguedError) throw error
      this.#parts.onFault(error)
      this.#parts.waits.forget(command.id)
      this.#reject(command, { kind: 'rejected', why: failure('internal.unexpected'), answer: null }, false)
      return null
    }
  }

  async #send(command: CommandRow, type: CommandType, call: BuiltCall, token: string): Promise<Verdict> {
    const { session, line, clock, onFault } = this.#parts
    const begunTicks = clock.ticks()
    try {
      const outcome = await call(token)
      line.observe(outcome, begunTicks)
      if (refusalReason(outcome) === 'token') session.accessRefused(token)
      const isFinal = outcome.kind === 'refused' && isFinalRefusal(outcome)
      const explained = isFinal ? await type.explain?.(command, outcome) : null
      return verdictOf(outcome, explained ?? null, command.subject.kind)
    } catch (error) {
      // a fault, such as an unreadable ledger, sets the state `unknown`: the write may have been sent, and in the state
      // `sending` no look would follow
      onFault(error)
      const why = failure(`${command.subject.kind}.outcome_unknown`, { cause: 'fault' })
      return { kind: 'unknown', why }
    }
  }

  #found(command: CommandRow, answer: Answer, others: readonly SeenRecord[]): void {
    this.#apply(command, { kind: 'done', answer }, false)
    if (others.length > 0) this.#parts.noticed('duplicate', command.subject, others)
  }

  #apply(command: CommandRow, verdict: Verdict, hasWaited: boolean): void {
    const { store, clock, moved } = this.#parts
    const { id, subject } = command
    this.#pace(id, verdict)
    switch (verdict.kind) {
      case 'done':
        if (!store.complete(id, clock.now(), verdict.answer.facts)) return
        moved(subject, verdict.answer)
        this.#parts.arrived()
        return
      case 'queued':
        store.requeue(id, clock.now(), verdict.why)
        break
      case 'unknown':
        store.markUnknown(id, clock.now(), verdict.why)
        break
      case 'rejected':
        this.#reject(command, verdict, hasWaited)
        return
    }
    moved(subject, null)
  }

  #reject(command: CommandRow, verdict: Extract<Verdict, { kind: 'rejected' }>, hasWaited: boolean): void {
    const { store, clock, moved } = this.#parts
    const { id, subject } = command
    const { why, answer } = verdict
    // the service does not allow this user to send the command, but may allow another user: the command stays queued
    // with a question
    if (hasWaited && why.code === 'api.role_missing' && store.requeue(id, clock.now(), why)) {
      store.ask(id, { kind: 'changed' }, why)
      moved(subject, null)
      return
    }
    if (!store.reject(id, clock.now(), why, answer?.facts ?? null)) return
    moved(subject, answer)
    if (why.code === 'return_label.cancelled') this.#parts.noticed('cancelled_elsewhere', subject, [])
  }

  /** Sets or ends the pause before the next attempt of the command. */
  #pace(commandId: CommandId, verdict: Verdict): void {
    const { waits } = this.#parts
    if (verdict.kind === 'unknown') waits.ambiguous(commandId)
    else if (verdict.kind === 'queued') waits.notApplied(commandId, verdict.why === null)
    else waits.ended(commandId)
  }

  /** Stores why a command was not sent, and pauses it. The command stays queued. */
  #postpone(command: CommandRow, cause: Failure): void {
    const { store, waits, moved } = this.#parts
    const { pause } = meaningOf(cause.code)
    if (pause === 'all') waits.pauseAll(command.id)
    else if (pause === 'unfinished') waits.pauseUnfinished(command.id)
    else waits.pause(command.id)
    store.noteFailure(command.id, cause)
    moved(command.subject, null)
  }

  #writeUntilStored(write: () => void): Promise<void> {
    return writeUntilStored(this.#parts, this.#parts.isClosing, write)
  }
}

function bounded(question: StoredQuestion): StoredQuestion {
  return question.kind === 'changed'
    ? question
    : { ...question, records: recordsOfQuestion(question.records) }
}

/** The state of a command after an attempt, with the reason. */
export type Verdict =
  | { readonly kind: 'done'; readonly answer: Answer }
  /** The write was not applied. `why`: the failure; null: the service refused only the token. */
  | { readonly kind: 'queued'; readonly why: Failure | null }
  | { readonly kind: 'unknown'; readonly why: Failure }
  /** `answer`: the service's present record of the subject, if known. */
  | { readonly kind: 'rejected'; readonly why: Failure; readonly answer: Answer | null }

/**
 * Judges a write by its outcome (ARCHITECTURE.md, decision 4). Only a write that certainly was not applied may be sent
 * again. `explained`: the meaning that the type of command gives to the refusal.
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
      return isFinalRefusal(outcome)
        ? { kind: 'rejected', why: outcome.failure, answer: null }
        : { kind: 'queued', why: refusalReason(outcome) === 'token' ? null : outcome.failure }
  }
}

function unknownBecause(cause: Failure, about: SubjectKind): Verdict {
  return { kind: 'unknown', why: failure(`${about}.outcome_unknown`, { cause: cause.code }) }
}
