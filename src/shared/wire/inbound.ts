import { z } from 'zod'
import { dateTime, id, nullableText } from './primitives.ts'
import { variantOrId } from './variant.ts'

const inboundLine = z.object({
  variant: variantOrId.nullable(),
  quantity: z.number().int(),
  processed: z.number().int().nullable(),
  packing_slip: z.number().int().nullable(),
})

/** Inbound, as far as a batch shows it (api.md, Inbound). */
export const inbound = z.object({
  id,
  reference: z.string(),
  external_reference: nullableText.default(null),
  is_return: z.boolean().default(false),
  status: z.string().nullable().default(null),
  created_at: dateTime,
  /** A day on input, a datetime in answers. */
  inbound_date: nullableText.default(null),
  note: nullableText.default(null),
  inbound_lines: z.array(inboundLine).optional(),
})
export type Inbound = z.output<typeof inbound>
