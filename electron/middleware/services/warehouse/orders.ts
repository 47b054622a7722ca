import { randomUUID } from 'node:crypto'
import { canMoveOrder, type OrderStatus } from '#shared/domain/resource-states.ts'
import { isWebUrl } from '#shared/domain/public-address.ts'
import { formatReference } from '#shared/domain/references.ts'
import { deleteDocument, unlinkDocument } from '../../data/documents/documents.ts'
import { nextSerial } from '../../data/engine/meta.ts'
import type { Connection } from '../../data/engine/database.ts'
import {
  readSerialNumbers,
  readShippingAddress,
  type StoredAddress,
  type StoredTracking,
} from '../../data/engine/stored-json.ts'
import { pickableLots } from '../../data/goods/batches.ts'
import { findVariants } from '../../data/goods/variants.ts'
import {
  changeOrderIn,
  findAnyOrder,
  linesOfOrder,
  type OrderChanges,
  processLine,
} from '../../data/orders/orders.ts'
import type { OrderLineTable, OrderTable, ShipmentLineTable } from '../../data/schema/orders.ts'
import {
  findShipmentDocument,
  findAnyShipment,
  insertShipment,
  insertShippedSerials,
  relabelShipment,
  shippedAmong,
  findShippingMethod,
} from '../../data/shipments/shipments.ts'
import { orderChanged, orderNotFound } from '../orders/orders.ts'
import { invalidField, Refusal } from '../refusal.ts'
import type { Unit } from '../unit.ts'
import { LotMoves, named, requireFewSerials, requirePieces, requireSerialNumbers } from './lots.ts'
import type { NewShipment, WarehousePort } from './port.ts'

/** Statuses for which webhooks have a separate event. */
const statusesWithEvent = ['planned', 'processing', 'shipped'] as const

export async function moveOrder(
  unit: Unit,
  orderId: string,
  to: Parameters<WarehousePort['moveOrder']>[1],
): Promise<void> {
  const order = await existingOrder(unit.connection, orderId)
  // The type of `to` excludes the statuses that only a shipment sets, and the HTTP route refuses them too. The check is
  // for callers whose types are not checked.
  if (([...shippingStatuses] as string[]).includes(to))
    throw new Refusal('too_late', `The status ${to} is set by a shipment.`)
  if (order.status === to) return
  if (!canMoveOrder(order.status, to)) throw standsAt(order)
  const stops = hasAddressToCorrect(order)
  // the call is refused, because otherwise the warehouse that sets this status would begin to pick the goods
  if (stops && picking.includes(to))
    throw new Refusal('too_late', 'The address of this order is marked as invalid.')
  const reached = stops && beforePicking.includes(to) ? 'invalid_address' : to
  await enter(unit, order, reached, addressChange(order, reached))
}

/**
 * While the address of an order is marked as invalid, the order becomes `invalid_address` in place of these statuses.
 */
const beforePicking: readonly OrderStatus[] = ['created', 'plannable']
/** Statuses that an order cannot get while its address is marked as invalid. */
const picking: readonly OrderStatus[] = ['planned', 'processing']

/**
 * Whether the address of the order is marked as invalid and the status of the order can change to `invalid_address`. An
 * example is an order that the warehouse moved from `invalid_address` to `on_hold`. A move from `invalid_address` to
 * `created` reports a valid address.
 */
export function hasAddressToCorrect({
  status,
  address_invalid: isInvalid,
}: Pick<OrderTable, 'status' | 'address_invalid'>): boolean {
  return isInvalid === 1 && canMoveOrder(status, 'invalid_address')
}

const shippingStatuses = ['shipped', 'partially_shipped'] as const

/**
 * Returns the change of `address_invalid` that the new status of the order requires, so that the field and the status
 * agree.
 */
function addressChange(order: OrderTable, to: OrderStatus): OrderChanges {
  if (to === 'invalid_address') return { address_invalid: 1 }
  return order.status === 'invalid_address' && to === 'created' ? { address_invalid: 0 } : {}
}

/** Sets the status of an order. `to` may be the current status, if a further part was shipped. */
async function enter(
  unit: Unit,
  order: OrderTable,
  to: OrderStatus,
  changes: OrderChanges = {},
): Promise<void> {
  await changeOrderIn(unit.connection, [order.status], order.id, {
    ...changes,
    status: to,
    modified_at: unit.now,
  })
  const subject = { customerId: order.customer_id, id: order.id }
  await orderChanged(unit, subject)
  const event = statusesWithEvent.find((status) => status === to)
  if (event !== undefined) unit.changed('order', event, subject)
}

export async function shipOrder(
  unit: Unit,
  orderId: string,
  input: NewShipment,
): Promise<{ id: string; reference: string }> {
  const order = await existingOrder(unit.connection, orderId)
  if (!canMoveOrder(order.status, 'shipped')) throw standsAt(order)
  if (input.lines.length === 0) throw invalidField('lines', 'At least one line is required.')
  requireWebUrls(input.labels)
  const methodId = await methodOf(unit.connection, order, input.shippingMethodId)
  const lines = await linesOfOrder(unit.connection, orderId)
  const id = randomUUID()
  const shipped = await pick(unit, { order, lines, shipmentId: id }, input.lines)
  const reference = formatReference('shipment', await nextSerial(unit.connection, 'shipment'))
  const row = {
    id,
    customer_id: order.customer_id,
    reference,
    po_number: order.po_number,
    order_id: order.id,
    order_external_reference: order.external_reference,
    shipment_external_reference: input.externalReference,
    shipping_method_id: methodId,
    shipping_email: order.shipping_email,
    shipping_address: JSON.stringify(deliveryAddress(order)),
    labels: JSON.stringify(input.labels),
    created_at: unit.now,
    modified_at: unit.now,
  }
  await insertShipment(unit.connection, row, shipped)
  unit.changed('shipment', 'created', { customerId: order.customer_id, id })
  const after = await linesOfOrder(unit.connection, orderId)
  const isWhole = after.every((line) => line.processed >= line.quantity)
  await enter(unit, order, isWhole ? 'shipped' : 'partially_shipped')
  return { id, reference }
}

async function methodOf(connection: Connection, order: OrderTable, methodId: string | null): Promise<string> {
  const id = methodId ?? order.shipping_method_id
  if (id === null)
    throw invalidField('shipping_method', 'The order has no shipping method, so one is required.')
  if ((await findShippingMethod(connection, id)) === null)
    throw invalidField('shipping_method', 'Shipping method not found.')
  return id
}

/** Returns the address of a shipment. It always has a house number and a zipcode, which may be empty. */
function deliveryAddress(order: OrderTable): StoredAddress {
  const address = readShippingAddress(order.shipping_address)
  return { ...address, streetNumber: address.streetNumber ?? '', zipcode: address.zipcode ?? '' }
}

/** Takes the pieces from their lots, updates the order's lines, and returns the lines of the shipment. */
async function pick(
  unit: Unit,
  of: { order: OrderTable; lines: readonly OrderLineTable[]; shipmentId: string },
  wanted: NewShipment['lines'],
): Promise<ShipmentLineTable[]> {
  const { order, shipmentId } = of
  const variants = await findVariants(
    unit.connection,
    order.customer_id,
    wanted.map(({ variantId }) => variantId),
  )
  const moves = new LotMoves(unit, 'shipment', shipmentId)
  const lines = of.lines.map((row): PickedLine => ({
    row,
    processed: row.processed,
    serials: readSerialNumbers(row.serial_numbers),
  }))
  requireFewSerials(lines, wanted)
  const rows: ShipmentLineTable[] = []
  for (const [position, line] of wanted.entries()) {
    const { variantId, quantity, serialNumbers, locationId } = line
    const place = `lines.${position}`
    requirePieces(quantity, `${place}.quantity`)
    const variant = variants.get(variantId)
    if (variant === undefined)
      throw invalidField(`${place}.variant`, 'The order does not contain this variant.')
    requireSerialNumbers(variant, line, `${place}.serial_numbers`)
    await shipSerials(unit, { variantId, shipmentId, serialNumbers }, `${place}.serial_numbers`)
    process(lines, line, `${place}.quantity`)
    const lots = { ...pickableLots(variantId, unit.now.slice(0, 10)), locationId }
    await moves.take(lots, quantity, `${place}.quantity`)
    const { article_code, ean, sku } = variant
    rows.push({
      ...{ shipment_id: shipmentId, position, variant_id: variantId, quantity },
      ...{ article_code, ean, sku, serial_numbers: JSON.stringify(serialNumbers) },
    })
  }
  for (const { row, processed, serials } of lines)
    if (processed !== row.processed)
      await processLine(unit.connection, { ...row, processed, serial_numbers: JSON.stringify(serials) })
  await moves.tell()
  return rows
}

/**
 * Refuses serial numbers that were shipped before. A serial number that was shipped may be shipped again only after an
 * inbound has received its piece again. Inbounds of every kind count, because the warehouse has the goods that it
 * received.
 */
async function shipSerials(
  { connection }: Unit,
  of: { variantId: string; shipmentId: string; serialNumbers: readonly string[] },
  field: string,
): Promise<void> {
  const { variantId, shipmentId, serialNumbers } = of
  const shippedBefore = await shippedAmong(connection, variantId, serialNumbers)
  if (shippedBefore.length > 0)
    throw invalidField(field, `Shipped before and not received since: ${named(shippedBefore)}.`)
  const rows = serialNumbers.map((serial) => ({ variant_id: variantId, serial, shipment_id: shipmentId }))
  await insertShippedSerials(connection, rows)
}

/**
 * A line of an order while a shipment is picked. The stored serial numbers are parsed once for the shipment and written
 * once at its end, because a shipment may have many lines of the same variant.
 */
interface PickedLine {
  readonly row: OrderLineTable
  processed: number
  readonly serials: string[]
}

/**
 * Adds shipped pieces to the order's lines. The pieces fill the variant's lines in the order of the lines. Refuses more
 * pieces than the order still needs.
 */
function process(
  lines: readonly PickedLine[],
  { variantId, quantity, serialNumbers }: NewShipment['lines'][number],
  field: string,
): void {
  let left = quantity
  for (const line of lines) {
    const part = line.row.variant_id === variantId ? Math.min(left, line.row.quantity - line.processed) : 0
    for (const serial of serialNumbers.slice(quantity - left, quantity - left + part))
      line.serials.push(serial)
    left -= part
    line.processed += part
  }
  if (left > 0) throw invalidField(field, 'The order does not contain as many pieces.')
}

export async function trackShipment(unit: Unit, shipmentId: string, labels: StoredTracking): Promise<void> {
  const { connection } = unit
  const shipment = await findAnyShipment(connection, shipmentId)
  if (shipment === null) throw new Refusal('not_found', 'Shipment not found.')
  requireWebUrls(labels)
  const text = JSON.stringify(labels)
  if (text === shipment.labels) return
  await relabelShipment(connection, shipmentId, text, unit.now)
  // the stored label is deleted, because it shows the old tracking code
  const drawn = await findShipmentDocument(connection, shipmentId)
  if (drawn !== null) {
    await unlinkDocument(connection, drawn.id)
    await deleteDocument(connection, drawn.id)
  }
  unit.changed('shipment', 'updated', { customerId: shipment.customer_id, id: shipmentId })
}

/** Refuses tracking URLs that are not http(s), because clients show them as links. */
function requireWebUrls(labels: StoredTracking): void {
  for (const [index, { trackingUrl }] of labels.entries())
    if (trackingUrl !== null && !isWebUrl(trackingUrl))
      throw invalidField(`labels.${index}.tracking_url`, 'This value should be an http or https URL.')
}

async function existingOrder(connection: Connection, id: string): Promise<OrderTable> {
  const order = await findAnyOrder(connection, id)
  if (order === null) throw orderNotFound()
  return order
}

function standsAt({ status }: OrderTable): Refusal {
  return new Refusal('too_late', `Order is ${status}.`)
}
