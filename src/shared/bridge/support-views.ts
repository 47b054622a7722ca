import { z } from 'zod'
import { time } from './view-parts.ts'

/** What a support bundle holds: one kind of file each. Its sentence is the message `support_file_<kind>`. */
const bundleKinds = ['versions', 'settings', 'counts', 'errors', 'log'] as const
export type BundleKind = (typeof bundleKinds)[number]

/** The levels of the log as it is shown. */
export const shownLevels = ['debug', 'info', 'warn', 'error'] as const

export const supportView = z.object({
  /** What the next bundle will hold, as it is now. */
  files: z.array(z.object({ kind: z.enum(bundleKinds), name: z.string(), bytes: z.number().int() })),
  /** The last lines of the log, newest first, 100 at most. `at`: null where a line cannot be read. */
  lines: z.array(z.object({ at: time.nullable(), level: z.enum(shownLevels), text: z.string() })),
  /** Why the log cannot be written or read now, as the system names it; null: it can. */
  logFault: z.string().nullable(),
  /** The newest bundle of this computer; null: there is none. */
  saved: z.object({ name: z.string(), at: time, bytes: z.number().int() }).nullable(),
  /** Where bundles lie. */
  folder: z.string(),
})
export type SupportView = z.infer<typeof supportView>

/** What a file manager of the system can show. */
export const supportPlaces = ['logs', 'bundle'] as const
