import { z } from 'zod'
import { time } from './view-parts.ts'

/** The data stored on this PC, the retention period of these data, and the last restore of desk.db. */
export const storageView = z.object({
  /** The backups, the newest first. */
  backups: z.array(z.object({ name: z.string(), at: time, bytes: z.number().int() })),
  /** Personal data older than this number of days is deleted: labels, index, scans, journal, backups. */
  keepDays: z.number().int(),
  journalBytes: z.number().int(),
  documents: z.number().int(),
  documentBytes: z.number().int(),
  /** The last time that desk.db had to be restored; null: never, or the operator has read the notice. */
  recovery: z
    .object({
      at: time,
      /** Time of the backup that was used; null: only the journal was used. */
      backupAt: time.nullable(),
      replayed: z.number().int(),
      /** Name of the damaged file, which was kept beside desk.db; empty: desk.db was missing. */
      putAside: z.string(),
      /** Data saved after this moment may be missing; null: no data is missing. */
      wholeSince: time.nullable(),
    })
    .nullable(),
})
export type StorageView = z.infer<typeof storageView>
