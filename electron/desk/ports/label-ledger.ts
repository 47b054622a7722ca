import type { LabelId, ServerId, ServerLabelId, CommandId } from '#shared/domain/ids.ts'
import type { CommandState } from '#shared/domain/command-state.ts'
import type { Instant } from '#shared/domain/instants.ts'
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
  /** Whether the command is queued and certainly has had no effect at the service, so that it may be discarded. */
  readonly isUntouched: boolean
  readonly failure: Failure | null
  /** When the command entered this state, milliseconds since 1970. */
  readonly movedAt: Instant
}

export interface LabelRow {
  readonly id: LabelId
  /**
   * `desk`: this desk created the label, or adopted it as the result of a creation. `service`: the label is from
   * elsewhere and has no command `create`.
   */
  readonly origin: 'desk' | 'service'
  /** The shipment of the label; null: the label has no shipment. */
  readonly shipmentId: string | null
  readonly shipmentReference: string | null
  /** The chosen shipping method; null: the service's default. */
  readonly shippingMethodId: string | null
  /**
   * The external reference that the desk sends for a label without a shipment. A look finds the label by this
   * reference.
   */
  readonly wishedReference: string | null
  /**
   * The sender's address: the one that a queued change will send, or otherwise the one that the service reported last.
   */
  readonly sender: SenderAddress | null
  readonly serverId: ServerLabelId | null
  readonly externalReference: string | null
  readonly trackingCode: string | null
  readonly requested: boolean
  readonly cancelled: boolean
  readonly documentHash: string | null
  readonly documentFailure: Failure | null
  readonly createdAt: Instant
  /** When the service last sent a response with this label; null: it has sent none. */
  readonly asOf: number | null
  /**
   * The newest command that creates the label; null: there is none. The next three fields contain the newest command of
   * each other type.
   */
  readonly create: CommandSummary | null
  readonly patch: CommandSummary | null
  readonly request: CommandSummary | null
  readonly cancel: CommandSummary | null
  /** The oldest command of this label that waits for the operator's decision. */
  readonly asked: CommandHead | null
  /**
   * The first failure of a command after the last successful command of this label; null: no command has failed since.
   */
  readonly trouble: Failure | null
  /**
   * The newest print job of this label; null: there is none. Leaves out a reprint that printed nothing if an earlier
   * print is or may be on paper, and if an operator gave up the reprint or a scan confirmed the earlier print
   * afterwards.
   */
  readonly print: PrintJobRow | null
}

/** The fields of a label from which its title and its brief description (`WriteBrief`) are made. */
export interface LabelName extends Pick<
  LabelRow,
  'shipmentReference' | 'shippingMethodId' | 'wishedReference' | 'externalReference'
> {
  /** The name in the sender's address. */
  readonly senderName: string | null
  /** The city in the sender's address. */
  readonly senderCity: string | null
}

/** A label without the sender's address. It has only the sender's name and city. */
export interface LabelHead extends Omit<LabelRow, 'sender'>, LabelName {}

export interface LabelCommandSeed {
  readonly id: CommandId
  readonly type: LabelCommand
  /** The data to send, as JSON text; null: no data. */
  readonly payload: string | null
  /**
   * The service's ids of the labels that the operator saw when requesting the command; left out: the operator saw none.
   */
  readonly acknowledged?: readonly ServerId[]
}

export interface NewLabel extends Pick<
  LabelRow,
  'id' | 'shipmentId' | 'shipmentReference' | 'shippingMethodId' | 'wishedReference' | 'sender'
> {
  readonly madeBy: string | null
  readonly at: Instant
  /** The commands of the label, in the order in which they are sent. */
  readonly commands: readonly LabelCommandSeed[]
}

/** One change to a label or to its commands. */
export type LabelStep =
  | { readonly do: 'add'; readonly command: LabelCommandSeed }
  /** Discards the command and the commands that depend on it. */
  | { readonly do: 'discard'; readonly commandId: CommandId }
  | { readonly do: 'set_sender'; readonly sender: SenderAddress }
  | { readonly do: 'set_cancelled' }

/** The return labels of this desk, with their commands and their print jobs. */
export interface LabelLedger {
  get(id: LabelId): LabelRow | null
  /**
   * Reads only the fields of a label from which its title and its brief description are made, because the status and
   * the queue show them for hundreds of labels.
   */
  nameOf(id: LabelId): LabelName | null
  newestOfShipment(shipmentId: string): LabelRow | null
  /**
   * Returns a label by its server id. If two labels have this id, prefers the label that this desk created or adopted.
   */
  byServerId(serverId: ServerLabelId): LabelRow | null
  /** Like `byServerId`, without the sender's address. */
  headByServerId(serverId: ServerLabelId): LabelHead | null
  byCode(code: string): LabelRow | null
  /** Returns every code that a scan of this label may contain. Each code has the form of normaliseCode. */
  codesOf(id: LabelId): string[]
  recent(limit: number): LabelRow[]
  /**
   * Searches labels by part of a reference, a tracking code or the sender's name, ignoring case and accents. Returns
   * the newest labels first, `limit` labels at most. The event loop runs between two steps of the search. The search
   * ends early when `isWanted` returns false.
   */
  search(
    text: string,
    limit: number,
    isWanted: () => boolean,
  ): Promise<{
    labels: LabelHead[]
    /** The number of all labels that match the search. */
    found: number
  }>
  /** Whether a label of this ledger already has this server id. */
  isClaimed(serverId: ServerLabelId): boolean
  /**
   * Writes the label and its commands if no earlier label has the same shipment (for a label without a shipment: the
   * same requested reference). If there are earlier labels, `again` gets the newest of them. If `again` returns steps,
   * they are applied to that label, and the new label is not written. If it returns null, the new label is written, and
   * a refused creation of the newest earlier label is discarded.
   */
  make(label: NewLabel, again: (newest: LabelRow) => readonly LabelStep[] | null): LabelRow
  /**
   * Applies the steps that `plan` returns for the current state of the label. Returns null if there is no such label.
   */
  change(
    id: LabelId,
    act: { readonly at: Instant; readonly by: string | null },
    plan: (label: LabelRow) => Result<readonly LabelStep[]>,
  ): Result<LabelRow> | null
  /**
   * Adds a label of the service, or updates the label if the ledger has it. If this desk has a creation of unknown
   * outcome that may have created the label, adds nothing and returns the label of that creation unchanged.
   */
  adopt(id: LabelId, label: LabelDescription, createdAt: Instant, at: Instant): LabelRow
  /**
   * Stores the state of a label that a read returned. `since`: when the read began. If a command of the label is open
   * or has changed its state after `since`, changes nothing. Returns whether the label has changed, apart from `asOf`.
   */
  describe(id: LabelId, label: LabelDescription, since: Instant, at: Instant): boolean
  /** Returns the ids of the requested labels whose PDF is not stored, oldest first. */
  awaitingDocument(): LabelId[]
  documentFailed(labelId: LabelId, failure: Failure): void
  /**
   * Stores the hash of a PDF that was just stored, and queues the print job `job` if it is not null. If the ledger
   * already has a hash for the label, changes nothing and returns false.
   */
  documentStored(labelId: LabelId, documentHash: string, job: NewPrintJob | null): boolean
  /**
   * Stores that the PDF of a print job is lost or damaged, in one transaction: the job becomes `failed` with the
   * failure `document.missing`. If this PDF is the stored PDF of the label, the label then has no PDF. Returns false,
   * and changes nothing, if the state of the job has changed since it was read.
   */
  documentLost(job: Pick<PrintJobRow, 'id' | 'labelId' | 'documentHash' | 'state'>, at: Instant): boolean
  /** Returns how many of the newest print jobs of the label failed in a row because their PDF was lost or damaged. */
  documentLosses(labelId: LabelId): number
}
