import type { QueueDecision, QueueNotice } from '#shared/bridge/queue-views.ts'
import type { CommandState } from '#shared/domain/command-state.ts'
import type { DraftHistory } from '#shared/domain/modification-draft.ts'
import type { CommandFacts, SeenRecord, Subject } from './commands.ts'

/** An operator's decision as it is logged, with what was shown: the store adds state, failure and question. */
export interface DecisionNote {
  readonly commandId: string
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
  | { readonly do: 'send_again'; readonly acknowledged: readonly string[] }
  /** The question is answered: none of these is it. */
  | { readonly do: 'go_on'; readonly acknowledged: readonly string[] }
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
