import { labelId, serverId } from '../domain/ids.ts'
import { z } from 'zod'
import { commandStates } from '../domain/command-state.ts'
import { type Subject, type SubjectKind, type WriteBrief, writeKinds } from '../writes/write-kinds.ts'
import { failureView, time } from './view-parts.ts'

/** The outbox as the queue screen shows it: what waits, since when, why, what happens next, what can be decided. */

const subjects = Object.values(writeKinds).map(({ subject }) => subject)
/** What a write is about. */
export const writeSubject = z.discriminatedUnion(
  'kind',
  subjects as [(typeof writeKinds)[SubjectKind]['subject']],
) satisfies z.ZodType<Subject>

const briefs = Object.values(writeKinds).map(({ brief }) => brief)
/** What a write does, in the facts an operator recognises it by. */
export const writeBrief = z.discriminatedUnion(
  'kind',
  briefs as [(typeof writeKinds)[SubjectKind]['brief']],
) satisfies z.ZodType<WriteBrief>

/** Something at the service that may be what was sent, or that somebody else did. */
export const serviceRecord = z.object({
  serverId,
  /** `MOD…`, a tracking code or an external reference. */
  reference: z.string().nullable(),
  createdAt: time,
  brief: writeBrief,
  /** What its desk wrote beside a booking, without Scandesk's marker; null: nothing, or it is a label. */
  note: z.string().nullable(),
  /** A label whose PDF exists. */
  requested: z.boolean(),
})
export type ServiceRecord = z.infer<typeof serviceRecord>

export const queueQuestion = z.discriminatedUnion('kind', [
  /** It was sent and nobody knows whether it arrived; looking could not tell. */
  z.object({ kind: z.literal('outcome'), sentAt: time, records: z.array(serviceRecord) }),
  /** Not sent: the service has one like it that another desk made meanwhile. */
  z.object({ kind: z.literal('exists'), records: z.array(serviceRecord) }),
  /** Not sent: what it needs is no longer so (`failure` of the line says what). */
  z.object({ kind: z.literal('changed') }),
  /** The service refused it. */
  z.object({ kind: z.literal('refused') }),
])
export type QueueQuestion = z.infer<typeof queueQuestion>

/** What may be done about a line. `adopt`: one of the question's records is it. `go_on`: send although one like it exists. */
export const queueChoices = ['adopt', 'send_again', 'go_on', 'retry', 'edit', 'discard', 'later'] as const
export type QueueChoice = (typeof queueChoices)[number]

/**
 * What a line waits for. `line`: the service cannot be reached; `login`; `earlier`: a write before it; `quiet_time`: it
 * was sent, and a late arrival cannot be told from none yet; `service`: the service is asked again at `nextAt`;
 * `operator`: the question; `turn`: nothing, it goes now.
 */
export const queueWaits = ['turn', 'line', 'login', 'earlier', 'quiet_time', 'service', 'operator'] as const

export const queueLine = z.object({
  commandId: z.string(),
  /** Another one as soon as anything is different that somebody decides by: how it stands, what is asked, what is shown. */
  version: z.string(),
  subject: writeSubject,
  /** `return_label.create` and so on: what the write does. */
  type: z.string(),
  title: z.string(),
  brief: writeBrief,
  state: z.enum(commandStates),
  waitsFor: z.enum(queueWaits),
  /** The write that has to be through before it. */
  after: z.string().nullable(),
  /** When it is tried or looked for next by itself; null: not before something happens. */
  nextAt: time.nullable(),
  createdAt: time,
  /** In this state since. */
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
 * Something that happened to a write after it was sent. `duplicate`: the service has ours twice; `late`: it was given up
 * here, and arrived after all; `other_desk`: another desk did the same; `cancelled_elsewhere`. `approved` and
 * `disapproved`: the decision of the warehouse about a booking.
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
  /** Oldest first; refused ones stay until somebody decided. */
  lines: z.array(queueLine),
  /** The oldest hundred of each kind. */
  notices: z.array(queueNotice),
  /** How many open notices are not listed; left out: none. */
  moreNotices: z.number().int().optional(),
})
export type QueueView = z.infer<typeof queueView>

export const queueDecision = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('adopt'), serverId }),
  z.object({ kind: z.literal('send_again') }),
  z.object({ kind: z.literal('go_on') }),
  z.object({ kind: z.literal('retry') }),
  /** Why it is given up, for those who come after. */
  z.object({ kind: z.literal('discard'), reason: z.string().trim().min(1).max(300) }),
  z.object({ kind: z.literal('later') }),
])
export type QueueDecision = z.infer<typeof queueDecision>

/** Where a write that was taken out of the queue can be changed. */
export const queueEdit = z.discriminatedUnion('place', [
  z.object({ place: z.literal('modification') }),
  /** The form, with the draft filled in. */
  z.object({ place: z.literal('label_form') }),
  z.object({ place: z.literal('label'), labelId }),
])
export type QueueEdit = z.infer<typeof queueEdit>
