import { z } from 'zod'

/**
 * `after-commit`: events are written a moment after their change was committed. The suite must detect that some events
 * are lost.
 */
export const webhookControls = ['after-commit'] as const
export type WebhookControl = (typeof webhookControls)[number]

/** The argument of the middleware process (middleware-child.ts). */
export const given = z.object({
  folder: z.string(),
  /** The certificate authority of the receivers (PEM). */
  webhookCa: z.string(),
  control: z.enum(webhookControls).nullable(),
})
export type Given = z.infer<typeof given>

/** The name of the database in the folder. */
export const databaseName = 'middleware.db'
