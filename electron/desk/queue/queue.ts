import { kindOf } from '../writes.ts'
import type { Subject } from '#shared/writes/write-kinds.ts'
import type { ArgsOf } from '#shared/bridge/contract.ts'
import type { QueueDecision, QueueEdit, QueueView } from '#shared/bridge/queue-views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { ClockPort } from '../ports/clock.ts'
import type {
  CommandRow,
  DecisionEffect,
  DecisionNote,
  OutboxStore,
  QueueStore,
  SeenRecord,
  TakenInto,
} from '../ports/commands.ts'
import { choicesIn, type QueueLineParts, toNoticeViews, toQueueLines, versionOf } from './queue-lines.ts'
import type { Session } from '../service/session.ts'

export interface QueueParts extends Omit<QueueLineParts, 'outbox' | 'session'> {
  readonly store: QueueStore
  readonly commands: Pick<OutboxStore, 'get' | 'unsettled' | 'unsettledCounts'>
  readonly outbox: Pick<Outbox, 'outlook' | 'hurry' | 'retryNow'>
  readonly session: Session
  readonly clock: ClockPort
  /** Called after an operator's decision has changed a write of this subject. */
  readonly moved: (subject: Subject) => void
  /** Called after an operator has dismissed a notice. */
  readonly changed: () => void
}

/** The operators' view of the outbox, and their decisions about its commands. The outbox sends the commands. */
export class Queue {
  readonly #parts: QueueParts

  constructor(parts: QueueParts) {
    this.#parts = parts
  }

  /**
   * Returns the unsettled writes and the open notices. Both lists have a maximum length; the numbers of the writes and
   * notices that are left out are returned too. Needs no network.
   */
  list(): QueueView {
    const { commands, store, factsOf } = this.#parts
    const listed = store.notices()
    const more = sum(Object.values(store.noticeCounts())) - listed.length
    const unsettled = commands.unsettled()
    const { waiting, asking } = commands.unsettledCounts()
    const moreLines = waiting + asking - unsettled.length
    return {
      lines: toQueueLines(this.#parts, unsettled),
      ...(moreLines > 0 ? { moreLines } : {}),
      notices: toNoticeViews(listed, factsOf),
      ...(more > 0 ? { moreNotices: more } : {}),
    }
  }

  /**
   * Applies an operator's decision. Fails with `queue.moved_on` if the write has changed since the operator saw it: a
   * search at the service may have found the write or a similar record, or another operator may have decided first. The
   * decision is durable and logged when this method returns. An event of the write's subject reports the further
   * progress.
   */
  decide({ commandId, version, decision }: ArgsOf<'queue', 'decide'>): Result<QueueView> {
    const command = this.#parts.commands.get(commandId)
    if (
      !command ||
      versionOf(command) !== version ||
      !choicesIn(this.#parts, command).includes(decision.kind)
    )
      return fail('queue.moved_on')
    const effect = this.#effectOf(command, decision)
    if (!effect || !this.#take(command, decision, effect)) return fail('queue.moved_on')
    this.#goOn(command, decision.kind !== 'later' && decision.kind !== 'discard')
    return ok(this.list())
  }

  /**
   * Takes a write out of the queue and puts its content back into the form or draft where it was entered. The write has
   * certainly not arrived at the service. Fails with `queue.form_in_use` if the content is a label without a shipment,
   * which the operator entered by hand, and the form for such labels contains other text.
   */
  edit({ commandId }: ArgsOf<'queue', 'edit'>): Result<QueueEdit> {
    const command = this.#parts.commands.get(commandId)
    if (!command || !choicesIn(this.#parts, command).includes('edit')) return fail('queue.moved_on')
    const kind = kindOf(this.#parts.kinds, command.subject)
    return kind.edit?.(command, (into) => this.#takeOut(command, into)) ?? fail('queue.moved_on')
  }

  dismiss({ noticeId }: ArgsOf<'queue', 'dismiss'>): QueueView {
    const { store, clock, session } = this.#parts
    store.dismiss(noticeId, clock.now(), session.state().username)
    this.#parts.changed()
    return this.list()
  }

  /**
   * Dismisses the notice with this id, which reports an approved booking, and all earlier notices of approved bookings.
   */
  dismissApproved({ noticeId }: ArgsOf<'queue', 'dismissApproved'>): QueueView {
    const { store, clock, session } = this.#parts
    store.dismissApproved(noticeId, clock.now(), session.state().username)
    this.#parts.changed()
    return this.list()
  }

  #effectOf(command: CommandRow, decision: QueueDecision): DecisionEffect | null {
    switch (decision.kind) {
      case 'adopt': {
        const seen = recordsOf(command).find(({ record }) => record.serverId === decision.serverId)
        // whether another command has taken the record as its result since the question was asked
        const isTaken = seen && kindOf(this.#parts.kinds, command.subject).isTaken(seen.facts)
        return seen && !isTaken ? { do: 'adopt', facts: seen.facts } : null
      }
      case 'send_again':
      case 'go_on':
        return { do: decision.kind, acknowledged: recordsOf(command).map(({ record }) => record.serverId) }
      case 'retry': {
        const isUnchecked =
          command.question?.kind === 'changed' && command.failure?.code === 'api.not_checked'
        return { do: isUnchecked ? 'send_unchecked' : 'retry' }
      }
      case 'discard':
        return { do: decision.kind }
      case 'later':
        return { do: 'nothing' }
    }
  }

  #take(command: CommandRow, decision: QueueDecision, effect: DecisionEffect): boolean {
    const details =
      decision.kind === 'discard' ? decision.reason : decision.kind === 'adopt' ? decision.serverId : null
    return this.#parts.store.decide(this.#note(command, decision.kind, details), command.state, effect)
  }

  #takeOut(command: CommandRow, into: TakenInto): boolean {
    const note = this.#note(command, 'edit', null)
    const isTaken = this.#parts.store.decide(note, command.state, { do: 'take_out', into })
    if (isTaken) this.#goOn(command, false)
    return isTaken
  }

  #note(command: CommandRow, decision: DecisionNote['decision'], details: string | null): DecisionNote {
    const { clock, session } = this.#parts
    return { commandId: command.id, at: clock.now(), by: session.state().username, decision, details }
  }

  #goOn({ id, subject }: CommandRow, isWished: boolean): void {
    const { outbox, moved } = this.#parts
    moved(subject)
    if (isWished) outbox.hurry(id)
    else outbox.retryNow()
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, one) => all + one, 0)
}

function recordsOf({ question }: CommandRow): readonly SeenRecord[] {
  return question && question.kind !== 'changed' ? question.records : []
}
