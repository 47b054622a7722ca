import { z } from 'zod'

/** `after-commit`: events are written a moment after the change they tell of; the suite must see that some are lost. */
export const webhookControls = ['after-commit'] as const
export type WebhookControl = (typeof webhookControls)[number]

/** What a child is told. */
export const given = z.object({
  folder: z.string(),
  /** Certificate authority of the receivers (PEM). */
  webhookCa: z.string(),
  control: z.enum(webhookControls).nullable(),
})
export type Given = z.infer<typeof given>

/** Its database, in the folder. */
export const databaseName = 'middleware.db'
