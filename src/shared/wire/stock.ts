import { z } from 'zod'
import { dateTime, id, nullableText } from './primitives.ts'
import { variant } from './variant.ts'

/**
 * The stock of one variant, in pieces; `id` is the id of the variant. Responses contain `variant` only if the request
 * names its Expand group.
 */
export const stock = z.object({
  id,
  article_code: z.string(),
  ean: nullableText,
  sku: nullableText,
  /** All pieces in the warehouse. */
  stock_physical: z.number().int(),
  /** The pieces that may be sold. */
  stock_salable: z.number().int(),
  /** The part of the salable stock that is not reserved for an order. */
  stock_available: z.number().int(),
  stock_quarantine: z.number().int(),
  /** Pieces at locations from which orders are picked. */
  stock_pickable: z.number().int(),
  modified_at: dateTime,
  variant: variant.optional(),
})
export type Stock = z.output<typeof stock>
