import { labelId, serverId, commandId } from '../domain/ids.ts'
import { z } from 'zod'
import { commandStates } from '../domain/command-state.ts'
import { type Subject, type SubjectKind, type WriteBrief, writeKinds } from '../writes/write-kinds.ts'
import { failureView, time } from './view-parts.ts'

/**
 * The outbox as the queue screen shows it: which writes wait, since when, why, what happens next, and which decisions
 * are possible.
 */

const subjects = Object.values(writeKinds).map(({ subject }) => subject)
/** The record that a write changes. */
export const writeSubject = z.discriminatedUnion(
  'kind',
  subjects as [(typeof writeKinds)[SubjectKind]['subject']],
) satisfies z.ZodType<Subject>

const briefs = Object.values(writeKinds).map(({ brief }) => brief)
/** The facts by which an operator recognises a write. */
export const writeBrief = z.discriminatedUnion(
  'kind',
  briefs as [(typeof writeKinds)[SubjectKind]['brief']],
) satisfies z.ZodType<WriteBrief>

/** A record of the service that the sent write may have made, or that another desk made. */
export const serviceRecord = z.object({
  serverId,
  /** The reference of the record: `MOD…`, a tracking code or an external reference. */
  reference: z.string().nullable(),
  createdAt: time,
  brief: writeBrief,
  /** The note of the booking, without Scandesk's marker; null: there is none, or the record is a label. */
  note: z.string().nullable(),
  /** Whether the label was requested, so that the service has its PDF; false for a booking. */
  requested: z.boolean(),
})
export type ServiceRecord = z.infer<typeof serviceRecord>

export const queueQuestion = z.discriminatedUnion('kind', [
  /** The write was sent, and a query of the service could not determine whether it arrived. */
  z.object({ kind: z.literal('outcome'), sentAt: time, records: z.array(serviceRecord) }),
  /** The write was not sent, because another desk has made an equal record meanwhile. */
  z.object({ kind: z.literal('exists'), records: z.array(serviceRecord) }),
  /** The write was not sent, because one of its conditions no longer applies; see `failure` of the entry. */
  z.object({ kind: z.literal('changed') }),
  /** The service refused the write. */
  z.object({ kind: z.literal('refused') }),
])
export type QueueQuestion = z.infer<typeof queueQuestion>

/**
 * Decisions that may be possible for a write in the queue. `adopt`: one of the question's records becomes the record of
 * this write. `go_on`: send the write although an equal record exists.
 */
export const queueChoices = ['adopt', 'send_again', 'go_on', 'retry', 'edit', 'discard', 'later'] as const
export type QueueChoice = (typeof queueChoices)[number]

/**
 * The reason why a write in the queue waits. `line`: the service cannot be reached; `login`: there is no login;
 * `earlier`: another write comes first; `quiet_time`: the write was sent and may still arrive late, so a query of the
 * service would not be conclusive yet; `service`: the service is asked again at `nextAt`; `operator`: a question is
 * open; `turn`: none of these, the write is being sent or is the next to be sent.
 */
export const queueWaits = ['turn', 'line', 'login', 'earlier', 'quiet_time', 'service', 'operator'] as const

export const queueLine = z.object({
  commandId,
  /**
   * The version of the entry. It changes with the state of the write and with the kind and the records of the question,
   * and for the kind `changed` also with the failure, because a decision may depend on each of these.
   */
  version: z.string(),
  subject: writeSubject,
  /** The type of the write, such as `return_label.create`. */
  type: z.string(),
  title: z.string(),
  brief: writeBrief,
  state: z.enum(commandStates),
  waitsFor: z.enum(queueWaits),
  /** The earlier write that must end, with or without success, before this one is sent; null: there is none. */
  after: commandId.nullable(),
  /**
   * When the desk next sends the write, or next looks for its effect at the service. Null: no time is planned, because
   * the write waits for something else or is sent now (`waitsFor`).
   */
  nextAt: time.nullable(),
  createdAt: time,
  /** When the write changed to its current state. */
  since: time,
  sentAt: time.nullable(),
  attempts: z.number().int(),
  madeBy: z.string().nullable(),
  failure: failureView.nullable(),
  question: queueQuestion.nullable(),
  choices: z.array(z.enum(queueChoices)),
})
export type QueueLine = z.infer<typeof queueLine>

/**
 * An event about a write after it was sent. `duplicate`: the service has the write twice; `late`: the operator gave the
 * write up and it arrived later; `other_desk`: another desk made the same record; `cancelled_elsewhere`: the label of
 * the write was cancelled elsewhere. `approved` and `disapproved`: the decision of the warehouse about a booking.
 */
const noticeKinds = [
  'duplicate',
  'late',
  'other_desk',
  'cancelled_elsewhere',
  'approved',
  'disapproved',
] as const

export const queueNotice = z.object({
  id: z.string(),
  at: time,
  kind: z.enum(noticeKinds),
  subject: writeSubject,
  title: z.string(),
  brief: writeBrief,
  records: z.array(serviceRecord),
})
export type QueueNotice = z.infer<typeof queueNotice>

export const queueView = z.object({
  /**
   * Waiting writes, oldest first, if their label or booking is still stored. A refused write stays until the operator
   * has decided, or until a newer write of the same kind exists for the same label or booking. The list contains at
   * most the oldest 200 writes of each group: writes without a question to the operator, writes with a question, and
   * refused writes.
   */
  lines: z.array(queueLine),
  /** How many writes are not listed; undefined: all are listed. */
  moreLines: z.number().int().optional(),
  /** The open notices: at most the oldest hundred of each kind. */
  notices: z.array(queueNotice),
  /** How many open notices are not listed; undefined: all are listed. */
  moreNotices: z.number().int().optional(),
})
export type QueueView = z.infer<typeof queueView>

export const queueDecision = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('adopt'), serverId }),
  z.object({ kind: z.literal('send_again') }),
  z.object({ kind: z.literal('go_on') }),
  z.object({ kind: z.literal('retry') }),
  /** Gives the write up. `reason`: why the operator decides this. The reason is stored with the decision. */
  z.object({ kind: z.literal('discard'), reason: z.string().trim().min(1).max(300) }),
  z.object({ kind: z.literal('later') }),
])
export type QueueDecision = z.infer<typeof queueDecision>

/**
 * Names the screen that the window opens after a write was taken out of the queue, so that the operator can change the
 * write there. The content of the write is not part of this value.
 */
export const queueEdit = z.discriminatedUnion('place', [
  z.object({ place: z.literal('modification') }),
  /** The form of a label, with the draft filled in. */
  z.object({ place: z.literal('label_form') }),
  z.object({ place: z.literal('label'), labelId }),
])
export type QueueEdit = z.infer<typeof queueEdit>
