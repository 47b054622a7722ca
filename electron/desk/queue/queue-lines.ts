import type { CommandId } from '#shared/domain/ids.ts'
import { kindOf } from '../writes.ts'
import type { Subject } from '#shared/writes/write-kinds.ts'
import type { QueueChoice, QueueLine, QueueNotice, QueueQuestion } from '#shared/bridge/queue-views.ts'
import { choicesOf, isAsking } from '#shared/domain/queue-rules.ts'
import type { WriteFacts } from '../outbox/command-type.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { AskedQuestion, CommandHead, CommandRow, NoticeRow } from '../ports/commands.ts'
import type { Line } from '../service/line.ts'
import type { Session } from '../service/session.ts'
import { isoTime, toFailureView } from '../view-parts.ts'
import type { WriteKinds } from '../writes.ts'

export interface QueueLineParts {
  readonly kinds: WriteKinds
  readonly outbox: Pick<Outbox, 'outlook'>
  readonly session: Pick<Session, 'isSignedIn'>
  readonly line: Pick<Line, 'isOffline'>
  readonly factsOf: (subject: Subject) => WriteFacts | null
}

/**
 * Whether it is certain that the command has no effect at the service. Such a command may be taken out of the queue and
 * changed.
 */
export function isUntouched({ state, endedAt }: CommandRow): boolean {
  return (state === 'queued' && endedAt === null) || state === 'rejected'
}

/** Returns the question that an operator must answer about a command; null: there is no question. */
export function questionOf(
  command: Pick<CommandHead, 'state' | 'question' | 'firstSentAt' | 'stateAt' | 'needsOperator'>,
): QueueQuestion | null {
  const { state, question, firstSentAt, stateAt } = command
  if (state === 'rejected') return { kind: 'refused' }
  if (!isAsking(state, command.needsOperator)) return null
  // the question is missing if an earlier version of the desk asked it, because that version did not store questions.
  // This version then asks about the outcome
  const current: AskedQuestion = question ?? { kind: 'outcome', records: [] }
  if (current.kind === 'changed') return { kind: 'changed' }
  const records = current.records.map(({ record }) => record)
  return current.kind === 'exists'
    ? { kind: 'exists', records }
    : { kind: 'outcome', sentAt: isoTime(firstSentAt ?? stateAt), records }
}

/** Returns the decisions that an operator may make about a command now (shared/domain/queue-rules.ts). */
export function choicesIn({ kinds }: Pick<QueueLineParts, 'kinds'>, command: CommandRow): QueueChoice[] {
  const question = questionOf(command)
  const choices = choicesOf({
    state: command.state,
    isUntouched: isUntouched(command),
    question: question?.kind ?? null,
    failure: command.failure?.code ?? null,
    records: question && 'records' in question ? question.records.length : 0,
  })
  return kindOf(kinds, command.subject).edit === undefined ? choices.filter((one) => one !== 'edit') : choices
}

/** Returns the version of the queue line of this command (see QueueLine). */
export function versionOf(command: CommandRow): string {
  const question = questionOf(command)
  const records = question && 'records' in question ? question.records.map(({ serverId }) => serverId) : []
  const reason = question?.kind === 'changed' ? [command.failure?.code ?? ''] : []
  return [command.state, command.stateAt, question?.kind ?? 'nothing', ...reason, ...records].join(' ')
}

/**
 * Returns the lines of the queue for the screen; `commands` oldest first. A command whose subject this desk no longer
 * has is left out.
 */
export function toQueueLines(parts: QueueLineParts, commands: readonly CommandRow[]): QueueLine[] {
  const lastOf = new Map<string, CommandId>()
  return commands.flatMap((command) => {
    const after = lastOf.get(command.aggregate) ?? null
    if (command.state !== 'rejected') lastOf.set(command.aggregate, command.id)
    const facts = parts.factsOf(command.subject)
    return facts ? [toQueueLine(parts, command, command.state === 'rejected' ? null : after, facts)] : []
  })
}

function toQueueLine(
  parts: QueueLineParts,
  command: CommandRow,
  after: CommandId | null,
  { title, brief }: WriteFacts,
): QueueLine {
  const { state, firstSentAt, attempts } = command
  return {
    commandId: command.id,
    version: versionOf(command),
    subject: command.subject,
    type: command.type,
    title,
    brief,
    state,
    ...waitOf(parts, command, after),
    after,
    createdAt: isoTime(command.createdAt),
    since: isoTime(command.stateAt),
    sentAt: firstSentAt === null ? null : isoTime(firstSentAt),
    attempts,
    madeBy: command.madeBy,
    failure: toFailureView(command.failure),
    question: questionOf(command),
    choices: choicesIn(parts, command),
  }
}

function waitOf(
  { outbox, session, line }: QueueLineParts,
  command: CommandRow,
  after: CommandId | null,
): Pick<QueueLine, 'waitsFor' | 'nextAt'> {
  const never = (waitsFor: QueueLine['waitsFor']): Pick<QueueLine, 'waitsFor' | 'nextAt'> => ({
    waitsFor,
    nextAt: null,
  })
  if (isAsking(command.state, command.needsOperator)) return never('operator')
  if (command.state === 'sending') return never('turn')
  if (!session.isSignedIn) return never('login')
  if (after !== null) return never('earlier')
  const { waitsFor, nextAt } = outbox.outlook(command)
  return { waitsFor: line.isOffline() ? 'line' : waitsFor, nextAt: nextAt === null ? null : isoTime(nextAt) }
}

export function toNoticeViews(
  notices: readonly NoticeRow[],
  factsOf: (subject: Subject) => WriteFacts | null,
): QueueNotice[] {
  return notices.flatMap(({ id, kind, subject, at, records }) => {
    const facts = factsOf(subject)
    return facts
      ? [{ id, kind, subject, at: isoTime(at), ...facts, records: records.map(({ record }) => record) }]
      : []
  })
}
