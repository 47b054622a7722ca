import type { ServerId, CommandId } from '#shared/domain/ids.ts'
import type { QueueDecision, QueueNotice, ServiceRecord } from '#shared/bridge/queue-views.ts'
import type { CommandState } from '#shared/domain/command-state.ts'
import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import type { DraftHistory } from '#shared/domain/modification.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { CommandFacts, Subject, SubjectKind } from '#shared/writes/write-kinds.ts'

/**
 * Maximum time by which the service may date a record before its write, because the clocks of the service's machines
 * differ a little.
 */
export const clockMarginMs: Milliseconds = 10 * 60_000
/** If two desks create similar records within this time, both records may be for the same event. */
export const sameEventMs: Milliseconds = 10 * 60_000
/** Maximum time by which a listed record is older than a write when the desk searches for the record of the write. */
export const listMarginMs: Milliseconds = Math.max(clockMarginMs, sameEventMs)

/**
 * One step of a write in the outbox. It contains only a reference to its subject, which the ledger of that kind stores.
 */
export interface CommandRow<K extends SubjectKind = SubjectKind> {
  readonly id: CommandId
  readonly subject: Subject<K>
  /** Commands of one aggregate are sent one after another; other commands never wait for them. */
  readonly aggregate: string
  readonly type: string
  /** Data to send in addition to the data of the ledger, as JSON text. Only the command type reads it. */
  readonly payload: string | null
  readonly state: CommandState
  readonly needsOperator: boolean
  readonly attempts: number
  readonly createdAt: Instant
  readonly stateAt: Instant
  /** When the first attempt began, by the service's clock if that is known. */
  readonly firstSentAt: Instant | null
  /** When the last ambiguous attempt ended; the quiet time starts then. Null: no attempt was ambiguous. */
  readonly endedAt: Instant | null
  /**
   * Hashes (`idHash`) of the ids of records that the service had before the first attempt. A later look ignores these
   * records. Null: these records are unknown, or the command has ended.
   */
  readonly baseline: readonly string[] | null
  readonly failure: Failure | null
  readonly madeBy: string | null
  /** The question to the operator; set only while `needsOperator`. */
  readonly question: StoredQuestion | null
  /**
   * The service's ids of records that an operator has excluded as the result; no question lists these records again.
   */
  readonly acknowledged: readonly ServerId[]
  /**
   * Whether an operator decided to send again although a look cannot show whether the write arrived. The decision
   * applies to the next attempt only.
   */
  readonly sendsUnseen: boolean
  /** When the service was last checked for a late arrival. */
  readonly watchedAt: Instant | null
  /** When the next look for similar creations of other desks is due; null: no further look. */
  readonly lookAroundAt: Instant | null
}

/** A record of the service, as shown to the operator and with the facts that the ledger stores if it is adopted. */
export interface SeenRecord {
  readonly record: ServiceRecord
  readonly facts: CommandFacts
}

/**
 * The question to the operator, as queueQuestion describes it. A refusal is a state of the command and is not stored as
 * a question.
 */
export type StoredQuestion =
  | { readonly kind: 'outcome' | 'exists'; readonly records: readonly SeenRecord[] }
  | { readonly kind: 'changed' }

/** A command for the status, without the fields that only sending needs and with a short form of its question. */
export type CommandHead = Pick<
  CommandRow,
  | 'id'
  | 'subject'
  | 'type'
  | 'state'
  | 'needsOperator'
  | 'createdAt'
  | 'stateAt'
  | 'firstSentAt'
  | 'endedAt'
  | 'failure'
> & {
  /** The question with its last record only, without the lines of that record. */
  readonly question: AskedQuestion | null
}

/** A command, without the fields that are needed only when it is sent or looked up. */
export type WaitingCommand = Pick<CommandRow, 'id' | 'subject' | 'endedAt'>

/** Numbers of commands that may not have arrived. Each command is counted in one of the two numbers only. */
export interface UnsettledCounts {
  /** Number of open commands without a question. */
  readonly waiting: number
  /** Number of open commands with a question and of refused commands. */
  readonly asking: number
  /** When the oldest command in `waiting` was created. */
  readonly oldest: Instant | null
}

/** A StoredQuestion without the facts for adopting a record. */
export type AskedQuestion =
  | { readonly kind: 'outcome' | 'exists'; readonly records: readonly Pick<SeenRecord, 'record'>[] }
  | { readonly kind: 'changed' }

/** A new command, which a ledger writes in the same transaction as its subject. */
export interface NewCommand {
  readonly id: CommandId
  readonly subject: Subject
  readonly aggregate: string
  readonly type: string
  readonly payload: string | null
  /** The service's ids of the records that the operator saw when requesting the write; left out: no records. */
  readonly acknowledged?: readonly ServerId[]
  readonly madeBy: string | null
  readonly at: Instant
}

/**
 * The commands, and the lease of the one process that sends them. A change of state returns false and changes nothing
 * if the command is no longer in the expected state.
 */
export interface OutboxStore {
  get(id: CommandId): CommandRow | null
  /**
   * Returns the next queued command of each aggregate, oldest first. A command with a question, or with an open command
   * before it, is left out.
   */
  due(limit: number): CommandRow[]
  /**
   * Returns the commands of unknown outcome, oldest first. The outbox reads them at each of its steps, so their
   * questions and baselines, which may be long, are not read.
   */
  unknown(): WaitingCommand[]
  /** Returns the queued, sending and unknown commands, oldest first. */
  open(): CommandRow[]
  /**
   * Returns the open commands, and the refused commands that still need a decision; oldest first. Returns only the
   * oldest 200 commands of each group: waiting, with a question, refused.
   */
  unsettled(): CommandRow[]
  /**
   * Returns the heads of the commands that `unsettled` returns. The status reads the heads at each change. Therefore
   * this method takes only milliseconds, even with many commands and long questions.
   */
  unsettledHeads(): CommandHead[]
  /** Counts all unsettled commands, including commands that `unsettled` leaves out because of its limit. */
  unsettledCounts(): UnsettledCounts
  /** Returns the ended commands whose last ambiguous attempt ended after that moment. */
  endedAmbiguously(since: Instant): CommandRow[]
  /** Stores that the service was checked for late arrivals of these commands. */
  watched(ids: readonly CommandId[], at: Instant): void
  /** Returns the arrived creations for which another look at the service is due, oldest first. */
  toLookAround(): CommandRow[]
  /** Stores the time of the next look; `nextAt` null: no further look. */
  lookedAround(id: CommandId, nextAt: Instant | null): void
  /** Takes or prolongs the lease; false while another live holder has it. */
  holdLease(holder: string, at: Instant, forMs: Milliseconds): boolean
  releaseLease(holder: string): void
  /**
   * Turns every interrupted `sending` into `unknown` and returns their number. Only the holder of the lease may call
   * it.
   */
  recover(holder: string, at: Instant): number
  /** queued -> sending, if the holder still has the lease. The new state is committed before the socket opens. */
  begin(
    id: CommandId,
    holder: string,
    try_: { at: Instant; serviceTime: Instant; baseline: readonly string[] | null },
  ): boolean
  /**
   * Ends the command as done. The ledger of the subject stores the facts in the same transaction. After a creation, a
   * look for similar creations of other desks is scheduled.
   */
  complete(id: CommandId, at: Instant, facts: CommandFacts): boolean
  /**
   * Queues the command again. If no attempt was ambiguous, `firstSentAt` and `baseline` are removed, so that the next
   * attempt counts as the first.
   */
  requeue(id: CommandId, at: Instant, failure: Failure | null): boolean
  markUnknown(id: CommandId, at: Instant, failure: Failure): boolean
  /**
   * Ends the command as refused and discards the later commands for the same subject. `facts`: the actual state of the
   * subject, if known.
   */
  reject(id: CommandId, at: Instant, failure: Failure, facts: CommandFacts | null): boolean
  discard(id: CommandId, at: Instant): boolean
  /** Stores why a queued command has not been sent. */
  noteFailure(id: CommandId, failure: Failure): void
  /** Makes a queued or unknown command wait for the operator; `failure` null keeps the stored failure. */
  ask(id: CommandId, question: StoredQuestion, failure: Failure | null): boolean
  /** queued -> unknown: an earlier attempt may have arrived after all, and a look cannot show whether it did. */
  doubt(id: CommandId, at: Instant, failure: Failure): boolean
}

/** A log entry of an operator's decision. The store adds the state, the failure and the question that were shown. */
export interface DecisionNote {
  readonly commandId: CommandId
  readonly at: Instant
  readonly by: string | null
  readonly decision: QueueDecision['kind'] | 'edit'
  /** The reason of a discard, or the id of the adopted record. */
  readonly details: string | null
}

/** The effect of a decision on its command, in the transaction that logs the decision. */
export type DecisionEffect =
  /** This record of the service is the result of the command. */
  | { readonly do: 'adopt'; readonly facts: CommandFacts }
  /** unknown -> queued. The command is sent again although a look cannot show whether it arrived. */
  | { readonly do: 'send_again'; readonly acknowledged: readonly ServerId[] }
  /** The operator has excluded all of these records as the result. */
  | { readonly do: 'go_on'; readonly acknowledged: readonly ServerId[] }
  /**
   * A refused command returns to queued, and commands discarded with it are created again. For any other command the
   * question is withdrawn.
   */
  | { readonly do: 'retry' }
  | { readonly do: 'discard' }
  | { readonly do: 'take_out'; readonly into: TakenInto }
  | { readonly do: 'nothing' }

/**
 * Where the content of a command that was taken out is stored. The command ends and the content is stored in one
 * transaction, so that a crash neither loses nor duplicates the content.
 */
export type TakenInto =
  | { readonly place: 'modification_draft'; readonly history: DraftHistory }
  | { readonly place: 'setting'; readonly key: string; readonly value: string }
  | { readonly place: 'nowhere' }

export interface NoticeRow {
  readonly id: string
  readonly kind: QueueNotice['kind']
  readonly subject: Subject
  readonly at: Instant
  readonly records: readonly SeenRecord[]
}

/** A notice without the records of the service. */
export type NoticeHead = Omit<NoticeRow, 'records'>

/** Stores decisions about commands, and the notices of later looks. */
export interface QueueStore {
  /**
   * Applies a decision. False: the command is no longer in the state `from`, and nothing is written, not even the log.
   */
  decide(note: DecisionNote, from: CommandState, effect: DecisionEffect): boolean
  /** Returns the open notices: the oldest hundred of each kind, oldest first. */
  notices(): NoticeRow[]
  /** Returns the number of open notices of each kind; a kind without any is left out. */
  noticeCounts(): Partial<Record<NoticeRow['kind'], number>>
  /** Returns the open notices of a kind, starting with the oldest or the newest. */
  noticeHeads(kind: NoticeRow['kind'], from: 'oldest' | 'newest', limit: number): NoticeHead[]
  /** Returns the records of a notice; empty if there is no such notice. */
  noticeRecords(noticeId: string): readonly SeenRecord[]
  /**
   * Stores a notice. There is one open notice per kind and subject: the records of a later look replace its records,
   * and its id stays the same. Only the first 200 open notices have records. False: the notice has no new content.
   */
  notice(notice: NoticeRow): boolean
  dismiss(noticeId: string, at: Instant, by: string | null): void
  /** Dismisses this notice of an approved booking, and all earlier notices of approved bookings. */
  dismissApproved(noticeId: string, at: Instant, by: string | null): void
}
