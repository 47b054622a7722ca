import type { MetaData } from '#shared/wire/loose.ts'
import type { Connection } from '../../data/engine/database.ts'
import type { OrderLineTable } from '../../data/schema/orders.ts'
import type { Customer } from '../context.ts'
import { matchVariants } from '../goods/match-variants.ts'
import { mergeLines } from './merge-lines.ts'

/** A line as it was sent; `packingSlip` null: as many as were ordered. */
export interface NewOrderLine {
  readonly articleCode: string
  readonly quantity: number
  readonly description: string
  readonly price: number | null
  readonly packingSlip: number | null
  readonly metaData: MetaData
}

/**
 * Rows of the lines sent. Lines of the same variant, description and price become one, with the sum of their pieces
 * and packing slips. Refused with 400 under the line: a code that fits no variant or several, and identical lines
 * that both carry meta_data (api.md, Order line).
 */
export async function orderLineRows(
  connection: Connection,
  customer: Customer,
  call: { orderId: string; lines: readonly NewOrderLine[] },
): Promise<OrderLineTable[]> {
  const codes = call.lines.map((line) => line.articleCode)
  const placeOf = (index: number): string => `order_lines.${index}.article_code`
  const variants = await matchVariants(connection, customer.id, codes, placeOf)
  const named = variants.map((variant, index) => ({ variantId: variant.id, ...lineAt(call.lines, index) }))
  const merged = mergeLines(named, {
    field: 'order_lines',
    identity: (line) => JSON.stringify([line.variantId, line.description, line.price]),
    add: (one, other) => ({
      ...one,
      quantity: one.quantity + other.quantity,
      packingSlip: one.packingSlip + other.packingSlip,
    }),
  })
  return merged.map((line, position) => ({
    order_id: call.orderId,
    position,
    variant_id: line.variantId,
    quantity: line.quantity,
    description: line.description,
    price: line.price,
    processed: 0,
    packing_slip: line.packingSlip,
    serial_numbers: '[]',
    meta_data: JSON.stringify(line.metaData),
  }))
}

function lineAt(
  lines: readonly NewOrderLine[],
  index: number,
): NewOrderLine & { readonly packingSlip: number } {
  const line = lines[index]
  if (line === undefined) throw new RangeError(`No line ${index}`)
  return { ...line, packingSlip: line.packingSlip ?? line.quantity }
}
