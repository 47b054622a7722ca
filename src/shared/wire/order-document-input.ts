import { z } from 'zod'
import { looseFlag, neededText, wholeFrom } from './loose.ts'
import { id } from './primitives.ts'

const base64 = z.string().refine(isBase64, 'This value should be a file in base64.')

/**
 * Base64 of at least one byte; it may be split into lines. The text is checked in separate linear passes, because a
 * single pattern would take quadratic time in the number of line ends.
 */
function isBase64(text: string): boolean {
  const digits = text
    .replaceAll(/[\r\n]/g, '')
    .trim()
    .replace(/={1,2}$/, '')
  return digits.length > 1 && digits.length % 4 !== 1 && !/[^A-Za-z0-9+/]/.test(digits)
}

/**
 * A document that is sent with an order or added to it (API.md 6.4). Clients spell two of its fields in two ways:
 * `is_shipping_label` or `shipping_label`, and `order_price` or `orderPrice`. The price is in cents; `quantity` is the
 * number of prints.
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
