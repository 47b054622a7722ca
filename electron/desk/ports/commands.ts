import type { ServerId, CommandId } from '#shared/domain/ids.ts'
import type { QueueDecision, QueueNotice, ServiceRecord } from '#shared/bridge/queue-views.ts'
import type { CommandState } from '#shared/domain/command-state.ts'
import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import type { DraftHistory } from '#shared/domain/modification.ts'
import type { ErrorCode, Failure } from '#shared/errors/catalogue.ts'
import type { CommandFacts, Subject, SubjectKind } from '#shared/writes/write-kinds.ts'

/**
 * Maximum time by which a record of the service may be older than its write, because the clocks of the service's
 * machines differ a little.
 */
export const clockMarginMs: Milliseconds = 10 * 60_000
/** If two desks create similar records within this time, both records may be for the same event. */
export const sameEventMs: Milliseconds = 10 * 60_000
/**
 * When the desk searches the list for the record of a write, it also reads records that are older than the write by up
 * to this time. `walkEnd` of service/walk-end.ts describes which older records it also reads.
 */
export const listMarginMs: Milliseconds = Math.max(clockMarginMs, sameEventMs)

/**
 * One step of a write in the outbox. Its subject is stored in the ledger of its kind; the step contains only a
 * reference to the subject.
 */
export interface CommandRow<K extends SubjectKind = SubjectKind> {
  readonly id: CommandId
  readonly subject: Subject<K>
  /**
   * Commands with the same aggregate are sent one after another. Commands with different aggregates never wait for each
   * other.
   */
  readonly aggregate: string
  readonly type: string
  /** Data to send in addition to the data of the ledger, as JSON text. Only the code of the command type reads it. */
  readonly payload: string | null
  readonly state: CommandState
  readonly needsOperator: boolean
  readonly attempts: number
  readonly createdAt: Instant
  readonly stateAt: Instant
  /** When the first attempt began: by the service's clock, or by the PC clock if the service's time is not known. */
  readonly firstSentAt: Instant | null
  /** When the last ambiguous attempt ended; the quiet time starts then. Null: no attempt was ambiguous. */
  readonly endedAt: Instant | null
  /**
   * Hashes (`idHash`) of the ids of records that the service had before the first attempt. Looks for a label ignore
   * these records. A list without the wanted record proves that it has not arrived only if the list contains one of
   * these records, because a wrong response contains none of them. Null: these records are not known, or the command
   * has ended and no attempt was ambiguous.
   */
  readonly baseline: readonly string[] | null
  readonly failure: Failure | null
  readonly madeBy: string | null
  /** The question to the operator. Null unless `needsOperator` is true. */
  readonly question: StoredQuestion | null
  /**
   * The service's ids of records that the operator saw before the command was created, or that an operator has excluded
   * as the result of the command. The search for similar records ignores them.
   */
  readonly acknowledged: readonly ServerId[]
  /**
   * Whether an operator decided to send the command although the service cannot be read: a look cannot show whether an
   * earlier attempt arrived, or a check cannot show whether another desk has made the same record. The decision applies
   * until the first attempt that may have arrived. The value is false for a command that is done after a single attempt
   * that could be checked.
   */
  readonly sendsUnseen: boolean
}

/**
 * Whether a creation that has arrived at the service may have been sent without the check for records of other desks.
 * `baseline` alone does not show this: it is also null for a command that is done and had no ambiguous attempt.
 */
export function wasSentUnseen({
  sendsUnseen,
  endedAt,
  baseline,
}: Pick<CommandRow, 'sendsUnseen' | 'endedAt' | 'baseline'>): boolean {
  return sendsUnseen || (endedAt !== null && baseline === null)
}

/**
 * A record of the service: the form that the operator sees, and the facts that the ledger stores if the record is
 * adopted.
 */
export interface SeenRecord {
  readonly record: ServiceRecord
  readonly facts: CommandFacts
}

/**
 * The question to the operator about a command, in the form in which it is stored. `queueQuestion` explains its kinds.
 * The question after a refusal is not stored, because it follows from the state `rejected` of the command.
 */
export type StoredQuestion =
  | { readonly kind: 'outcome' | 'exists'; readonly records: readonly SeenRecord[] }
  | { readonly kind: 'changed' }

/** A command in the status: without the fields that only sending needs, and with a short form of its question. */
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
  /** The question, with only its last record and without the lines of that record. */
  readonly question: AskedQuestion | null
}

/** A command, without the fields that are needed only when it is sent or looked up. */
export type WaitingCommand = Pick<CommandRow, 'id' | 'subject' | 'endedAt'>

/** A command whose next look at the service is due, without the fields that only the look itself needs. */
export type DueLook = Pick<
  CommandRow,
  'id' | 'type' | 'createdAt' | 'firstSentAt' | 'endedAt' | 'sendsUnseen'
>

/** A command whose next look for late effects is due. */
export interface DueWatch extends DueLook {
  /** The planned time of the look. */
  readonly watchAt: Instant
  /** The time from which the times of further looks are calculated; null: from `endedAt`. */
  readonly watchFrom: Instant | null
}

/** A look for a late effect of a command. */
export interface EndedWatch {
  readonly id: CommandId
  /** The `endedAt` of the command at the time of the look. */
  readonly endedAt: Instant | null
  /** The time from which the times of further looks are calculated; null: from `endedAt`. */
  readonly watchFrom: Instant | null
  /** When the next look is due; null: no further look. */
  readonly nextAt: Instant | null
}

/** The numbers of unsettled commands. Each unsettled command is counted either in `waiting` or in `asking`. */
export interface UnsettledCounts {
  /** Number of open commands without a question. */
  readonly waiting: number
  /** Number of refused commands and of open commands with a question. */
  readonly asking: number
  /** When the oldest command that counts in `waiting` was created. */
  readonly oldest: Instant | null
}

/** A StoredQuestion without the facts that the adoption of a record needs. */
export type AskedQuestion =
  | { readonly kind: 'outcome' | 'exists'; readonly records: readonly Pick<SeenRecord, 'record'>[] }
  | { readonly kind: 'changed' }

/**
 * A new command. The ledger that stores its subject (a label or a booking) also writes the command, in one transaction
 * with the other changes of the subject.
 */
export interface NewCommand {
  readonly id: CommandId
  readonly subject: Subject
  readonly aggregate: string
  readonly type: string
  readonly payload: string | null
  /**
   * The service's ids of the records that the operator saw when requesting the write; left out: the operator saw none.
   */
  readonly acknowledged?: readonly ServerId[]
  readonly madeBy: string | null
  readonly at: Instant
}

/**
 * The commands, and the lease that lets only one process send them. A method that changes a command's state returns
 * false and changes nothing if the command is no longer in the expected state.
 */
export interface OutboxStore {
  get(id: CommandId): CommandRow | null
  /**
   * Returns the next queued command of each aggregate: first the commands with an id of `first`, then at most `limit`
   * commands without an attempt, then at most `newest` of the newest commands without an attempt (left out: none), then
   * at most `limit` others; the three last groups oldest first. Contains each command once. Leaves out commands with a
   * question and commands that wait for an open command of their aggregate.
   */
  due(limit: number, first?: readonly CommandId[], newest?: number): CommandRow[]
  /**
   * Returns the commands of unknown outcome, oldest first, without their fields `question` and `baseline`. These fields
   * may be long, and the outbox calls this method at each of its steps.
   */
  unknown(): WaitingCommand[]
  /** Returns the commands in the states `queued`, `sending` and `unknown`, oldest first. */
  open(): CommandRow[]
  /** Returns the queued commands with a question `changed` whose reason is a failure with this code, oldest first. */
  askedBecauseOf(code: ErrorCode): CommandRow[]
  /**
   * Returns the open commands, and the refused commands that still need a decision; oldest first. Returns at most the
   * oldest 200 commands of each group. The groups are: waiting, with a question, refused.
   */
  unsettled(): CommandRow[]
  /**
   * Returns the commands of `unsettled` in their short form. The status reads them at each change, so this method must
   * be fast: it takes only milliseconds, even with many commands and long questions.
   */
  unsettledHeads(): CommandHead[]
  /** Counts all unsettled commands, also those that `unsettled` leaves out because of its limit. */
  unsettledCounts(): UnsettledCounts
  /**
   * Returns the ended commands with an ambiguous attempt whose next look for late effects is due until `now` or after
   * `latest`, in the order in which their looks are due. The desk plans no look so far ahead, so a due time after
   * `latest` shows that the wall clock was set back. LateWatch calls this method at each change of a command. Therefore
   * the query visits no other commands, and returns neither `question` nor `baseline`.
   */
  toWatch(now: Instant, latest: Instant): DueWatch[]
  /** Returns when the earliest look for late effects is due; null: none is planned. */
  nextWatch(): Instant | null
  /**
   * Stores for each command when its next look for late effects is due. Changes nothing for a command that was opened
   * again, or had an ambiguous attempt, after the look that `looks` reports.
   */
  watched(looks: readonly EndedWatch[]): void
  /**
   * Returns the creations that have arrived and need a look for similar creations now, in the order in which their
   * looks are due: those with a due time until `now`, and those with a due time after `latest`. The desk plans no look
   * so far ahead, so a due time after `latest` shows that the wall clock was set back. Reads only these creations, and
   * none of their long fields.
   */
  toLookAround(now: Instant, latest: Instant): DueLook[]
  /** Returns when the earliest look for similar creations is due; null: no look follows. */
  nextLookAround(): Instant | null
  /** Stores when the next look for similar creations is due; `nextAt` null: no further look. */
  lookedAround(id: CommandId, nextAt: Instant | null): void
  /** Takes the lease, or prolongs it. Returns false while another holder has an unexpired lease. */
  holdLease(holder: string, at: Instant, forMs: Milliseconds): boolean
  releaseLease(holder: string): void
  /**
   * Changes the state of every interrupted command from `sending` to `unknown`. Returns the number of these commands.
   * Only the holder of the lease may call it.
   */
  recover(holder: string, at: Instant): number
  /**
   * Changes the state of a command from `queued` to `sending`, if the holder still has the lease. The new state is
   * committed before the socket opens.
   */
  begin(
    id: CommandId,
    holder: string,
    try_: { at: Instant; serviceTime: Instant; baseline: readonly string[] | null },
  ): boolean
  /**
   * Ends the command as done. In the same transaction, the facts of the response are stored in the ledger of the
   * command's subject (a label or a booking). For a creation, also stores when to look for similar creations of other
   * desks.
   */
  complete(id: CommandId, at: Instant, facts: CommandFacts): boolean
  /**
   * Queues the command again. If no attempt was ambiguous, removes `firstSentAt` and `baseline`, so that the next
   * attempt counts as the first.
   */
  requeue(id: CommandId, at: Instant, failure: Failure | null): boolean
  markUnknown(id: CommandId, at: Instant, failure: Failure): boolean
  /**
   * Ends the command as refused, and discards the queued later commands for the same subject that need its success.
   * `facts`: the present state of the subject; null: not known.
   */
  reject(id: CommandId, at: Instant, failure: Failure, facts: CommandFacts | null): boolean
  discard(id: CommandId, at: Instant): boolean
  /** Stores why a queued command was not sent. */
  noteFailure(id: CommandId, failure: Failure): void
  /**
   * Stores a question about a command in the state `unknown` (a question about its outcome) or `queued` (any other
   * question). The command then waits for the operator. Returns false if the command has another state. `failure` null:
   * the stored failure is kept.
   */
  ask(id: CommandId, question: StoredQuestion, failure: Failure | null): boolean
  /**
   * Withdraws the questions about these queued commands, together with their failures, in one transaction: the reason
   * of the questions may no longer exist, so the commands are checked again.
   */
  withdraw(ids: readonly CommandId[]): void
  /**
   * Changes the state of a command from `queued` to `unknown`: an earlier attempt may have arrived, and a look cannot
   * show whether it did.
   */
  doubt(id: CommandId, at: Instant, failure: Failure): boolean
}

/**
 * A log entry of an operator's decision. The store adds the state, the failure and the question that the operator saw.
 */
export interface DecisionNote {
  readonly commandId: CommandId
  readonly at: Instant
  readonly by: string | null
  readonly decision: QueueDecision['kind'] | 'edit'
  /** The reason of a discard, or the id of the adopted record; null for other decisions. */
  readonly details: string | null
}

/**
 * The change to a command that follows from an operator's decision. The store makes this change in the transaction that
 * logs the decision.
 */
export type DecisionEffect =
  /** Adopts a record of the service as the result of the command. */
  | { readonly do: 'adopt'; readonly facts: CommandFacts }
  /**
   * Changes the state of a command from `unknown` to `queued`. The command is sent again although a look cannot show
   * whether it arrived.
   */
  | { readonly do: 'send_again'; readonly acknowledged: readonly ServerId[] }
  /**
   * Continues the looks. `acknowledged`: the service's ids of all records that the operator has excluded as the result
   * of the command.
   */
  | { readonly do: 'go_on'; readonly acknowledged: readonly ServerId[] }
  /**
   * Queues a refused command again, and creates the commands again that were discarded with it. For a command in
   * another state, withdraws the question.
   */
  | { readonly do: 'retry' }
  /** Withdraws the question. The command is sent although its check is not possible (`sendsUnseen`). */
  | { readonly do: 'send_unchecked' }
  | { readonly do: 'discard' }
  | { readonly do: 'take_out'; readonly into: TakenInto }
  | { readonly do: 'nothing' }

/**
 * Where the content of a command is stored when the operator takes the command out of the queue. One transaction ends
 * the command and stores the content, so that a crash neither loses nor duplicates the content.
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

/** Stores the operators' decisions about commands, and the notices. */
export interface QueueStore {
  /**
   * Applies a decision and logs it. Returns false and writes nothing if the command is no longer in the state `from`.
   */
  decide(note: DecisionNote, from: CommandState, effect: DecisionEffect): boolean
  /** Returns the open notices: the oldest hundred of each kind, oldest first. */
  notices(): NoticeRow[]
  /** Returns the number of open notices of each kind. A kind without open notices is left out. */
  noticeCounts(): Partial<Record<NoticeRow['kind'], number>>
  /** Returns at most `limit` open notices of a kind without their records, starting with the oldest or the newest. */
  noticeHeads(kind: NoticeRow['kind'], from: 'oldest' | 'newest', limit: number): NoticeHead[]
  /** Returns the records of a notice. Returns an empty list if there is no such notice. */
  noticeRecords(noticeId: string): readonly SeenRecord[]
  /**
   * Stores a notice. At most one open notice exists for each kind and subject: a later notice replaces the records of
   * the open notice and keeps its id. At most 200 open notices have records; a further notice is stored without
   * records. Returns false if an earlier notice reported the same records, even if an operator has dismissed it.
   */
  notice(notice: NoticeRow): boolean
  dismiss(noticeId: string, at: Instant, by: string | null): void
  /** Dismisses this notice of an approved booking, and all earlier notices of approved bookings. */
  dismissApproved(noticeId: string, at: Instant, by: string | null): void
}
