import type { ServerId, CommandId } from '#shared/domain/ids.ts'
import type { QueueDecision, QueueNotice, ServiceRecord } from '#shared/bridge/queue-views.ts'
import type { CommandState } from '#shared/domain/command-state.ts'
import type { DraftHistory } from '#shared/domain/modification.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { CommandFacts, Subject, SubjectKind } from '#shared/writes/write-kinds.ts'

/** One write in the outbox. It names its subject only: what it is about stands in the ledger of that kind. */
export interface CommandRow<K extends SubjectKind = SubjectKind> {
  readonly id: CommandId
  readonly subject: Subject<K>
  /** Commands of one aggregate go one after another; others never wait for it. */
  readonly aggregate: string
  readonly type: string
  /** What is sent beside what the ledger knows, as JSON text; the command's type alone reads it. */
  readonly payload: string | null
  readonly state: CommandState
  readonly needsOperator: boolean
  readonly attempts: number
  readonly createdAt: number
  readonly stateAt: number
  /** When its first try began, by the service's clock where that is known. */
  readonly firstSentAt: number | null
  /** When the last ambiguous try ended: the quiet time counts from here. Null: none was. */
  readonly endedAt: number | null
  /**
   * Hashes (`idHash`) of the service's ids that were there before the first try, so that a read-back does not take them
   * for ours. Null: nothing is known, or the command has ended.
   */
  readonly baseline: readonly string[] | null
  readonly failure: Failure | null
  readonly madeBy: string | null
  /** What the operator is asked; only while `needsOperator`. */
  readonly question: StoredQuestion | null
  /** The service's ids of which an operator said that they are not this one: nobody asks about them again. */
  readonly acknowledged: readonly ServerId[]
  /** An operator said: send again, though looking cannot tell whether it arrived. Until the next try. */
  readonly sendsUnseen: boolean
  /** When the service was last looked at for a late arrival. */
  readonly watchedAt: number | null
  /** When the service is looked at next for what other desks did like it; null: no more. */
  readonly lookAroundAt: number | null
}

/** Something at the service, as it is shown and as the ledger takes it if it is adopted. */
export interface SeenRecord {
  readonly record: ServiceRecord
  readonly facts: CommandFacts
}

/** See queueQuestion; a refusal is a state of its own and not stored. */
export type StoredQuestion =
  | { readonly kind: 'outcome' | 'exists'; readonly records: readonly SeenRecord[] }
  | { readonly kind: 'changed' }

/** A command as the status shows it: without what only sending needs, and with little of its question. */
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
  /** Of the records the last one, without lines. */
  readonly question: AskedQuestion | null
}

/** A StoredQuestion without what adopting takes. */
export type AskedQuestion =
  | { readonly kind: 'outcome' | 'exists'; readonly records: readonly Pick<SeenRecord, 'record'>[] }
  | { readonly kind: 'changed' }

/** A command as a ledger writes it down, in the transaction that writes its subject. */
export interface NewCommand {
  readonly id: CommandId
  readonly subject: Subject
  readonly aggregate: string
  readonly type: string
  readonly payload: string | null
  /** The service's ids of which the operator knew when asking for it; left out: none. */
  readonly acknowledged?: readonly ServerId[]
  readonly madeBy: string | null
  readonly at: number
}

/** Commands and the lease of the one flusher. A move from a state that is no longer there changes nothing: false. */
export interface OutboxStore {
  get(id: CommandId): CommandRow | null
  /** The next queued command of each aggregate that has nothing open before it and no question, oldest first. */
  due(limit: number): CommandRow[]
  unknown(): CommandRow[]
  /** Queued, sending and unknown, oldest first. */
  open(): CommandRow[]
  /** What is open, and what was refused while nobody decided or tried the same anew; oldest first. */
  unsettled(): CommandRow[]
  /** The same for the status, which is read at each change: takes milliseconds, however long the questions are. */
  unsettledHeads(): CommandHead[]
  /** Ended, and its last ambiguous end was after that moment. */
  endedAmbiguously(since: number): CommandRow[]
  /** The service was looked at for late arrivals of these. */
  watched(ids: readonly CommandId[], at: number): void
  /** Creations that arrived and for which the service is to be looked at again, oldest first. */
  toLookAround(): CommandRow[]
  /** `nextAt` null: no more looks. */
  lookedAround(id: CommandId, nextAt: number | null): void
  /** Takes the lease or prolongs it; false while another living holder has it. */
  holdLease(holder: string, at: number, forMs: number): boolean
  releaseLease(holder: string): void
  /** Only the holder may: every `sending` was cut short and becomes `unknown`. Returns how many. */
  recover(holder: string, at: number): number
  /** queued -> sending, if the holder still has the lease: committed before the socket opens. */
  begin(
    id: CommandId,
    holder: string,
    try_: { at: number; serviceTime: number; baseline: readonly string[] | null },
  ): boolean
  /** Done; the ledger of its subject takes the facts in the same transaction. A creation is to be looked around for. */
  complete(id: CommandId, at: number, facts: CommandFacts): boolean
  /** If no try was ambiguous, first time and baseline are forgotten: the next try is a first one. */
  requeue(id: CommandId, at: number, failure: Failure | null): boolean
  markUnknown(id: CommandId, at: number, failure: Failure): boolean
  /** What follows it for the same subject is discarded with it. `facts`: what is true instead, where it is known. */
  reject(id: CommandId, at: number, failure: Failure, facts: CommandFacts | null): boolean
  discard(id: CommandId, at: number): boolean
  /** Why a queued command has not been tried. */
  noteFailure(id: CommandId, failure: Failure): void
  /** A queued or unknown one waits for the operator from now on; `failure` null leaves what it says. */
  ask(id: CommandId, question: StoredQuestion, failure: Failure | null): boolean
  /** queued -> unknown: an earlier try may have arrived after all, and looking cannot tell. */
  doubt(id: CommandId, at: number, failure: Failure): boolean
}

/** An operator's decision as it is logged, with what was shown: the store adds state, failure and question. */
export interface DecisionNote {
  readonly commandId: CommandId
  readonly at: number
  readonly by: string | null
  readonly decision: QueueDecision['kind'] | 'edit'
  /** The reason of a discard, the record that was adopted. */
  readonly details: string | null
}

/** What a decision does to its command, in the transaction that logs it. */
export type DecisionEffect =
  /** A record of the service is it. */
  | { readonly do: 'adopt'; readonly facts: CommandFacts }
  /** unknown -> queued; it goes although looking cannot tell. */
  | { readonly do: 'send_again'; readonly acknowledged: readonly ServerId[] }
  /** The question is answered: none of these is it. */
  | { readonly do: 'go_on'; readonly acknowledged: readonly ServerId[] }
  /** Refused -> queued, with what fell with it as new commands; otherwise the question is withdrawn. */
  | { readonly do: 'retry' }
  | { readonly do: 'discard' }
  | { readonly do: 'take_out'; readonly into: TakenInto }
  | { readonly do: 'nothing' }

/** Where what was taken out is kept, so that a crash in between neither loses nor doubles it. */
export type TakenInto =
  | { readonly place: 'modification_draft'; readonly history: DraftHistory }
  | { readonly place: 'setting'; readonly key: string; readonly value: string }
  | { readonly place: 'nowhere' }

export interface NoticeRow {
  readonly id: string
  readonly kind: QueueNotice['kind']
  readonly subject: Subject
  readonly at: number
  readonly records: readonly SeenRecord[]
}

/** A notice without what was seen at the service. */
export type NoticeHead = Omit<NoticeRow, 'records'>

/** Decisions about commands, and what was noticed afterwards. */
export interface QueueStore {
  /** False: the command is no longer in that state, and nothing is written, not even the log. */
  decide(note: DecisionNote, from: CommandState, effect: DecisionEffect): boolean
  /** The open notices: the oldest hundred of each kind, oldest first. */
  notices(): NoticeRow[]
  /** How many of each kind nobody has dismissed; a kind without any is left out. */
  noticeCounts(): Partial<Record<NoticeRow['kind'], number>>
  /** Those of a kind that nobody has dismissed, from the oldest or the newest on. */
  noticeHeads(kind: NoticeRow['kind'], from: 'oldest' | 'newest', limit: number): NoticeHead[]
  /** What was seen at the service; empty for one that is not there. */
  noticeRecords(noticeId: string): readonly SeenRecord[]
  /**
   * Of each kind and subject one is open: the records of a later look replace its own, and it keeps its id. Only the
   * first 200 open ones have records. False: nothing of it is news.
   */
  notice(notice: NoticeRow): boolean
  dismiss(noticeId: string, at: number, by: string | null): void
  /** Dismisses this notice of an approved booking and all such notices before it. */
  dismissApproved(noticeId: string, at: number, by: string | null): void
}
