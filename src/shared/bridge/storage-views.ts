import { z } from 'zod'
import { time } from './view-parts.ts'

/** What this PC keeps, for how long, and from when it could be restored. */
export const storageView = z.object({
  /** Newest first. */
  backups: z.array(z.object({ name: z.string(), at: time, bytes: z.number().int() })),
  /** Personal data older than this is purged: labels, index, scans, journal, backups. */
  keepDays: z.number().int(),
  journalBytes: z.number().int(),
  documents: z.number().int(),
  documentBytes: z.number().int(),
  /** The last time desk.db had to be restored; null: never, or somebody has read it. */
  recovery: z
    .object({
      at: time,
      /** The backup it began from; null: from the journal alone. */
      backupAt: time.nullable(),
      replayed: z.number().int(),
      /** Where the damaged file lies; empty: desk.db had vanished. */
      putAside: z.string(),
      /** What was written down after this moment may be missing; null: nothing is. */
      wholeSince: time.nullable(),
    })
    .nullable(),
})
export type StorageView = z.infer<typeof storageView>
