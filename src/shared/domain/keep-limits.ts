/** How long each part of what this PC keeps may stay, in days. */
export interface KeepLimits {
  /** What is finished, in desk.db and in the indexes of recent records. */
  readonly desk: number
  /** Backups and the journal before them. */
  readonly backups: number
}

/**
 * What a backup holds cannot be taken out of it again. So desk.db lets go earlier than the limit by as long as backups
 * are kept, and by two days more, since both are looked at once a day: then nothing is anywhere when its time is up.
 */
export function limitsOf(keepDays: number): KeepLimits {
  const backups = Math.min(7, Math.max(1, Math.floor(keepDays / 4) - 2))
  return { desk: keepDays - backups - 2, backups }
}
