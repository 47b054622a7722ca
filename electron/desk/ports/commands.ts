import type { ServerId, CommandId } from '#shared/domain/ids.ts'
import type { QueueDecision, QueueNotice, ServiceRecord } from '#shared/bridge/queue-views.ts'
import type { CommandState } from '#shared/domain/command-state.ts'
import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import type { DraftHistory } from '#shared/domain/modification.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { CommandFacts, Subject, SubjectKind } from '#shared/writes/write-kinds.ts'

/** A record may be dated this long before its write, because the clocks of the service's machines differ a little. */
export const clockMarginMs: Milliseconds = 10 * 60_000
/** Two desks that create the same record within this time may have done so for the same event. */
export const sameEventMs: Milliseconds = 10 * 60_000
/** The lists of records that a write is compared with begin this long before the write. */
export const listMarginMs: Milliseconds = Math.max(clockMarginMs, sameEventMs)

/**
 * One write in the outbox. It contains only the reference to its subject; the ledger of that kind contains the subject.
 */
export interface CommandRow<K extends SubjectKind = SubjectKind> {
  readonly id: CommandId
  readonly subject: Subject<K>
  /** Commands of one aggregate are sent one after another; other commands never wait for them. */
  readonly aggregate: string
  readonly type: string
  /** Data to send in addition to the ledger's, as JSON text. Only the command type reads it. */
  readonly payload: string | null
  readonly state: CommandState
  readonly needsOperator: boolean
  readonly attempts: number
  readonly createdAt: Instant
  readonly stateAt: Instant
  /** When the first try began, by the service's clock if that is known. */
  readonly firstSentAt: Instant | null
  /** When the last ambiguous try ended, which is the start of the quiet time. Null: no try was ambiguous. */
  readonly endedAt: Instant | null
  /**
   * Hashes (`idHash`) of the service's ids that existed before the first try, so that a read-back does not take these
   * records for the result. Null: nothing is known, or the command has ended.
   */
  readonly baseline: readonly string[] | null
  readonly failure: Failure | null
  readonly madeBy: string | null
  /** The question to the operator; set only while `needsOperator`. */
  readonly question: StoredQuestion | null
  /** The service's ids that an operator has ruled out as the result; no question lists them again. */
  readonly acknowledged: readonly ServerId[]
  /**
   * Whether an operator decided to send again although a look cannot show whether the write arrived. Applies until the
   * next try.
   */
  readonly sendsUnseen: boolean
  /** When the service was last checked for a late arrival. */
  readonly watchedAt: Instant | null
  /** When to look next for similar creations of other desks; null: no more looks. */
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
  /** The question with only the last of its records, without the lines of that record. */
  readonly question: AskedQuestion | null
}

/** Numbers of commands that have not certainly arrived; none is in both. */
export interface UnsettledCounts {
  /** Open commands without a question. */
  readonly waiting: number
  /** Open commands with a question, and refused ones. */
  readonly asking: number
  /** When the oldest of `waiting` was made. */
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
  /** The service's ids that the operator had seen when asking; left out: none. */
  readonly acknowledged?: readonly ServerId[]
  readonly madeBy: string | null
  readonly at: Instant
}

/**
 * The commands, and the lease of the one flusher. A move from a state that the command has left changes nothing and
 * returns false.
 */
export interface OutboxStore {
  get(id: CommandId): CommandRow | null
  /**
   * Returns the next queued command of each aggregate that has no open command before it and no question, oldest first.
   */
  due(limit: number): CommandRow[]
  unknown(): CommandRow[]
  /** Returns the queued, sending and unknown commands, oldest first. */
  open(): CommandRow[]
  /**
   * Returns the open commands, and the refused ones that no operator has decided or repeated; oldest first. Of those
   * that wait, of those with a question and of the refused ones, only the oldest 200 each.
   */
  unsettled(): CommandRow[]
  /**
   * Returns the heads of the same commands. The status reads them at each change, so this takes milliseconds, however
   * many there are and however long the questions are.
   */
  unsettledHeads(): CommandHead[]
  /** Counts all of them. */
  unsettledCounts(): UnsettledCounts
  /** Returns the ended commands whose last ambiguous try ended after that moment. */
  endedAmbiguously(since: Instant): CommandRow[]
  /** Stores that the service was checked for late arrivals of these commands. */
  watched(ids: readonly CommandId[], at: Instant): void
  /** Returns the arrived creations for which another look at the service is due, oldest first. */
  toLookAround(): CommandRow[]
  /** Stores the time of the next look; `nextAt` null: no more looks. */
  lookedAround(id: CommandId, nextAt: Instant | null): void
  /** Takes or prolongs the lease; false while another live holder has it. */
  holdLease(holder: string, at: Instant, forMs: Milliseconds): boolean
  releaseLease(holder: string): void
  /**
   * Turns every interrupted `sending` into `unknown` and returns their number. Only the holder of the lease may call
   * it.
   */
  recover(holder: string, at: Instant): number
  /** queued -> sending, if the holder still has the lease. It is committed before the socket opens. */
  begin(
    id: CommandId,
    holder: string,
    try_: { at: Instant; serviceTime: Instant; baseline: readonly string[] | null },
  ): boolean
  /**
   * Ends the command as done. The ledger of its subject takes the facts in the same transaction. After a creation, a
   * look for other desks is scheduled.
   */
  complete(id: CommandId, at: Instant, facts: CommandFacts): boolean
  /**
   * Queues the command again. If no try was ambiguous, the first time and the baseline are removed, so that the next
   * try counts as the first.
   */
  requeue(id: CommandId, at: Instant, failure: Failure | null): boolean
  markUnknown(id: CommandId, at: Instant, failure: Failure): boolean
  /**
   * Ends the command as refused and discards the later commands for the same subject. `facts`: the actual state of the
   * subject, if known.
   */
  reject(id: CommandId, at: Instant, failure: Failure, facts: CommandFacts | null): boolean
  discard(id: CommandId, at: Instant): boolean
  /** Stores why a queued command has not been tried. */
  noteFailure(id: CommandId, failure: Failure): void
  /** Makes a queued or unknown command wait for the operator; `failure` null keeps the stored failure. */
  ask(id: CommandId, question: StoredQuestion, failure: Failure | null): boolean
  /** queued -> unknown: an earlier try may have arrived after all, and a look cannot show whether it did. */
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
  /** The operator has ruled out all of these records. */
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
 * Where the content of a command that was taken out is stored. One transaction does both, so that a crash neither loses
 * nor doubles the content.
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

/** Decisions about commands, and the notices of later looks. */
export interface QueueStore {
  /** Applies a decision. False: the command has left that state, and nothing is written, not even the log. */
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
   * Stores a notice. One notice per kind and subject is open: the records of a later look replace its records, and it
   * keeps its id. Only the first 200 open notices have records. False: the notice contains no news.
   */
  notice(notice: NoticeRow): boolean
  dismiss(noticeId: string, at: Instant, by: string | null): void
  /** Dismisses this notice of an approved booking and all such notices before it. */
  dismissApproved(noticeId: string, at: Instant, by: string | null): void
}
