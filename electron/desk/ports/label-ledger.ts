import type { LabelId, ServerId, ServerLabelId, CommandId } from '#shared/domain/ids.ts'
import type { CommandState } from '#shared/domain/command-state.ts'
import type { LabelCommand } from '#shared/domain/label-commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import type { SenderAddress } from '#shared/wire/address.ts'
import type { LabelDescription } from '#shared/writes/return-label.ts'
import type { CommandHead } from './commands.ts'
import type { NewPrintJob, PrintJobRow } from './print-jobs.ts'

export interface CommandSummary {
  readonly id: CommandId
  readonly state: CommandState
  /** Queued, and surely nothing of it was ever applied: it may be taken back. */
  readonly isUntouched: boolean
  readonly failure: Failure | null
  /** When it came into this state, milliseconds since 1970. */
  readonly movedAt: number
}

export interface LabelRow {
  readonly id: LabelId
  /** `service`: made elsewhere and opened here; it has no create command. */
  readonly origin: 'desk' | 'service'
  /** Null for a label by hand. */
  readonly shipmentId: string | null
  readonly shipmentReference: string | null
  /** The method chosen; null: the service's default. */
  readonly shippingMethodId: string | null
  /** What a label by hand is to be called at the service, and is found by. */
  readonly wishedReference: string | null
  /** As the service last said or as it will be told. */
  readonly sender: SenderAddress | null
  readonly serverId: ServerLabelId | null
  readonly externalReference: string | null
  readonly trackingCode: string | null
  readonly requested: boolean
  readonly cancelled: boolean
  readonly documentHash: string | null
  readonly documentFailure: Failure | null
  readonly createdAt: number
  /** When the service last described it. */
  readonly asOf: number | null
  /** The newest of each kind; null: none was given. */
  readonly create: CommandSummary | null
  readonly patch: CommandSummary | null
  readonly request: CommandSummary | null
  readonly cancel: CommandSummary | null
  /** The oldest write of it that waits for the operator's word. */
  readonly asked: CommandHead | null
  /** What keeps its newest writes from going on. */
  readonly trouble: Failure | null
  /** The newest. */
  readonly print: PrintJobRow | null
}

export interface LabelCommandSeed {
  readonly id: CommandId
  readonly type: LabelCommand
  /** JSON text, or null. */
  readonly payload: string | null
  /** The service's ids of which the operator knew when asking for it; left out: none. */
  readonly acknowledged?: readonly ServerId[]
}

export interface NewLabel extends Pick<
  LabelRow,
  'id' | 'shipmentId' | 'shipmentReference' | 'shippingMethodId' | 'wishedReference' | 'sender'
> {
  readonly madeBy: string | null
  readonly at: number
  /** In the order in which they are to be sent. */
  readonly commands: readonly LabelCommandSeed[]
}

/** One thing to write down about a label. */
export type LabelStep =
  | { readonly do: 'add'; readonly command: LabelCommandSeed }
  /** With everything that falls with it. */
  | { readonly do: 'discard'; readonly commandId: CommandId }
  | { readonly do: 'set_sender'; readonly sender: SenderAddress }
  | { readonly do: 'set_cancelled' }

/** Return labels of this desk, with their commands and their paper. */
export interface LabelLedger {
  get(id: LabelId): LabelRow | null
  newestOfShipment(shipmentId: string): LabelRow | null
  /** The one that this desk made or took for its own, before one that was found elsewhere. */
  byServerId(serverId: ServerLabelId): LabelRow | null
  byCode(code: string): LabelRow | null
  /** Every code that a scan of this label may give, in the form of normaliseCode. */
  codesOf(id: LabelId): string[]
  recent(limit: number): LabelRow[]
  /** Part of a reference, a tracking code or the sender's name, whatever the case and the accents; newest first. */
  search(text: string, limit: number): { labels: LabelRow[]; found: number }
  /** Whether a label here already answers to this id of the service. */
  isClaimed(serverId: ServerLabelId): boolean
  /**
   * Writes the label and its commands, unless `again` says that the newest of the same shipment, or by hand of the same
   * wished reference, is meant: then the steps it gives are taken there instead.
   */
  make(label: NewLabel, again: (newest: LabelRow) => readonly LabelStep[] | null): LabelRow
  /** Takes the steps that `plan` gives for the label as it stands at this moment; null: there is no such label. */
  change(
    id: LabelId,
    act: { readonly at: number; readonly by: string | null },
    plan: (label: LabelRow) => Result<readonly LabelStep[]>,
  ): Result<LabelRow> | null
  /**
   * Takes in a label of the service; one that is here already is described anew. One that may be what a creation of ours
   * made, of which nobody knows yet whether it arrived, is not taken in: ours is answered, as it is.
   */
  adopt(id: LabelId, label: LabelDescription, createdAt: number, at: number): LabelRow
  /** What the service said when nobody wrote; nothing is changed if a command moved since `since`. False: no news. */
  describe(id: LabelId, label: LabelDescription, since: number, at: number): boolean
  /** Ids of those that are requested, but whose PDF is not in the vault; the oldest first. */
  awaitingDocument(): LabelId[]
  documentFailed(labelId: LabelId, failure: Failure): void
  /** The PDF is in the vault: notes its hash and queues its first print job, if any. False: it was there already. */
  documentStored(labelId: LabelId, documentHash: string, job: NewPrintJob | null): boolean
  /** The vault has it no more, or not as it was: it is to be fetched again. */
  documentLost(labelId: LabelId, documentHash: string): void
}
