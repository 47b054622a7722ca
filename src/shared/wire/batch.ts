import { z } from 'zod'
import { inbound } from './inbound.ts'
import { id } from './primitives.ts'
import { variantOrId } from './variant.ts'

/** A stock lot and its inbound (API.md 4.1). `expiration_date` is a day, or null. */
export const batch = z.object({
  id,
  expiration_date: z.iso.date().nullable(),
  quantity: z.number().int(),
  variant: variantOrId,
  inbound: inbound.nullable().default(null),
})
export type Batch = z.output<typeof batch>
