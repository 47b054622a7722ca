import type { ScanChoiceKind, ScanExpectation } from '#shared/bridge/scan-views.ts'
import type { CatalogueStore } from './catalogue-store.ts'
import type { OutboxStore, QueueStore } from './commands.ts'
import type { LabelLedger } from './label-ledger.ts'
import type { LocationStore } from './location-store.ts'
import type { DraftStore, ModificationLedger } from './modification-store.ts'
import type { PrintJobStore } from './print-jobs.ts'
import type { LabelIndexStore, LotsStore, ShipmentIndexStore, StockStore } from './recent-store.ts'

/**
 * What the desk keeps at one scope. Each method is one transaction, durable when it returns; times are milliseconds
 * since 1970. Throws CataloguedError `store.full` or `store.unavailable`, and then nothing was changed.
 */
export interface StorePort extends Ledgers {
  readonly settings: SettingsStore
  readonly scans: ScansStore
  readonly choices: ScanChoicesStore
  readonly outbox: OutboxStore
  readonly queue: QueueStore
  readonly draft: DraftStore
  readonly locations: LocationStore
  readonly printJobs: PrintJobStore
  readonly index: ShipmentIndexStore
  readonly labelIndex: LabelIndexStore
  readonly lots: LotsStore
  readonly stock: StockStore
  readonly catalogue: CatalogueStore
  readonly vault: Vault
  readonly storage: StorageStore
  /** Writes that are not settled and prints that are not out, of any scope (see scopeKey). */
  waitingAt(scope: string): number
  close(): void
}

/** What was written here or is to be written, by what it is about; each kind of write has its subjects in one of them. */
export interface Ledgers {
  readonly labels: LabelLedger
  readonly modifications: ModificationLedger
}

export interface SettingsStore {
  read(key: string): string | null
  write(key: string, value: string): void
  remove(key: string): void
}

type ScanKind =
  | 'command'
  | 'shipment'
  | 'return_label'
  | 'article'
  | 'location'
  | 'modification'
  | 'ambiguous'
  | 'badge'
  | 'unknown'
  | 'failed'
  | 'pending'

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
  get(id: string): ScanRow | null
  /** Newest first. */
  recent(limit: number): ScanRow[]
}

/** Label PDFs, named by their SHA-256. */
export interface Vault {
  /**
   * Durable when it resolves. Rejects with CataloguedError `document.low_disk` where there is no room: what can be had again
   * was removed for it.
   */
  put(document: Uint8Array): Promise<string>
  /** Null if it is not there or is no longer what its name says. */
  read(hash: string): Promise<Uint8Array | null>
}

/** desk.db had to be restored at the last opening that is not read yet. Times: milliseconds since 1970. */
export interface Recovery {
  readonly at: number
  /** When the backup was made that it began from; null: from the journal alone. */
  readonly backupAt: number | null
  /** Transactions brought back from the journal. */
  readonly replayed: number
  /** Where the damaged file lies; empty: there was none, desk.db had vanished. */
  readonly putAside: string
  /** What was written down after this moment may be missing; null: nothing is. */
  readonly wholeSince: number | null
}

interface BackupFile {
  readonly name: string
  readonly at: number
  readonly bytes: number
}

export interface StorageFacts {
  /** Newest first. */
  readonly backups: readonly BackupFile[]
  readonly journalBytes: number
  readonly documents: number
  readonly documentBytes: number
  readonly recovery: Recovery | null
}

/**
 * What keeps desk.db from being lost, and what has to go after a while; of the whole data folder, not of one scope.
 * Rejects with CataloguedError `store.full` or `store.unavailable`.
 */
export interface StorageStore {
  facts(): Promise<StorageFacts>
  /** Copies desk.db, and drops an older copy only when this one is seen to be whole. */
  backUp(at: number): Promise<void>
  /** The same, unless nothing was written since the newest copy. */
  backUpIfChanged(at: number): Promise<void>
  /** Removes what is finished and older than so many days, from every file. */
  purge(at: number, keepDays: number): Promise<void>
  recoveryRead(): Promise<void>
  readonly age: AgeStore
}

/** How far the age of records has come (desk/timing/age-clock.ts). */
export interface AgeState {
  /** The latest moment that it was counted to; null: never yet. */
  readonly reached: number | null
  /** This PC's clock seems to be ahead: where it stood at the last look, and how long it has gone on like that. */
  readonly doubt: { readonly at: number; readonly passedMs: number } | null
}

export interface AgeStore {
  read(): AgeState
  write(state: AgeState): void
}

/** What an operator said that a code means, of the kinds of thing that answer to it. */
export interface ScanChoice {
  /** For this code alone, or for every code of its shape (codeShape). */
  readonly reach: 'code' | 'shape'
  /** The code in the form of normaliseCode, or the shape. */
  readonly code: string
  /** Where it was scanned: beside a modification a code may mean something else. */
  readonly expect: ScanExpectation
  readonly kind: ScanChoiceKind
  /** The one chosen of several of that kind, and all of them as they were then; null: there was only one. */
  readonly chosen: { readonly subjectId: string; readonly among: readonly string[] } | null
  readonly chosenAt: number
}

export type ScanChoiceKey = Pick<ScanChoice, 'reach' | 'code' | 'expect'>

/** The answers to ambiguous scans of this station. */
export interface ScanChoicesStore {
  get(key: ScanChoiceKey): ScanChoice | null
  /** In place of an earlier answer to the same. */
  put(choice: ScanChoice): void
  forget(key: ScanChoiceKey): void
}
