import { randomUUID } from 'node:crypto'
import { formatReference } from '#shared/domain/references.ts'
import type { MetaData } from '#shared/wire/loose.ts'
import { type Connection, isUniqueViolation } from '../../data/engine/database.ts'
import { nextSerial } from '../../data/engine/meta.ts'
import { insertOrder, moveInvalidAddresses, replaceLines, takenReferences } from '../../data/orders/orders.ts'
import type { OrderLineTable, OrderTable } from '../../data/schema/orders.ts'
import { findShippingMethod } from '../../data/shipments/shipments.ts'
import { type Customer, type ServiceContext, transact } from '../context.ts'
import { matchVariants, mergeLines } from '../goods/named-lines.ts'
import { type FieldMessages, invalidField, Refusal } from '../refusal.ts'
import type { Unit } from '../unit.ts'
import { type NewOrderDocument, storeOrderDocument } from './order-documents.ts'
import { orderChanged } from './orders.ts'

/** The fields of an order that a client sends, without lines and documents. */
export type OrderFields = Omit<
  OrderTable,
  | 'id'
  | 'customer_id'
  | 'reference'
  | 'status'
  | 'partial_delivery'
  | 'business_to_business'
  | 'applied_business_rules'
  | 'created_at'
  | 'modified_at'
>

export interface NewOrder {
  /**
   * The customer that the client named, if any. It must be the customer of the call, otherwise the order is refused.
   */
  readonly customerId: string | null
  readonly fields: OrderFields
  readonly lines: readonly NewOrderLine[]
  readonly documents: readonly NewOrderDocument[]
}

/**
 * Creates the whole order or nothing, in status `created`, and returns its id. If its address is reported invalid, the
 * order becomes `invalid_address` right after the response. Refused with 400 under the field: an external reference or
 * id that the customer has used, an article code that matches no variant or several, a shipping method that does not
 * exist, identical lines that both have meta_data, a customer other than the call's. Refused with 409: documents for
 * which the customer has no space left.
 */
export async function createOrder(
  context: ServiceContext,
  customer: Customer,
  input: NewOrder,
): Promise<string> {
  refuseOtherCustomer(customer, input.customerId)
  const { mostDocumentBytes } = context
  const id = randomUUID()
  try {
    await transact(context, async (unit) => {
      await add(unit, customer, { ...input, id, mostDocumentBytes })
    })
  } catch (error) {
    throw isUniqueViolation(error) ? referencesTaken(['external_reference']) : error
  }
  if (input.fields.address_invalid === 1) judgeAddressesAfterwards(context, { id })
  return id
}

/** Moves a new order, or all new orders, to `invalid_address` if the client reported the address as invalid. */
export function judgeAddressesAfterwards(
  context: ServiceContext,
  which: { readonly id: string } | 'all',
): void {
  context.afterwards.start('invalid addresses', async () => {
    await transact(context, async (unit) => {
      const moved = await moveInvalidAddresses(unit.connection, which, unit.now)
      for (const { id, customer_id: customerId } of moved)
        unit.changed('order', 'updated', { customerId, id })
    })
  })
}

async function add(
  unit: Unit,
  customer: Customer,
  input: NewOrder & { id: string; mostDocumentBytes: number },
): Promise<void> {
  const { id, fields } = input
  const { connection, now } = unit
  await refuseTakenReferences(connection, customer, { ...fields, exceptId: null })
  await refuseUnknownMethod(connection, fields.shipping_method_id)
  const lines = await orderLineRows(connection, customer, { orderId: id, lines: input.lines })
  const serial = await nextSerial(connection, 'order')
  await insertOrder(connection, {
    ...fields,
    id,
    customer_id: customer.id,
    reference: formatReference('order', serial),
    status: 'created',
    partial_delivery: 0,
    business_to_business: 0,
    applied_business_rules: null,
    created_at: now,
    modified_at: now,
  })
  await replaceLines(connection, id, lines)
  for (const document of input.documents)
    await storeOrderDocument(input, connection, { customer, orderId: id, now, document })
  const order = { customerId: customer.id, id }
  await orderChanged(unit, order, 'created')
  unit.forWarehouse('order', order)
}

export function refuseOtherCustomer(customer: Customer, customerId: string | null): void {
  if (customerId !== null && customerId !== customer.id)
    throw invalidField('customer', 'This is not the customer of X-Customer-Code.')
}

export async function refuseUnknownMethod(connection: Connection, id: string | null): Promise<void> {
  if (id !== null && (await findShippingMethod(connection, id)) === null)
    throw invalidField('shipping_method', 'Shipping method not found.')
}

/** Refuses an external reference or id that another order of the customer has, including cancelled orders. */
export async function refuseTakenReferences(
  connection: Connection,
  customer: Customer,
  wanted: { external_reference: string | null; external_id: string | null; exceptId: string | null },
): Promise<void> {
  const taken = await takenReferences(connection, customer.id, {
    externalReference: wanted.external_reference,
    externalId: wanted.external_id,
    exceptId: wanted.exceptId,
  })
  const fields = [
    ...(taken.externalReference ? ['external_reference' as const] : []),
    ...(taken.externalId ? ['external_id' as const] : []),
  ]
  if (fields.length > 0) throw referencesTaken(fields)
}

const takenMessages = {
  external_reference: 'Reference is not unique',
  external_id: 'External id is not unique',
} as const

/**
 * Returns a refusal with 400. It contains each message twice, for the whole call and for the field, because existing
 * clients expect both.
 */
export function referencesTaken(taken: readonly (keyof typeof takenMessages)[]): Refusal {
  const messages = taken.map((field) => takenMessages[field])
  const fields: FieldMessages = {
    '': messages,
    ...Object.fromEntries(taken.map((field) => [field, [takenMessages[field]]])),
  }
  return new Refusal('invalid', messages.join(' '), { fields })
}

/**
 * A line as the client sent it. `packingSlip`: the quantity on the packing slip; null: the same as the ordered
 * quantity.
 */
export interface NewOrderLine {
  readonly articleCode: string
  readonly quantity: number
  readonly description: string
  readonly price: number | null
  readonly packingSlip: number | null
  readonly metaData: MetaData
}

/**
 * Returns the rows of the sent lines. Lines with the same variant, description and price become one, with the sum of
 * their pieces and the sum of their quantities on the packing slip. Refused with 400, with an error for the line: a
 * code that matches no variant or several, and identical lines that both have meta_data (API.md 1.14).
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
