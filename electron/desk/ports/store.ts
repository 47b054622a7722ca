import type { CommandState } from '#shared/domain/command-state.ts'
import type { PrintState } from '#shared/domain/print-state.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Shipment } from '#shared/wire/shipment.ts'

/**
 * What the desk keeps at one scope. Each method is one transaction, durable when it returns; times are milliseconds
 * since 1970. Throws CataloguedError `store.full` or `store.unavailable`, and then nothing was changed.
 */
export interface StorePort {
  readonly settings: SettingsStore
  readonly scans: ScansStore
  readonly outbox: OutboxStore
  readonly labels: LabelLedger
  readonly printJobs: PrintJobStore
  readonly index: ShipmentIndexStore
  readonly vault: Vault
  close(): void
}

export interface SettingsStore {
  read(key: string): string | null
  write(key: string, value: string): void
  remove(key: string): void
}

export type ScanKind = 'command' | 'shipment' | 'return_label' | 'unknown' | 'failed' | 'pending'

export interface ScanRow {
  readonly id: string
  readonly raw: string
  readonly at: number
  readonly kind: ScanKind
  readonly title: string | null
}

/** Every scan, before anything is made of it. */
export interface ScansStore {
  append(scan: Pick<ScanRow, 'id' | 'raw' | 'at'>): void
  resolve(id: string, found: { kind: ScanKind; title: string | null; subjectId: string | null }): void
  /** Newest first. */
  recent(limit: number): ScanRow[]
}

export interface CommandRow {
  readonly id: string
  readonly labelId: string
  /** Commands of one aggregate go one after another; others never wait for it. */
  readonly aggregate: string
  readonly type: string
  readonly state: CommandState
  readonly needsOperator: boolean
  readonly attempts: number
  readonly createdAt: number
  readonly stateAt: number
  /** When its first try began, by the service's clock where that is known. */
  readonly firstSentAt: number | null
  /** When the last ambiguous try ended: the quiet time counts from here. Null: none was. */
  readonly endedAt: number | null
  /** The service's ids that were there before the first try, so that a read-back does not take them for ours. */
  readonly baseline: readonly string[] | null
  readonly failure: Failure | null
}

/** What an answer about a return label tells the ledger. */
export interface LabelFacts {
  readonly serverId: string
  readonly externalReference: string | null
  readonly trackingCode: string | null
  /** Everything a scan of this label may say, in the form of normaliseCode. */
  readonly codes: readonly string[]
}

/** Commands and the lease of the one flusher. A move from a state that is no longer there changes nothing: false. */
export interface OutboxStore {
  get(id: string): CommandRow | null
  /** The next queued command of each aggregate that has nothing open before it, oldest first. */
  due(limit: number): CommandRow[]
  unknown(): CommandRow[]
  /** Queued, sending and unknown, oldest first. */
  open(): CommandRow[]
  /** Whether another label's command already answers to this id of the service. */
  isClaimed(serverId: string): boolean
  /** Takes the lease or prolongs it; false while another living holder has it. */
  holdLease(holder: string, at: number, forMs: number): boolean
  releaseLease(holder: string): void
  /** Only the holder may: every `sending` was cut short and becomes `unknown`. Returns how many. */
  recover(holder: string, at: number): number
  /** queued -> sending, if the holder still has the lease: committed before the socket opens. */
  begin(
    id: string,
    holder: string,
    try_: { at: number; serviceTime: number; baseline: readonly string[] | null },
  ): boolean
  complete(id: string, at: number, facts: LabelFacts): boolean
  /** If no try was ambiguous, first time and baseline are forgotten: the next try is a first one. */
  requeue(id: string, at: number, failure: Failure | null): boolean
  markUnknown(id: string, at: number, failure: Failure): boolean
  /** What follows it in the same label is discarded with it. */
  reject(id: string, at: number, failure: Failure): boolean
  discard(id: string, at: number): boolean
  /** Why a queued command has not been tried. */
  noteFailure(id: string, failure: Failure): void
  askOperator(id: string): void
}

export interface CommandSummary {
  readonly id: string
  readonly state: CommandState
  readonly failure: Failure | null
}

export interface LabelRow {
  readonly id: string
  readonly shipmentId: string
  readonly shipmentReference: string
  readonly serverId: string | null
  readonly externalReference: string | null
  readonly trackingCode: string | null
  readonly documentHash: string | null
  readonly documentFailure: Failure | null
  readonly createdAt: number
  readonly create: CommandSummary
  readonly request: CommandSummary
  /** The newest. */
  readonly print: PrintJobRow | null
}

export interface NewLabel {
  readonly id: string
  readonly shipmentId: string
  readonly shipmentReference: string
  readonly madeBy: string | null
  readonly at: number
  readonly aggregate: string
  readonly create: { readonly id: string; readonly type: string }
  readonly request: { readonly id: string; readonly type: string }
}

/** Return labels made here, with their two commands and their paper. */
export interface LabelLedger {
  /**
   * Inserts label and commands at once, unless the shipment's newest label is still under way: then that one comes
   * back, its request queued again if the service had refused it. Never a second label beside an open one.
   */
  make(label: NewLabel): LabelRow
  get(id: string): LabelRow | null
  newestOfShipment(shipmentId: string): LabelRow | null
  /** By tracking code, label code or external reference; `code` in the form of normaliseCode. */
  byCode(code: string): LabelRow | null
  recent(limit: number): LabelRow[]
  /** Requested, but the PDF is not in the vault. */
  awaitingDocument(): LabelRow[]
  documentFailed(labelId: string, failure: Failure): void
  /** The PDF is in the vault: notes its hash and queues its first print job at once. False: it was there already. */
  documentStored(labelId: string, documentHash: string, job: NewPrintJob): boolean
}

export interface NewPrintJob {
  readonly id: string
  readonly printer: string
  readonly isReprint: boolean
  readonly at: number
}

export interface PrintJobRow {
  readonly id: string
  readonly labelId: string
  readonly documentHash: string
  readonly printer: string
  readonly state: PrintState
  readonly isReprint: boolean
  readonly file: string | null
  readonly failure: Failure | null
  readonly createdAt: number
  readonly stateAt: number
}

export interface PrintMove {
  readonly at: number
  readonly failure: Failure | null
  readonly evidence: string | null
  readonly file: string | null
}

export interface PrintJobStore {
  get(id: string): PrintJobRow | null
  /** Adding the same id again changes nothing. */
  add(labelId: string, documentHash: string, job: NewPrintJob): void
  /** Queued or refused, oldest first. */
  due(printer: string): PrintJobRow | null
  open(): PrintJobRow[]
  /** Jobs in `sending` when the desk stopped become `unknown`; returned, so that evidence may be looked for. */
  recover(at: number): PrintJobRow[]
  /** False if the job is no longer in `from`. */
  move(id: string, from: PrintState, to: PrintState, details: PrintMove): boolean
}

export interface StoredShipment {
  readonly shipment: Shipment
  /** When the service said so. */
  readonly asOf: number
}

/** Which stretch of creation times is held without a gap; null before the first page. */
export interface IndexState {
  readonly newest: number
  readonly oldest: number
  /** The first fill reached its goal: nothing older is wanted. */
  readonly complete: boolean
  readonly syncedAt: number
}

/** A cache of recent shipments in catalogue.db: may vanish at any time and is then filled anew. */
export interface ShipmentIndexStore {
  /** Newest first: one order reference may have several shipments. `code` in the form of normaliseCode. */
  find(code: string): StoredShipment[]
  get(shipmentId: string): StoredShipment | null
  count(): number
  state(): IndexState | null
  /** One page and the stretch it leads to, at once. */
  put(shipments: readonly Shipment[], asOf: number, state: IndexState | null): void
}

/** Label PDFs, named by their SHA-256. */
export interface Vault {
  /** Durable when it resolves. */
  put(document: Uint8Array): Promise<string>
  /** Null if it is not there or is no longer what its name says. */
  read(hash: string): Promise<Uint8Array | null>
}
