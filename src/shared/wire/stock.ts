import { z } from 'zod'
import { dateTime, id, nullableText } from './primitives.ts'
import { variant } from './variant.ts'

/** What there is of one variant, in pieces; `id` is the variant's. `variant` comes with its Expand group. */
export const stock = z.object({
  id,
  article_code: z.string(),
  ean: nullableText,
  sku: nullableText,
  /** All that lies in the warehouse. */
  stock_physical: z.number().int(),
  /** Of that, what may be sold. */
  stock_salable: z.number().int(),
  /** Of that, what no order has spoken for. */
  stock_available: z.number().int(),
  stock_quarantine: z.number().int(),
  /** At places that orders are picked from. */
  stock_pickable: z.number().int(),
  modified_at: dateTime,
  variant: variant.optional(),
})
export type Stock = z.output<typeof stock>
