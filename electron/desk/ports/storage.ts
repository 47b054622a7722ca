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

export interface BackupFile {
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
}
