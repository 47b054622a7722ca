import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { rolePrefix, wireRole } from '#shared/wire/roles.ts'
import type { Backoff } from '../timing/backoff.ts'
import { type Answer, askedRecords, type CommandType, type Preparation } from './command-type.ts'
import type { Freshness } from './freshness.ts'
import type { OutboxParts } from './outbox-parts.ts'
import type { Postponed } from './postponed.ts'
import type { CommandRow, SeenRecord, StoredQuestion } from '../ports/commands.ts'
import type { QuietTime } from './quiet-time.ts'
import { settle } from '../timing/settle.ts'
import { isFinalRefusal } from '../service/final-refusal.ts'
import { type Verdict, verdictOf } from './verdict.ts'

export interface AttemptParts extends OutboxParts {
  readonly backoff: Backoff
  readonly postponed: Postponed
  readonly quiet: QuietTime
  readonly freshness: Freshness
  /** Who holds the lease. */
  readonly holder: string
  readonly isClosing: () => boolean
}

type Stop = Exclude<Preparation, { kind: 'go' }>

/** So many unreadable answers in a row, after the quiet time, and looking does not tell. */
const mostGarbledLooks = 4

/** What happens to one command: a try, or a look for the effect of an earlier one. Durable after each step. */
export class Attempts {
  readonly #parts: AttemptParts
  /** Commands whose token was refused: the first time a refresh answers it at once, then it is slowed down. */
  readonly #unauthorised = new Set<string>()
  readonly #garbled = new Map<string, number>()

  constructor(parts: AttemptParts) {
    this.#parts = parts
  }

  async try(command: CommandRow, type: CommandType): Promise<void> {
    const { store, session, freshness, clock } = this.#parts
    const hasWaited = freshness.hasWaited(command)
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
    if (hasWaited) freshness.checked(command.id)
    const at = clock.now()
    const { serviceTime, baseline } = prepared
    if (!store.begin(command.id, this.#parts.holder, { at, serviceTime: serviceTime ?? at, baseline })) return
    this.#parts.moved(command.subject, null)
    const verdict = await this.#send(command, type, access.token)
    await this.#settle(() => this.#apply(command, verdict, hasWaited))
  }

  /**
   * Looks for the effect of a write that nobody knows about. Finding it decides. Once it can no longer arrive late, not
   * finding it means that it goes again; where looking cannot tell, the operator is asked, and looking goes on.
   */
  async look(command: CommandRow, type: CommandType): Promise<void> {
    const { store, clock, moved, quiet } = this.#parts
    quiet.looked(command)
    const seen = await type.readBack(command)
    if (this.#parts.isClosing()) return
    // what another desk may have made never answers the question that was asked about it
    const isAsked = command.question?.kind === 'outcome'
    if (seen.kind === 'found' && !seen.isSurelyOurs && (isAsked || quiet.isToBeSeenAgain(command.id))) return
    if (seen.kind === 'found') return this.#settle(() => this.#found(command, seen.answer, seen.others))
    if (quiet.leftMs(command) > 0) return
    const isHopeless =
      seen.kind === 'unreadable' && (seen.isRefused || this.#isGarbled(command, seen.failure))
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
    const { roles } = this.#parts.session.view()
    const saysRoles = roles.some((one) => one.startsWith(rolePrefix))
    if (!saysRoles || roles.includes(wireRole(role))) return null
    return { kind: 'ask', question: { kind: 'changed' }, failure: failure('api.role_missing', { role }) }
  }

  async #stop(command: CommandRow, prepared: Stop): Promise<void> {
    const { store, clock, moved } = this.#parts
    switch (prepared.kind) {
      case 'already':
        await this.#settle(() => this.#found(command, prepared.answer, prepared.others))
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

  #isGarbled({ id }: CommandRow, { code }: Failure): boolean {
    if (code !== 'api.malformed_answer') {
      this.#garbled.delete(id)
      return false
    }
    const looks = (this.#garbled.get(id) ?? 0) + 1
    this.#garbled.set(id, looks)
    return looks >= mostGarbledLooks
  }

  async #send(command: CommandRow, type: CommandType, token: string): Promise<Verdict> {
    const { session, line, clock, onFault } = this.#parts
    const begunTicks = clock.ticks()
    try {
      const outcome = await type.send(token, command)
      line.observe(outcome, begunTicks)
      if (outcome.kind === 'refused' && outcome.status === 401) session.accessRefused(token)
      const explained = isFinalRefusal(outcome) ? await type.explain?.(command, outcome) : null
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
  #pace(commandId: string, verdict: Verdict): void {
    const { quiet, backoff, postponed, freshness } = this.#parts
    postponed.forget(commandId)
    if (verdict.kind === 'unknown') quiet.begin(commandId)
    else if (verdict.kind !== 'queued') {
      backoff.reset()
      this.#unauthorised.delete(commandId)
      this.#garbled.delete(commandId)
      quiet.forget(commandId)
      freshness.forget(commandId)
    } else if (verdict.why || this.#unauthorised.has(commandId)) backoff.failed()
    else this.#unauthorised.add(commandId)
  }

  /** Not even tried: it stays queued and says why. */
  #postpone(command: CommandRow, cause: Failure): void {
    if (isAboutAll(cause)) this.#parts.backoff.failed()
    else this.#parts.postponed.again(command.id)
    this.#parts.store.noteFailure(command.id, cause)
    this.#parts.moved(command.subject, null)
  }

  #settle(write: () => void): Promise<void> {
    return settle(this.#parts, this.#parts.isClosing, write)
  }
}

function bounded(question: StoredQuestion): StoredQuestion {
  return question.kind === 'changed' ? question : { ...question, records: askedRecords(question.records) }
}

/** The line, the login or the service's patience: no other command would fare better. */
function isAboutAll({ code }: Failure): boolean {
  return /^(network|station|session)\./.test(code) || code === 'api.too_many_requests'
}
