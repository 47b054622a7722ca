import type {
  QueueLine,
  QueueNotice,
  QueueView,
  ServiceRecord,
  WriteBrief,
} from '#shared/bridge/queue-views.ts'
import type { DeskStatus } from '#shared/bridge/views.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import { choicesOf } from '#shared/domain/queue-rules.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { countsOf, writesOf } from './memory-queue.ts'
import { ago } from './sample-views.ts'

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

/** A booking that waits for the line; spread over it what a state needs. */
export function sampleLine(nowMs: number, change: Partial<QueueLine> = {}): QueueLine {
  const brief = change.brief ?? bookingBrief
  const line: QueueLine = {
    commandId: 'q-1',
    version: '1',
    subject: { kind: brief.kind, id: brief.kind === 'modification' ? 'mo-1' : 'lb-1' },
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

/** The same booking as the service shows it. */
export function sampleRecord(nowMs: number, change: Partial<ServiceRecord> = {}): ServiceRecord {
  return {
    serverId: 'srv-mod-123',
    reference: 'MOD00000000123',
    createdAt: ago(nowMs, 6),
    brief: bookingBrief,
    note: null,
    requested: false,
    ...change,
  }
}

/** Sent, and nobody knows whether it arrived. */
export function outcomeLine(
  nowMs: number,
  records: ServiceRecord[],
  change: Partial<QueueLine> = {},
): QueueLine {
  const sentAt = ago(nowMs, 7)
  return sampleLine(nowMs, {
    commandId: 'q-outcome',
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
        serverId: 'srv-mod-124',
        reference: 'MOD00000000124',
        createdAt: ago(nowMs, 33),
      }),
    ],
    ...change,
  }
}

/** The status of a desk with this queue; its line stays as it was. */
export function withQueue(status: DeskStatus, queue: QueueView): DeskStatus {
  return { ...status, ...countsOf(queue), ...writesOf(queue) }
}
