import type { ServerId, CommandId } from '#shared/domain/ids.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { DraftHistory, DraftLine, ModificationReason } from '#shared/domain/modification.ts'
import type { ModificationFacts } from '#shared/writes/modification.ts'
import type { CommandRow } from './commands.ts'

/** The draft of this scope with its undo history. */
export interface DraftStore {
  read(): DraftHistory
  /**
   * Saves the history. It must differ by exactly one action or one undo from the history that was last read or saved.
   */
  save(history: DraftHistory): void
}

/** Identifies another booking of this desk. `reference`: null until the service has assigned one. */
export interface BookingLink {
  readonly id: string
  readonly reference: string | null
}

export interface ModificationRow {
  readonly id: string
  readonly serverId: ServerId | null
  readonly reference: string | null
  /** The status that the service reported. It may be a status for which this desk has no name. */
  readonly status: string | null
  /**
   * When the service last reported the status. After a restart of the desk, until the next report: when the service
   * first reported it.
   */
  readonly statusAsOf: number | null
  readonly reason: ModificationReason
  readonly locationId: string
  /** The current code of the location. If the location has none, its code at the time of the booking. */
  readonly locationCode: string | null
  readonly lines: readonly DraftLine[]
  /** The operator's note, without the marker. */
  readonly note: string
  readonly bookedBy: string | null
  readonly createdAt: Instant
  readonly create: Pick<CommandRow, 'id' | 'state' | 'failure'>
  /** The disapproved booking that this booking replaces. */
  readonly corrects: BookingLink | null
  /** The booking that replaces this disapproved booking; null: there is none, or it was discarded. */
  readonly correctedBy: BookingLink | null
}

/** A booking with its first lines. Of its other lines it has only their number and the sum of their quantities. */
export interface ModificationStart {
  readonly row: ModificationRow
  readonly moreLines: number
  readonly morePieces: number
}

/** The fields of a modification of the service that show which desk booked it. */
export interface ServiceNote {
  readonly id: ServerId
  readonly note: string | null
}

export interface NewModification {
  readonly id: string
  readonly reason: ModificationReason
  readonly locationId: string
  readonly lines: readonly DraftLine[]
  readonly note: string
  readonly bookedBy: string | null
  readonly at: Instant
  /** Id of the disapproved booking that this booking replaces. */
  readonly corrects?: string | undefined
  readonly command: { readonly id: CommandId; readonly type: string }
}

/** The modifications booked at this desk, each with its one command. */
export interface ModificationLedger {
  /**
   * Writes a booking, its lines and its command, and empties the draft, in one transaction. If the booking replaces a
   * disapproved booking, the notice about the disapproved booking is marked as read.
   */
  book(modification: NewModification): ModificationRow
  get(id: string): ModificationRow | null
  /**
   * Returns a modification with at most its first `mostLines` lines, and the number and the pieces of its other lines.
   * Null: this desk has no such modification.
   */
  start(id: string, mostLines: number): ModificationStart | null
  /**
   * Returns the newest `limit` modifications, and the oldest 50 modifications with a refused command, however old they
   * are; newest first.
   */
  recent(limit: number): ModificationRow[]
  /** Returns a modification by its reference. The service writes references as `MOD` and digits. */
  byReference(reference: string): ModificationRow | null
  /** Whether this desk made the booking that has this id at the service. */
  isOurs(serverId: ServerId): boolean
  /**
   * Returns the modifications of the service that were not booked at this desk, at most the first `most` of them. A
   * modification was booked here if its server id is known here, or if one of the last ten different markers in its
   * note is the marker of a booking here that is neither refused nor discarded. Compares only a few modifications in
   * each turn of the event loop.
   */
  notOurs<M extends ServiceNote>(rows: readonly M[], most: number): Promise<M[]>
  /**
   * Returns at most `limit` modifications that were booked after `since`, have arrived at the service, and are not
   * decided yet. The modification whose status was read longest ago is first.
   */
  undecided(since: Instant, limit: number): { readonly id: string; readonly serverId: ServerId }[]
  /**
   * Stores the statuses that the service reported. Ignores modifications of other desks. Writes only a new status or a
   * new reference. If the warehouse has decided about a booking, the same transaction stores a notice. Returns the ids
   * of the modifications with a new status.
   */
  noteStatus(facts: readonly ModificationFacts[], at: Instant): string[]
}
