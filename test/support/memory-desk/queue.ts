import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type {
  QueueDecision,
  QueueEdit,
  QueueLine,
  QueueNotice,
  QueueView,
  ServiceRecord,
} from '#shared/bridge/queue-views.ts'
import type { DeskStatus, WaitingWrite } from '#shared/bridge/views.ts'
import type { CommandState } from '#shared/domain/command-state.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import { choicesOf } from '#shared/domain/queue-rules.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { WriteBrief } from '#shared/writes/write-kinds.ts'
import { ago, type MemoryCore } from './memory-core.ts'
import { commandIdOf, labelIdOf, serverIdOf } from '../ids.ts'

export const bookingBrief: Extract<WriteBrief, { kind: 'modification' }> = {
  kind: 'modification',
  reason: 'DEFECTIVE',
  locationCode: 'A-03-2',
  lines: [{ name: 'Oat bar hazelnut 12 pcs', articleCode: 'BAR-HZ-12', quantity: -2 }],
}

export const labelBrief: Extract<WriteBrief, { kind: 'return_label' }> = {
  kind: 'return_label',
  shipmentReference: 'SHP00000000412',
  externalReference: null,
  methodCode: null,
  senderName: 'J. de Vries',
  senderCity: 'Rotterdam',
}

/** A booking that waits for the connection. A test adds the fields of another state. */
export function sampleLine(nowMs: number, change: Partial<QueueLine> = {}): QueueLine {
  const brief = change.brief ?? bookingBrief
  const line: QueueLine = {
    commandId: commandIdOf('q-1'),
    version: '1',
    subject:
      brief.kind === 'modification'
        ? { kind: 'modification', id: 'mo-1' }
        : { kind: 'return_label', id: labelIdOf('lb-1') },
    type: brief.kind === 'modification' ? 'modification.create' : labelCommands.create,
    title: brief.kind === 'modification' ? 'A-03-2' : 'SHP00000000412',
    brief,
    state: 'queued',
    waitsFor: 'line',
    after: null,
    nextAt: null,
    createdAt: ago(nowMs, 5),
    since: ago(nowMs, 5),
    sentAt: null,
    attempts: 0,
    madeBy: 'anna',
    failure: null,
    question: null,
    choices: [],
    ...change,
  }
  const { state, sentAt, question } = line
  const records = question && 'records' in question ? question.records.length : 0
  const choices = choicesOf({
    state,
    isUntouched: sentAt === null,
    question: question?.kind ?? null,
    failure: line.failure?.code ?? null,
    records,
  })
  return { ...line, choices: change.choices ?? choices }
}

/** The sample booking as the service shows it. */
export function sampleRecord(nowMs: number, change: Partial<ServiceRecord> = {}): ServiceRecord {
  return {
    serverId: serverIdOf('srv-mod-123'),
    reference: 'MOD00000000123',
    createdAt: ago(nowMs, 6),
    brief: bookingBrief,
    note: null,
    requested: false,
    ...change,
  }
}

/** A write that was sent and whose outcome is unknown. */
export function outcomeLine(
  nowMs: number,
  records: ServiceRecord[],
  change: Partial<QueueLine> = {},
): QueueLine {
  const sentAt = ago(nowMs, 7)
  return sampleLine(nowMs, {
    commandId: commandIdOf('q-outcome'),
    state: 'unknown',
    waitsFor: 'operator',
    createdAt: sentAt,
    sentAt,
    attempts: 1,
    failure: failure('network.interrupted'),
    question: { kind: 'outcome', sentAt, records },
    ...change,
  })
}

export function sampleNotice(nowMs: number, change: Partial<QueueNotice> = {}): QueueNotice {
  return {
    id: 'n-1',
    at: ago(nowMs, 32),
    kind: 'duplicate',
    subject: { kind: 'modification', id: 'mo-9' },
    title: 'A-03-2',
    brief: bookingBrief,
    records: [
      sampleRecord(nowMs, { createdAt: ago(nowMs, 35) }),
      sampleRecord(nowMs, {
        serverId: serverIdOf('srv-mod-124'),
        reference: 'MOD00000000124',
        createdAt: ago(nowMs, 33),
      }),
    ],
    ...change,
  }
}

/** Returns the status with the counts and the writes of this queue. All other fields stay unchanged. */
export function withQueue(status: DeskStatus, queue: QueueView): DeskStatus {
  return { ...status, ...countsOf(queue), ...writesOf(queue) }
}

/** The methods of the queue. A decision is accepted for the writes of `world.queue` and of `world.status`. */
export function queueMethods(desk: MemoryCore): ScandeskBridge['queue'] {
  const { world } = desk
  return {
    list: () => desk.call('queue:list', () => ok(world.queue)),
    decide: ({ commandId, decision }) =>
      desk.call('queue:decide', () => {
        const line = world.queue.lines.find((one) => one.commandId === commandId)
        const write = world.status.waitingWrites.find((one) => one.commandId === commandId)
        if (!line && !write) return fail('queue.moved_on')
        world.decided = [...world.decided, { commandId, decision }]
        if (decision.kind === 'later') return ok(world.queue)
        settle(desk, commandId, decision)
        const subject = line?.subject ?? write?.subject
        if (subject) moveSubject(desk, subject, stateAfter(decision))
        return ok(world.queue)
      }),
    edit: ({ commandId }) => desk.call('queue:edit', () => takeOut(desk, commandId)),
    dismiss: ({ noticeId }) => desk.call('queue:dismiss', () => ok(hide(desk, ({ id }) => id === noticeId))),
    dismissApproved: () =>
      desk.call('queue:dismissApproved', () => ok(hide(desk, ({ kind }) => kind === 'approved'))),
  }
}

/** Removes from the queue the notices for which `isRead` returns true. */
export function hide(desk: MemoryCore, isRead: (notice: QueueNotice) => boolean): QueueView {
  const { world } = desk
  world.queue = { ...world.queue, notices: world.queue.notices.filter((notice) => !isRead(notice)) }
  tell(desk)
  return world.queue
}

/** Returns the counts that the status bar shows for a queue. */
export function countsOf({
  lines,
  notices,
}: QueueView): Pick<DeskStatus, 'unsent' | 'notices' | 'twice' | 'decided'> {
  const waiting = lines.filter(({ question }) => question === null)
  const oldest = waiting.map(({ createdAt }) => createdAt).toSorted()[0] ?? null
  const asking = lines.length - waiting.length
  const twice = notices.find(({ kind }) => kind === 'other_desk') ?? null
  const approved = notices.filter(({ kind }) => kind === 'approved')
  const last = approved.at(-1)
  const decided = {
    disapproved: notices.filter(({ kind }) => kind === 'disapproved'),
    approved: last ? { count: approved.length, last } : null,
  }
  const unread = notices.length - approved.length
  return { unsent: { waiting: waiting.length, asking, oldest }, notices: unread, twice, decided }
}

/** Returns the writes of a queue in the form of the status: the waiting ones and the refused ones. */
export function writesOf({ lines }: QueueView): Pick<DeskStatus, 'waitingWrites' | 'refusedWrites'> {
  const isRefused = ({ state }: QueueLine): boolean => state === 'rejected'
  return {
    waitingWrites: lines.filter((line) => !isRefused(line)).map(toWrite),
    refusedWrites: lines.filter(isRefused).map(toWrite),
  }
}

function toWrite(line: QueueLine): WaitingWrite {
  const { commandId, subject, type, state, since, title, brief, question, failure } = line
  const needsOperator = question !== null && state !== 'rejected'
  const certainAt = state === 'unknown' && question === null ? line.nextAt : null
  const head = { commandId, subject, type, state, since, title, brief }
  return { ...head, needsOperator, question, certainAt, failure }
}

function stateAfter({ kind }: QueueDecision): CommandState {
  if (kind === 'discard') return 'discarded'
  return kind === 'adopt' ? 'done' : 'queued'
}

function settle(desk: MemoryCore, commandId: string, { kind }: QueueDecision): void {
  const { world } = desk
  const goesOn = kind === 'send_again' || kind === 'go_on' || kind === 'retry'
  const moved = (line: QueueLine): QueueLine[] => {
    if (line.commandId !== commandId) return [line]
    return goesOn ? [{ ...line, state: 'queued', waitsFor: 'turn', question: null, choices: [] }] : []
  }
  world.queue = { ...world.queue, lines: world.queue.lines.flatMap(moved) }
  const stays = (write: WaitingWrite): boolean => write.commandId !== commandId
  const { waitingWrites, refusedWrites } = world.status
  world.status = {
    ...world.status,
    waitingWrites: waitingWrites.filter(stays),
    refusedWrites: refusedWrites.filter(stays),
  }
  tell(desk)
}

/** Removes the writes of a booking from the queue, because the operator edits the booking as the draft again. */
export function leaveQueue(desk: MemoryCore, subjectId: string): void {
  for (const { commandId, subject } of desk.world.queue.lines)
    if (subject.id === subjectId) settle(desk, commandId, { kind: 'discard', reason: '' })
}

function takeOut(desk: MemoryCore, commandId: string): Result<QueueEdit> {
  const line = desk.world.queue.lines.find((one) => one.commandId === commandId)
  if (!line) return fail('queue.moved_on')
  settle(desk, commandId, { kind: 'discard', reason: '' })
  const { brief, subject } = line
  if (brief.kind !== 'return_label' || subject.kind !== 'return_label') return ok({ place: 'modification' })
  if (brief.shipmentReference === null) return ok({ place: 'label_form' })
  return ok({ place: 'label', labelId: subject.id })
}

function tell(desk: MemoryCore): void {
  const { world } = desk
  world.status = { ...world.status, ...countsOf(world.queue) }
  desk.emit('status', world.status)
}

function moveSubject(desk: MemoryCore, { id }: QueueLine['subject'], state: CommandState): void {
  const label = desk.world.labels.find((one) => one.id === id)
  const modification = desk.world.modifications.find((one) => one.id === id)
  if (modification) desk.putModification({ ...modification, create: state, failure: null })
  if (!label) return
  const decided = { ...label, create: label.create === 'unknown' ? state : label.create, failure: null }
  desk.putLabel(label.request === 'unknown' ? { ...decided, request: state } : decided)
}
