import { z } from 'zod'
import { id, nullableText } from './primitives.ts'

/** Location type, read only (API.md 4.3). */
export const locationType = z.object({
  id,
  code: z.string(),
  name: z.string(),
  /** Whether locations of this type are used for transport. */
  transport: z.boolean(),
  pickable: z.boolean(),
  administration_code: nullableText.optional(),
})
export type LocationType = z.infer<typeof locationType>
