import { z } from 'zod'
import { looseFlag, neededText, wholeFrom } from './loose.ts'
import { id } from './primitives.ts'

const base64 = z.string().regex(/^[A-Za-z0-9+/\r\n]+={0,2}\s*$/, 'This value should be a file in base64.')

/**
 * A document sent with an order or added to it; both spellings of two fields occur (api.md, Order Document).
 * `order_price` in cents, `quantity` is how often it is printed.
 */
export const orderDocumentInput = z.object({
  file: base64,
  title: neededText(255),
  quantity: wholeFrom(1).nullish(),
  is_shipping_label: looseFlag.nullish(),
  shipping_label: looseFlag.nullish(),
  order_price: wholeFrom(0).nullish(),
  orderPrice: wholeFrom(0).nullish(),
  label_type: id.nullish(),
})
