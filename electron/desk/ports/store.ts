import type { ScanChoiceKind, ScanExpectation } from '#shared/bridge/scan-views.ts'
import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { SubjectKind } from '#shared/writes/write-kinds.ts'
import type { CatalogueStore } from './catalogue-store.ts'
import type { OutboxStore, QueueStore } from './commands.ts'
import type { LabelLedger } from './label-ledger.ts'
import type { LocationStore } from './location-store.ts'
import type { DraftStore, ModificationLedger } from './modification-store.ts'
import type { PrintJobStore } from './print-jobs.ts'
import type { LabelIndexStore, LotsStore, ShipmentIndexStore, StockStore } from './recent-store.ts'

/**
 * The storage of a desk at one scope. Each method is one transaction, which is durable when the method returns. Times
 * are milliseconds since 1970. If a method throws CataloguedError `store.full`, `store.unavailable` or `store.damaged`,
 * it has changed nothing. After `close`, methods that use the database throw CataloguedError `session.signed_out`.
 */
export interface StorePort extends Ledgers {
  readonly values: ScopeValues
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
  /**
   * Counts the unsettled writes and the open prints of a scope, which may be the scope of another station (see
   * scopeKey).
   */
  waitingAt(scope: ScopeKey): number
  /** Removes the articles and lots of another scope. */
  removeCatalogue(scope: ScopeKey): void
  /** Removes the copies of the shipments and labels of another scope. */
  removeRecent(scope: ScopeKey): Promise<void>
  /** Returns the stored values of any scope, also of a scope that belongs to another station. */
  valuesOf(scope: ScopeKey): ScopeValues
  /** Returns the scopes that have a value with this key. */
  scopesWith(key: string): ScopeKey[]
  close(): void
}

/** For each kind of write: the name of the ledger that stores its subjects, and the port of that ledger. */
type LedgerOfKind = EachKind<{
  readonly return_label: { readonly name: 'labels'; readonly port: LabelLedger }
  readonly modification: { readonly name: 'modifications'; readonly port: ModificationLedger }
}>

/**
 * Returns the type `T` unchanged. If `T` lacks a kind of write, the compiler reports an error with the name of this
 * kind.
 */
type EachKind<T extends Readonly<Record<SubjectKind, { readonly name: string; readonly port: object }>>> = T

/** The ledgers by their names. */
export type Ledgers = {
  readonly [K in SubjectKind as LedgerOfKind[K]['name']]: LedgerOfKind[K]['port']
}

export interface ScopeValues {
  read(key: string): string | null
  /**
   * `at`: the time that determines when the purge removes the value. Without `at` the value is kept until `remove` is
   * called.
   */
  write(key: string, value: string, at?: Instant): void
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
  readonly at: Instant
  readonly kind: ScanKind
  readonly title: string | null
}

/** The journal of scans. Every scan is stored before it is resolved. */
export interface ScansStore {
  append(scan: Pick<ScanRow, 'id' | 'raw' | 'at'>): void
  resolve(id: string, found: { kind: ScanKind; title: string | null; subjectId: string | null }): void
  get(id: string): ScanRow | null
  /** Returns the latest `limit` scans, newest first. */
  recent(limit: number): ScanRow[]
}

/** Label PDFs, named by their SHA-256. */
export interface Vault {
  /**
   * Stores a document; durable when it resolves. If the disk is full, documents that can be downloaded again are
   * removed first. If that would not be enough, rejects with CataloguedError `document.low_disk`.
   */
  put(document: Uint8Array): Promise<string>
  /** Returns a document; null if it is missing or its content does not match its hash. */
  read(hash: string): Promise<Uint8Array | null>
}

/**
 * A restoration of desk.db at the last start, if no operator has read the notice about it yet. Times are milliseconds
 * since 1970.
 */
export interface Recovery {
  readonly at: Instant
  /** Creation time of the backup from which desk.db was restored; null: desk.db was restored from the journal alone. */
  readonly backupAt: Instant | null
  /** Number of transactions restored from the journal. */
  readonly replayed: number
  /** Path of the damaged file; empty: desk.db was missing. */
  readonly putAside: string
  /** Records written after this moment may be missing; null: no record is missing. */
  readonly wholeSince: Instant | null
}

interface BackupFile {
  readonly name: string
  readonly at: Instant
  readonly bytes: number
}

export interface StorageFacts {
  /** The backups of desk.db, newest first. */
  readonly backups: readonly BackupFile[]
  readonly journalBytes: number
  readonly documents: number
  readonly documentBytes: number
  readonly recovery: Recovery | null
}

/**
 * Backups of desk.db and the removal of records, for the whole data folder and not for one scope. Rejects with
 * CataloguedError `store.full` or `store.unavailable`, with `backup.low_disk` if the disk has no space for a copy, and
 * with `store.damaged` if desk.db is damaged: the next start restores it.
 */
export interface StorageStore {
  facts(): Promise<StorageFacts>
  /** Copies desk.db, and removes an older copy only after the new one was verified. */
  backUp(at: Instant): Promise<void>
  /** Copies desk.db like `backUp` if anything was written since the newest copy. */
  backUpIfChanged(at: Instant): Promise<void>
  /**
   * Removes finished records that are older than `keepDays` days from all files. Resolves to `purge.files_kept` if
   * files of printed labels could not be deleted: these labels stay until a later purge can delete their files.
   */
  purge(at: Instant, keepDays: number): Promise<Failure | null>
  /**
   * Rewrites desk.db if a purge removed rows and desk.db was too large to be rewritten by this purge. Call it when the
   * desk closes, because SQLite refuses writes meanwhile: about 1.5 s for 100 MB.
   */
  rewriteIfDue(): Promise<void>
  /**
   * Removes all records and values of a scope from desk.db, and its PDFs and print files. Removes the values last.
   * Resolves to `purge.files_kept` if files of printed labels could not be deleted: these labels stay, without a scope,
   * until a purge can delete their files. The value with the key `keptValue` stays. No desk of this scope may have
   * started.
   */
  removeScope(scope: ScopeKey, keptValue?: string): Promise<Failure | null>
  recoveryRead(): Promise<void>
  /**
   * The listener is called when a read, a copy or a rewrite finds desk.db damaged, also if that was before this call.
   * If a read has found the damage, all later writes are refused.
   */
  onDamage(listener: () => void): void
  readonly age: AgeStore
}

/** The state of the clock that determines the age of records (desk/timing/age-clock.ts). */
export interface AgeState {
  /** The latest moment that the age clock has returned; null: it has not run yet. */
  readonly reached: number | null
  /**
   * Set while this PC's clock is doubted. `at`: the time that the clock showed when it was last read. `passedMs`: by
   * how many milliseconds the clock has advanced since it was first doubted.
   */
  readonly doubt: { readonly at: Instant; readonly passedMs: Milliseconds } | null
}

export interface AgeStore {
  read(): AgeState
  write(state: AgeState): void
}

/** An operator's choice of what a code means, if several records of this desk match it. */
export interface ScanChoice {
  /** Whether the choice applies to this code alone, or to every code of its shape (codeShape). */
  readonly reach: 'code' | 'shape'
  /**
   * If `reach` is `code`: the code in the form of normaliseCode. If `reach` is `shape`: the shape of the codes
   * (codeShape).
   */
  readonly code: string
  /** Where the code was scanned, because a code may have another meaning during a modification. */
  readonly expect: ScanExpectation
  readonly kind: ScanChoiceKind
  /**
   * The chosen record, and all records of its kind that matched at the time of the choice. The whole value is null if
   * only one record of that kind matched.
   */
  readonly chosen: { readonly subjectId: string; readonly among: readonly string[] } | null
  readonly chosenAt: Instant
}

export type ScanChoiceKey = Pick<ScanChoice, 'reach' | 'code' | 'expect'>

/** The operators' choices for ambiguous scans of this station. */
export interface ScanChoicesStore {
  get(key: ScanChoiceKey): ScanChoice | null
  /** Replaces an earlier choice with the same key. For each scope, the 5,000 most recently used choices are kept. */
  put(choice: ScanChoice): void
  /**
   * Stores that an operator's choice of what a code means was applied to a scan. The choice is purged when its last use
   * is too old. The time of the last use is stored at most once a day.
   */
  used(key: ScanChoiceKey, at: Instant): void
  forget(key: ScanChoiceKey): void
}
