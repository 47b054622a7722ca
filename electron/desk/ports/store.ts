import type { CatalogueStore } from './catalogue-store.ts'
import type { OutboxStore } from './commands.ts'
import type { LabelLedger } from './label-ledger.ts'
import type { LocationStore } from './location-store.ts'
import type { DraftStore, ModificationLedger } from './modification-store.ts'
import type { PrintJobStore } from './print-jobs.ts'
import type { QueueStore } from './queue-store.ts'
import type { ScanChoicesStore } from './scan-choices.ts'
import type { LabelIndexStore, LotsStore, ShipmentIndexStore, StockStore } from './recent-store.ts'
import type { StorageStore } from './storage.ts'

/**
 * What the desk keeps at one scope. Each method is one transaction, durable when it returns; times are milliseconds
 * since 1970. Throws CataloguedError `store.full` or `store.unavailable`, and then nothing was changed.
 */
export interface StorePort {
  readonly settings: SettingsStore
  readonly scans: ScansStore
  readonly choices: ScanChoicesStore
  readonly outbox: OutboxStore
  readonly queue: QueueStore
  readonly labels: LabelLedger
  readonly draft: DraftStore
  readonly modifications: ModificationLedger
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

export interface SettingsStore {
  read(key: string): string | null
  write(key: string, value: string): void
  remove(key: string): void
}

export type ScanKind =
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
  /** Durable when it resolves. */
  put(document: Uint8Array): Promise<string>
  /** Null if it is not there or is no longer what its name says. */
  read(hash: string): Promise<Uint8Array | null>
}
