import type { CommandId } from '#shared/domain/ids.ts'
import type { Subject } from '#shared/writes/write-kinds.ts'
import type { QueueNotice } from '#shared/bridge/queue-views.ts'
import type { SubjectKind } from '#shared/writes/write-kinds.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { rolePrefix, wireRole } from '#shared/wire/roles.ts'
import type { Answer, CommandType, Explanation, Preparation } from './command-type.ts'
import type { CommandWaits, Pace } from './command-waits.ts'
import type { ApiOutcome } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { CommandRow, OutboxStore, SeenRecord, StoredQuestion } from '../ports/commands.ts'
import { askedRecords } from './seen-records.ts'
import { isFinalRefusal, refusalReason } from '../service/answers.ts'
import type { Line } from '../service/line.ts'
import type { Session } from '../service/session.ts'
import { writeUntilStored } from '../timing/calls.ts'

/** What the outbox works with, and what it calls back. */
export interface OutboxParts {
  readonly store: OutboxStore
  readonly types: ReadonlyMap<string, CommandType>
  readonly session: Session
  readonly clock: ClockPort
  readonly line: Line
  /** How long an ambiguous write may still arrive, in milliseconds. */
  readonly quietMs: number
  readonly pace: Pace
  /** A command of this subject moved; `answer` when the service just described it. */
  readonly moved: (subject: Subject, answer: Answer | null) => void
  /** The service has it. */
  readonly arrived: () => void
  /** Something that no write can mend. */
  readonly noticed: (kind: QueueNotice['kind'], subject: Subject, records: readonly SeenRecord[]) => void
  readonly onFault: (error: unknown) => void
}

interface AttemptParts extends Omit<OutboxParts, 'types' | 'quietMs' | 'pace'> {
  readonly waits: CommandWaits
  /** Who holds the lease. */
  readonly holder: string
  readonly isClosing: () => boolean
}

type Stop = Exclude<Preparation, { kind: 'go' }>

/**
 * What happens to one command: a try, or a look for the effect of an earlier one. Each ends in a move of
 * shared/domain/command-state.ts, durable before anybody hears of it.
 */
export class Attempts {
  readonly #parts: AttemptParts

  constructor(parts: AttemptParts) {
    this.#parts = parts
  }

  async try(command: CommandRow, type: CommandType): Promise<void> {
    const { store, session, waits, clock } = this.#parts
    const hasWaited = waits.hasWaited(command)
    const prepared = await type.prepare(command, hasWaited)
    if (this.#parts.isClosing()) return
    if (prepared.kind !== 'go') return this.#stop(command, prepared)
    const access = await session.access()
    if (this.#parts.isClosing()) return
    if (!access.ok) {
      this.#postpone(command, access.failure)
      return
    }
    // only now: the token may have been renewed since, with other rights
    const lost = hasWaited ? this.#roleLost(type) : null
    if (lost) return this.#stop(command, lost)
    if (hasWaited) waits.checked(command.id)
    const at = clock.now()
    const { serviceTime, baseline } = prepared
    if (!store.begin(command.id, this.#parts.holder, { at, serviceTime: serviceTime ?? at, baseline })) return
    this.#parts.moved(command.subject, null)
    const verdict = await this.#send(command, type, access.token)
    await this.#writeUntilStored(() => this.#apply(command, verdict, hasWaited))
  }

  /**
   * Looks for the effect of a write that nobody knows about. Finding it decides. Once it can no longer arrive late, not
   * finding it means that it goes again; where looking cannot tell, the operator is asked, and looking goes on.
   */
  async look(command: CommandRow, type: CommandType): Promise<void> {
    const { store, clock, moved, waits } = this.#parts
    waits.looked(command)
    const seen = await type.readBack(command)
    if (this.#parts.isClosing()) return
    // what another desk may have made never answers the question that was asked about it
    const isAsked = command.question?.kind === 'outcome'
    if (seen.kind === 'found' && !seen.isSurelyOurs && (isAsked || waits.isToBeSeenAgain(command.id))) return
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

  /** False: that is what is being asked already. */
  #askOutcome({ id, question }: CommandRow, records: readonly SeenRecord[]): boolean {
    const asked: StoredQuestion = { kind: 'outcome', records: askedRecords(records) }
    if (JSON.stringify(question) === JSON.stringify(asked)) return false
    return this.#parts.store.ask(id, asked, null)
  }

  /** A token that names rights of the embedded service's kind, and not the one that this needs. */
  #roleLost({ role }: CommandType): Stop | null {
    const { roles } = this.#parts.session.state()
    const saysRoles = roles.some((one) => one.startsWith(rolePrefix))
    if (!saysRoles || roles.includes(wireRole(role))) return null
    return { kind: 'ask', question: { kind: 'changed' }, failure: failure('api.role_missing', { role }) }
  }

  async #stop(command: CommandRow, prepared: Stop): Promise<void> {
    const { store, clock, moved } = this.#parts
    switch (prepared.kind) {
      case 'already':
        await this.#writeUntilStored(() => this.#found(command, prepared.answer, prepared.others))
        return
      case 'not_now':
        this.#postpone(command, prepared.failure)
        return
      case 'ask':
        store.ask(command.id, bounded(prepared.question), prepared.failure)
        break
      case 'doubt': {
        const why = failure(`${command.subject.kind}.outcome_unknown`, { cause: 'unseen' })
        store.doubt(command.id, clock.now(), command.failure ?? why)
        store.ask(command.id, { kind: 'outcome', records: askedRecords(prepared.alike) }, null)
      }
    }
    moved(command.subject, null)
  }

  #isUnreadable({ id }: CommandRow, { code }: Failure): boolean {
    const { waits } = this.#parts
    if (code === 'api.malformed_answer') return waits.isUnreadableForGood(id)
    waits.wasReadable(id)
    return false
  }

  async #send(command: CommandRow, type: CommandType, token: string): Promise<Verdict> {
    const { session, line, clock, onFault } = this.#parts
    const begunTicks = clock.ticks()
    try {
      const outcome = await type.send(token, command)
      line.observe(outcome, begunTicks)
      if (refusalReason(outcome) === 'token') session.accessRefused(token)
      const isFinal = outcome.kind === 'refused' && isFinalRefusal(outcome)
      const explained = isFinal ? await type.explain?.(command, outcome) : null
      return verdictOf(outcome, explained ?? null, command.subject.kind)
    } catch (error) {
      // a ledger that cannot be read, say: it may be on its way, and nobody would ever look at what stays in sending
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
    // refused to whoever is here now: one who is allowed to can still send it
    if (hasWaited && why.code === 'api.role_missing' && store.requeue(id, clock.now(), why)) {
      store.ask(id, { kind: 'changed' }, why)
      moved(subject, null)
      return
    }
    if (!store.reject(id, clock.now(), why, answer?.facts ?? null)) return
    moved(subject, answer)
    if (why.code === 'return_label.cancelled') this.#parts.noticed('cancelled_elsewhere', subject, [])
  }

  /** How fast to go on after this. */
  #pace(commandId: CommandId, verdict: Verdict): void {
    const { waits } = this.#parts
    if (verdict.kind === 'unknown') waits.ambiguous(commandId)
    else if (verdict.kind === 'queued') waits.notApplied(commandId, verdict.why === null)
    else waits.ended(commandId)
  }

  /** Not even tried: it stays queued and says why. */
  #postpone(command: CommandRow, cause: Failure): void {
    const { store, waits, moved } = this.#parts
    if (isAboutAll(cause)) waits.pauseAll()
    else waits.pause(command.id)
    store.noteFailure(command.id, cause)
    moved(command.subject, null)
  }

  #writeUntilStored(write: () => void): Promise<void> {
    return writeUntilStored(this.#parts, this.#parts.isClosing, write)
  }
}

function bounded(question: StoredQuestion): StoredQuestion {
  return question.kind === 'changed' ? question : { ...question, records: askedRecords(question.records) }
}

/** The line, the login or the service's patience: no other command would fare better. */
function isAboutAll({ code }: Failure): boolean {
  return /^(network|station|session)\./.test(code) || code === 'api.too_many_requests'
}

/** Where a try leaves its command. */
export type Verdict =
  | { readonly kind: 'done'; readonly answer: Answer }
  /** Not applied. `why` null: only the token was refused. */
  | { readonly kind: 'queued'; readonly why: Failure | null }
  | { readonly kind: 'unknown'; readonly why: Failure }
  /** `answer`: what is true instead, where it is known. */
  | { readonly kind: 'rejected'; readonly why: Failure; readonly answer: Answer | null }

/**
 * Judges a write by its outcome (ARCHITECTURE.md, Writes). Only what surely was not applied may be sent again;
 * `explained` is what the command's type made of a refusal.
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
