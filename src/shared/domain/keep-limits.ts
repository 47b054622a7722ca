/** How long each part of the data on this PC is kept, in days. */
export interface KeepLimits {
  /** Finished records, in desk.db and in the indexes of recent records. */
  readonly desk: number
  /** Backups, and the journal from before them. */
  readonly backups: number
}

/**
 * Splits the retention period. Nothing can be removed from a backup, so desk.db deletes earlier than the limit: by the
 * lifetime of backups, and by two more days because both are checked once a day. All copies are gone when the period
 * ends.
 */
export function limitsOf(keepDays: number): KeepLimits {
  const backups = Math.min(7, Math.max(1, Math.floor(keepDays / 4) - 2))
  return { desk: keepDays - backups - 2, backups }
}
