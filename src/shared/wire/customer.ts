import { z } from 'zod'
import { dateTime, id } from './primitives.ts'

/**
 * A customer of the WMS (API.md 2). The contract shows no fields; these are the fields that the service's clients read.
 */
export const customer = z.object({
  id,
  code: z.string(),
  name: z.string(),
  created_at: dateTime,
  modified_at: dateTime,
})
export type Customer = z.infer<typeof customer>
