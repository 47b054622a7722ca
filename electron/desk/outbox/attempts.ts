import type { QueueNotice } from '#shared/bridge/queue-views.ts'
import type { CommandId } from '#shared/domain/ids.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { rolePrefix, wireRole } from '#shared/wire/roles.ts'
import type { Subject, SubjectKind } from '#shared/writes/write-kinds.ts'
import {
  type Answer,
  type BuiltCall,
  type CommandType,
  type Explanation,
  type Preparation,
} from './command-type.ts'
import type { CommandWaits } from './command-waits.ts'
import type { ApiOutcome } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { CommandRow, OutboxStore, SeenRecord, StoredQuestion } from '../ports/commands.ts'
import { recordsOfQuestion } from './seen-records.ts'
import {
  isFinalRefusal,
  isOfOtherProgram,
  isUnreadableList,
  mayConcernOneRead,
  meaningOf,
  refusalReason,
} from '../service/answers.ts'
import type { Line } from '../service/line.ts'
import type { Session } from '../service/session.ts'
import { writeUntilStored } from '../timing/calls.ts'

/** The dependencies and callbacks of an attempt. */
export interface AttemptParts {
  readonly store: OutboxStore
  readonly session: Session
  readonly clock: ClockPort
  readonly line: Line
  readonly waits: CommandWaits
  /** The id under which the outbox holds the lease. */
  readonly holder: string
  readonly isClosing: () => boolean
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

type Stop = Exclude<Preparation, { kind: 'go' }>
type Pause = ReturnType<typeof meaningOf>['pause']

/**
 * Sends one command, or looks for the effect of an earlier attempt. The state `sending` is committed before a socket
 * opens. The outcome of the call decides the next state (shared/domain/command-state.ts), which is durable before it is
 * reported.
 */
export class Attempts {
  readonly #parts: AttemptParts

  constructor(parts: AttemptParts) {
    this.#parts = parts
  }

  async try(command: CommandRow, type: CommandType): Promise<void> {
    const { store, session, waits, clock } = this.#parts
    const hasWaited = waits.hasWaited(command)
    const failsForLong = waits.failsForLong(command.id)
    const prepared = await type.prepare({ ...command, failsForLong }, hasWaited)
    if (this.#parts.isClosing()) return
    if (prepared.kind !== 'go') return this.#stop(command, prepared, hasWaited)
    // forgets the failed checks, unless the command is sent without its check and no list was read: the operator's
    // decision to leave out the check, and the failures behind it, stay valid until an attempt that may have arrived
    if (prepared.baseline !== null || !command.sendsUnseen) waits.wasReadable(command.id)
    if (prepared.baseline !== null) this.#withdrawUnchecked(command)
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
    const seen = await type.readBack(command)
    if (this.#parts.isClosing()) return
    // if the operator was asked about a record that may be from another desk, only the operator decides about it
    const hasQuestion = command.question?.kind === 'outcome'
    if (seen.kind === 'found' && !seen.isSurelyOurs && (hasQuestion || waits.isToBeSeenAgain(command.id)))
      return
    if (seen.kind === 'found')
      return this.#writeUntilStored(() => this.#found(command, seen.answer, seen.others))
    if (waits.quietMs(command) > 0) return
    if (seen.kind === 'absent') waits.wasReadable(command.id)
    const isHopeless =
      seen.kind === 'unreadable' && (seen.isRefused || this.#isHopeless(command, seen.failure))
    if (seen.kind === 'absent' || (isHopeless && type.isRepeatable)) {
      store.requeue(command.id, clock.now(), command.failure)
      if (seen.kind === 'absent' && isOfOtherProgram(command.failure)) this.#askIfBlocked(command.id)
    } else if (!isHopeless || !this.#askOutcome(command, seen.alike)) return
    moved(command.subject, null)
  }

  /**
   * Withdraws the questions about a missing role, if the login has it now. The commands are checked again before they
   * are sent, although the last check may be recent. Throws the store's errors.
   */
  withdrawRoleQuestions(types: ReadonlyMap<string, CommandType>): void {
    const mayBeSent = ({ type }: CommandRow): boolean => {
      const role = types.get(type)?.role
      return role !== undefined && this.#mayHaveRole(wireRole(role))
    }
    this.#withdraw(this.#parts.store.askedBecauseOf('api.role_missing').filter(mayBeSent))
  }

  /**
   * Withdraws the questions about newer commands of this kind that were asked because their list could not be read. The
   * check of this command has read its own list, which contains the list of each newer command.
   */
  #withdrawUnchecked({ subject, createdAt }: CommandRow): void {
    const asked = this.#parts.store.askedBecauseOf('api.not_checked')
    this.#withdraw(asked.filter((one) => one.subject.kind === subject.kind && one.createdAt >= createdAt))
  }

  #withdraw(commands: readonly CommandRow[]): void {
    const { store, waits, moved } = this.#parts
    if (commands.length === 0) return
    store.withdraw(commands.map(({ id }) => id))
    for (const { id, subject } of commands) {
      waits.forget(id)
      moved(subject, null)
    }
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
    if (this.#mayHaveRole(wireRole(role))) return null
    return { kind: 'ask', question: { kind: 'changed' }, failure: failure('api.role_missing', { role }) }
  }

  /** Whether the login has a role of the embedded service, or its token contains no such roles. */
  #mayHaveRole(wanted: string): boolean {
    const { roles } = this.#parts.session.state()
    return !roles.some((one) => one.startsWith(rolePrefix)) || roles.includes(wanted)
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
   * Postpones a command whose check failed. If the checks have failed for ten minutes while other calls succeeded, and
   * the command has waited, asks the operator instead, because the command could wait without end.
   */
  #notNow(command: CommandRow, cause: Failure, hasWaited: boolean): void {
    const isCounted = this.#countFailure(command, cause)
    // asks with `api.not_checked`, because the text of `cause` is about the check and not about the waiting command
    const notChecked = failure('api.not_checked', { ...cause.params, cause: cause.code })
    const why = isCounted ? notChecked : cause
    const isForGood = isCounted && this.#parts.waits.hasFailedForLong(command.id)
    if (!isForGood || !hasWaited) this.#postpone(command, why, this.#pauseOf(cause))
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

  /** Counts a failed look. Returns whether further looks may fail too, so that the operator must be asked. */
  #isHopeless(command: CommandRow, why: Failure): boolean {
    const { waits } = this.#parts
    if (!this.#countFailure(command, why)) return false
    return isUnreadableList(why) ? waits.hasFailedOften(command.id) : waits.hasFailedForLong(command.id)
  }

  /** Counts a failed look or check. Returns false if it does not count, for example while the connection is lost. */
  #countFailure({ id }: CommandRow, why: Failure): boolean {
    const { waits, line } = this.#parts
    if (isUnreadableList(why)) return waits.checkFailed(id, null)
    if (mayConcernOneRead(why) && this.#isConnected()) return waits.checkFailed(id, line.succeededTicks())
    if (mayConcernOneRead(why) || meaningOf(why.code).pause === 'all') waits.wasDisconnected(id)
    else waits.wasReadable(id)
    return false
  }

  /** Returns the pause after a failed check. A failure of one read, except 429, pauses only its command. */
  #pauseOf(cause: Failure): Pause {
    const isOfCommand = mayConcernOneRead(cause) && cause.code !== 'api.too_many_requests'
    return isOfCommand && this.#isConnected() ? 'command' : meaningOf(cause.code).pause
  }

  #isConnected(): boolean {
    const { line, session } = this.#parts
    return !line.isOffline() && session.isSignedIn
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
      line.observeOne(outcome, begunTicks)
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
    const isBlocked = this.#pace(id, verdict)
    switch (verdict.kind) {
      case 'done':
        if (!store.complete(id, clock.now(), verdict.answer.facts)) return
        moved(subject, verdict.answer)
        this.#parts.arrived()
        return
      case 'queued':
        store.requeue(id, clock.now(), verdict.why)
        if (isBlocked) this.#askIfBlocked(id)
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
    const { store, clock, moved, waits } = this.#parts
    const { id, subject } = command
    const { why, answer } = verdict
    // the service does not allow this user to send the command, but may allow another user: the command stays queued
    // with a question, also if an operator has just asked for it again
    const isOld = hasWaited || waits.isOld(command)
    if (isOld && why.code === 'api.role_missing' && store.requeue(id, clock.now(), why)) {
      store.ask(id, { kind: 'changed' }, why)
      moved(subject, null)
      return
    }
    if (!store.reject(id, clock.now(), why, answer?.facts ?? null)) return
    moved(subject, answer)
    if (why.code === 'return_label.cancelled') this.#parts.noticed('cancelled_elsewhere', subject, [])
  }

  /**
   * Asks the operator about a queued command, if other programs have answered its attempts for ten minutes while other
   * calls succeeded: the service never gets it, so the command could wait without end.
   */
  #askIfBlocked(commandId: CommandId): void {
    const { store, waits } = this.#parts
    if (waits.isBlockedForLong(commandId)) store.ask(commandId, { kind: 'changed' }, failure('api.blocked'))
  }

  /**
   * Sets or ends the pause before the next attempt of the command. Returns whether another program answered this
   * attempt while the connection is good.
   */
  #pace(commandId: CommandId, verdict: Verdict): boolean {
    const { waits, line } = this.#parts
    const isOpen = verdict.kind === 'queued' || verdict.kind === 'unknown'
    const isBlocked = isOpen && isOfOtherProgram(verdict.why) && line.view().state === 'online'
    if (isBlocked) waits.countBlocked(commandId, line.succeededTicks())
    if (verdict.kind === 'unknown') waits.ambiguous(commandId)
    else if (verdict.kind !== 'queued') waits.ended(commandId)
    else if (isBlocked) waits.pauseBlocked(commandId)
    else waits.notApplied(commandId, verdict.why === null)
    return isBlocked
  }

  /** Stores why a command was not sent; pauses it or, for some reasons, all commands. The command stays queued. */
  #postpone(command: CommandRow, cause: Failure, pause: Pause = meaningOf(cause.code).pause): void {
    const { store, waits, moved } = this.#parts
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
