import { z } from 'zod'
import { time } from './view-parts.ts'

/** The kinds of files in a support bundle. The message `support_file_<kind>` describes each kind. */
const bundleKinds = ['versions', 'settings', 'counts', 'errors', 'log'] as const
export type BundleKind = (typeof bundleKinds)[number]

/** The levels of log lines on the screen. */
export const shownLevels = ['debug', 'info', 'warn', 'error'] as const

export const supportView = z.object({
  /** The files that a bundle would contain now. */
  files: z.array(z.object({ kind: z.enum(bundleKinds), name: z.string(), bytes: z.number().int() })),
  /** The last lines of the log, newest first, at most 100. `at` is null if a line cannot be read. */
  lines: z.array(z.object({ at: time.nullable(), level: z.enum(shownLevels), text: z.string() })),
  /** The system's error code if the log cannot be written or read now, otherwise null. */
  logFault: z.string().nullable(),
  /** The newest support bundle on this computer; null if there is none. */
  saved: z.object({ name: z.string(), at: time, bytes: z.number().int() }).nullable(),
  /** The folder of the bundles. */
  folder: z.string(),
})
export type SupportView = z.infer<typeof supportView>

/** The folders and files that a file manager of the system can show. */
export const supportPlaces = ['logs', 'bundle'] as const
