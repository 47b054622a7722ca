import type { ServerId, CommandId } from '#shared/domain/ids.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { DraftHistory, DraftLine, ModificationReason } from '#shared/domain/modification.ts'
import type { ModificationFacts } from '#shared/writes/modification.ts'
import type { CommandRow } from './commands.ts'

/** The draft of this scope with its undo history. */
export interface DraftStore {
  read(): DraftHistory
  /** Saves the history. It must differ from the last read or saved history by exactly one action or one undo. */
  save(history: DraftHistory): void
}

/** Identifies another booking of this desk; `reference`: null until the service has assigned one. */
export interface BookingLink {
  readonly id: string
  readonly reference: string | null
}

export interface ModificationRow {
  readonly id: string
  readonly serverId: ServerId | null
  readonly reference: string | null
  /** The status as the service reported it; the service may have more statuses than this desk has names for. */
  readonly status: string | null
  /**
   * When the service last reported the status. After a start of the desk: when the service first reported this status.
   */
  readonly statusAsOf: number | null
  readonly reason: ModificationReason
  readonly locationId: string
  /** The current name of the location, or otherwise its name at the time of the booking. */
  readonly locationCode: string | null
  readonly lines: readonly DraftLine[]
  /** The operator's note, without the marker. */
  readonly note: string
  readonly bookedBy: string | null
  readonly createdAt: Instant
  readonly create: Pick<CommandRow, 'id' | 'state' | 'failure'>
  /** The disapproved booking that this booking replaces. */
  readonly corrects: BookingLink | null
  /** The booking that replaces this disapproved booking, unless that replacement was discarded. */
  readonly correctedBy: BookingLink | null
}

/** A booking with its first lines, and the number and the sum of the quantities of its other lines. */
export interface ModificationStart {
  readonly row: ModificationRow
  readonly moreLines: number
  readonly morePieces: number
}

/** The parts of a modification of the service that identify the desk that booked it. */
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
   * Writes row, lines and command and empties the draft in one transaction. If the booking corrects a disapproved one,
   * the notice of the disapproved booking is marked as read.
   */
  book(modification: NewModification): ModificationRow
  get(id: string): ModificationRow | null
  /** Returns a modification with at most its first `mostLines` lines. */
  start(id: string, mostLines: number): ModificationStart | null
  /**
   * Returns the newest modifications, and the oldest 50 with a refused command, however old; newest first.
   */
  recent(limit: number): ModificationRow[]
  /** Returns a modification by its reference as the service writes it: `MOD` and digits. */
  byReference(reference: string): ModificationRow | null
  /** Whether a modification of the service was booked at this desk, by its server id. */
  isOurs(serverId: ServerId): boolean
  /**
   * Returns the first modifications of the service that were not booked at this desk, at most `most`. A modification
   * was booked here if its server id is known here, or if one of the last ten different markers in its note is the
   * marker of a booking here. Compares a few modifications per turn of the event loop.
   */
  notOurs<M extends ServiceNote>(rows: readonly M[], most: number): Promise<M[]>
  /**
   * Returns modifications that were booked since that moment, arrived at the service, and are not decided yet. The
   * modification whose status was read longest ago is first.
   */
  undecided(since: Instant, limit: number): { readonly id: string; readonly serverId: ServerId }[]
  /**
   * Stores the statuses that the service reported; ignores modifications of other desks. Writes only a new status or a
   * new reference. A new decision becomes a notice in the same transaction. Returns the ids of the modifications with a
   * new status.
   */
  noteStatus(facts: readonly ModificationFacts[], at: Instant): string[]
}
