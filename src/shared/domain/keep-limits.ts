/** For how many days this PC keeps finished records, and for how many days it keeps backups. */
export interface KeepLimits {
  /** Number of days for which finished records are kept, in desk.db and in the indexes of recent records. */
  readonly desk: number
  /**
   * Number of days for which backups are kept. The journal that was written before these backups is kept for the same
   * time.
   */
  readonly backups: number
}

/**
 * Splits the retention period between desk.db and backups. Nothing can be removed from a backup, so desk.db deletes a
 * record before the period ends: earlier by the lifetime of backups and two days. The two days are needed because the
 * ages of records and of backups are checked only once a day. All copies are gone when the period ends.
 */
export function limitsOf(keepDays: number): KeepLimits {
  const backups = Math.min(7, Math.max(1, Math.floor(keepDays / 4) - 2))
  return { desk: keepDays - backups - 2, backups }
}
