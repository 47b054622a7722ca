import type { ArgsOf } from '#shared/bridge/contract.ts'
import type { QueueDecision, QueueEdit, QueueView } from '#shared/bridge/queue-views.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import { choicesOf } from '#shared/domain/queue-rules.ts'
import type { SubjectKind } from '#shared/domain/write-types.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { isTyped, labelDraftKey, readLabelDraft, toLabelDraft } from '../labels/label-draft.ts'
import type { Modifications } from '../modifications/modifications.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { ClockPort } from '../ports/clock.ts'
import type {
  CommandRow,
  DecisionEffect,
  DecisionNote,
  OutboxStore,
  QueueStore,
  SeenRecord,
  Subject,
} from '../ports/commands.ts'
import type { LabelLedger } from '../ports/label-ledger.ts'
import type { SettingsStore } from '../ports/store.ts'
import {
  isUntouched,
  questionOf,
  type QueueLineParts,
  toNoticeViews,
  toQueueLines,
  versionOf,
} from './queue-lines.ts'
import type { Session } from '../service/session.ts'
import type { WriteKinds } from '../writes.ts'

export interface QueueParts extends Omit<QueueLineParts, 'outbox' | 'session'> {
  readonly store: QueueStore
  readonly commands: Pick<OutboxStore, 'get' | 'unsettled'>
  readonly labels: LabelLedger
  readonly modifications: Pick<Modifications, 'takeBack'>
  readonly kinds: WriteKinds
  readonly settings: SettingsStore
  readonly outbox: Pick<Outbox, 'outlook' | 'hurry' | 'retryNow'>
  readonly session: Session
  readonly clock: ClockPort
  /** What an operator decided moved this. */
  readonly moved: (subject: Subject) => void
  /** There is a notice less. */
  readonly changed: () => void
}

/** What waits in the outbox, and what operators decide about it. Sending goes on behind it. */
export class Queue {
  readonly #parts: QueueParts
  /** How a write is taken out of the queue to be changed, by the kind of its subject. */
  readonly #edits: Readonly<Record<SubjectKind, (command: CommandRow) => Result<QueueEdit>>> = {
    modification: ({ subject }) => {
      const taken = this.#parts.modifications.takeBack({ id: subject.id })
      return taken.ok ? ok({ place: 'modification' }) : taken
    },
    return_label: (command) => this.#editLabel(command),
  }

  constructor(parts: QueueParts) {
    this.#parts = parts
  }

  /** Waiting writes and notices; no network. */
  list(): QueueView {
    const { commands, store, factsOf } = this.#parts
    const listed = store.notices()
    const more = sum(Object.values(store.noticeCounts())) - listed.length
    return {
      lines: toQueueLines(this.#parts, commands.unsettled()),
      notices: toNoticeViews(listed, factsOf),
      ...(more > 0 ? { moreNotices: more } : {}),
    }
  }

  /**
   * Refused (`queue.moved_on`) where the write is no longer what was decided about: a look may have found it or something
   * like it, another operator may have been quicker. Durable and logged when it returns; an event of the write's subject
   * tells how it goes on.
   */
  decide({ commandId, version, decision }: ArgsOf<'queue', 'decide'>): Result<QueueView> {
    const command = this.#parts.commands.get(commandId)
    if (!command || versionOf(command) !== version || !this.#choices(command).includes(decision.kind))
      return fail('queue.moved_on')
    const effect = this.#effectOf(command, decision)
    if (!effect || !this.#take(command, decision, effect)) return fail('queue.moved_on')
    this.#goOn(command, decision.kind !== 'later' && decision.kind !== 'discard')
    return ok(this.list())
  }

  /**
   * Takes out a write that surely did not arrive, and puts it back where it was made. `queue.form_in_use`: a label by hand
   * goes back into its form, and something else is typed there.
   */
  edit({ commandId }: ArgsOf<'queue', 'edit'>): Result<QueueEdit> {
    const command = this.#parts.commands.get(commandId)
    if (!command || !this.#choices(command).includes('edit')) return fail('queue.moved_on')
    return this.#edits[command.subject.kind](command)
  }

  #editLabel(command: CommandRow): Result<QueueEdit> {
    const draft = this.#draftOf(command)
    // the form holds one label: what is typed in it, another one of the queue perhaps, would be nowhere any more
    if (draft && isTyped(readLabelDraft(this.#parts.settings))) return fail('queue.form_in_use')
    const into = draft
      ? ({ place: 'setting', key: labelDraftKey, value: JSON.stringify(draft) } as const)
      : ({ place: 'nowhere' } as const)
    const note = this.#note(command, 'edit', null)
    if (!this.#parts.store.decide(note, command.state, { do: 'take_out', into }))
      return fail('queue.moved_on')
    this.#goOn(command, false)
    return ok(draft ? { place: 'label_form' } : { place: 'label', labelId: command.subject.id })
  }

  dismiss({ noticeId }: ArgsOf<'queue', 'dismiss'>): QueueView {
    const { store, clock, session } = this.#parts
    store.dismiss(noticeId, clock.now(), session.state().username)
    this.#parts.changed()
    return this.list()
  }

  /** Dismisses this notice of an approved booking and all such notices before it. */
  dismissApproved({ noticeId }: ArgsOf<'queue', 'dismissApproved'>): QueueView {
    const { store, clock, session } = this.#parts
    store.dismissApproved(noticeId, clock.now(), session.state().username)
    this.#parts.changed()
    return this.list()
  }

  #choices(command: CommandRow): string[] {
    const question = questionOf(command)
    return choicesOf({
      state: command.state,
      isUntouched: isUntouched(command),
      question: question?.kind ?? null,
      failure: command.failure?.code ?? null,
      records: recordsOf(command).length,
    })
  }

  #effectOf(command: CommandRow, decision: QueueDecision): DecisionEffect | null {
    switch (decision.kind) {
      case 'adopt': {
        const seen = recordsOf(command).find(({ record }) => record.serverId === decision.serverId)
        // another write answers to it by now: the question was asked before
        const isTaken = this.#parts.kinds[command.subject.kind].isTaken(decision.serverId)
        return seen && !isTaken ? { do: 'adopt', facts: seen.facts } : null
      }
      case 'send_again':
      case 'go_on':
        return { do: decision.kind, acknowledged: recordsOf(command).map(({ record }) => record.serverId) }
      case 'retry':
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

  /** A creation by hand goes back into its form. */
  #draftOf({ type, subject }: CommandRow): ReturnType<typeof toLabelDraft> | null {
    const label = type === labelCommands.create ? this.#parts.labels.get(subject.id) : null
    return label && label.shipmentId === null ? toLabelDraft(label) : null
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, one) => all + one, 0)
}

function recordsOf({ question }: CommandRow): readonly SeenRecord[] {
  return question && question.kind !== 'changed' ? question.records : []
}
