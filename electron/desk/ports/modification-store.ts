import type { ServerId, CommandId } from '#shared/domain/ids.ts'
import type { DraftHistory, DraftLine, ModificationReason } from '#shared/domain/modification.ts'
import type { ModificationFacts } from '#shared/writes/modification.ts'
import type { CommandRow } from './commands.ts'

/** The draft of this scope with everything that can be undone. */
export interface DraftStore {
  read(): DraftHistory
  /** `history` follows from what was read or saved last by one act or one undo. */
  save(history: DraftHistory): void
}

/** Another booking of this desk; `reference`: null until the service has given it one. */
export interface BookingLink {
  readonly id: string
  readonly reference: string | null
}

export interface ModificationRow {
  readonly id: string
  readonly serverId: ServerId | null
  readonly reference: string | null
  /** As the service said it; its list of names may be longer than ours. */
  readonly status: string | null
  /** When the service said so last; after a start, when it said so first. */
  readonly statusAsOf: number | null
  readonly reason: ModificationReason
  readonly locationId: string
  /** Its name today, else the one it had when this was booked. */
  readonly locationCode: string | null
  readonly lines: readonly DraftLine[]
  /** As the operator wrote it, without the marker. */
  readonly note: string
  readonly bookedBy: string | null
  readonly createdAt: number
  readonly create: Pick<CommandRow, 'id' | 'state' | 'failure'>
  /** The disapproved booking that this one replaces. */
  readonly corrects: BookingLink | null
  /** The booking that replaces this disapproved one; one that was discarded does not count. */
  readonly correctedBy: BookingLink | null
}

export interface NewModification {
  readonly id: string
  readonly reason: ModificationReason
  readonly locationId: string
  readonly lines: readonly DraftLine[]
  readonly note: string
  readonly bookedBy: string | null
  readonly at: number
  /** Id of the disapproved booking that this one replaces. */
  readonly corrects?: string | undefined
  readonly command: { readonly id: CommandId; readonly type: string }
}

/** Modifications booked here, each with its one command. */
export interface ModificationLedger {
  /**
   * Row, lines and command at once, and the draft is empty: booked wholly or not at all. The notice of the disapproved
   * booking that this one corrects counts as read.
   */
  book(modification: NewModification): ModificationRow
  get(id: string): ModificationRow | null
  /** The newest, and all whose command was refused, however old; newest first. */
  recent(limit: number): ModificationRow[]
  /** `reference` as the service writes it: `MOD` and digits. */
  byReference(reference: string): ModificationRow | null
  /** Whether a modification of the service was booked here: by its id there, or by the marker in its note. */
  isOurs(serverId: ServerId, note: string | null): boolean
  /** Booked since that moment, known to the service and not decided there; those asked about longest ago come first. */
  undecided(since: number, limit: number): { readonly id: string; readonly serverId: ServerId }[]
  /**
   * Notes what the service says; those not made here are passed over. Writes only a status or a reference that is news,
   * and a decision that is news becomes a notice in the same transaction. Returns the ids of the ones whose status is
   * news.
   */
  noteStatus(facts: readonly ModificationFacts[], at: number): string[]
}
