import { isInCustomsUnion } from '#shared/domain/country.ts'
import type { OrderStatus } from '#shared/domain/resource-states.ts'
import { readShippingAddress } from '../../data/engine/stored-json.ts'
import { lotsToTake, pickableLots } from '../../data/goods/batches.ts'
import { findAnyVariants } from '../../data/goods/variants.ts'
import { countOrderDocuments, linesOfOrder } from '../../data/orders/orders.ts'
import type { OrderTable, ShipmentTable } from '../../data/schema/orders.ts'
import { findShippingMethod } from '../../data/shipments/shipments.ts'
import { piecesOutsideQuarantine } from '../../data/warehouse-due.ts'
import { Refusal } from '../../services/refusal.ts'
import { hasAddressToCorrect } from '../../services/warehouse/orders.ts'
import { mostLotsTaken, type NewShipment } from '../../services/warehouse/port.ts'
import { carrierFor } from '../carriers/carriers.ts'
import { dayAfter, type Floor, promisedPieces } from './floor.ts'

/** Statuses in which an order waits for nothing: the simulated warehouse moves it to another status or ships it. */
export const movingOrders = [
  'created',
  'plannable',
  'planned',
  'processing',
  'shipment_waiting_for_ewh',
  'problem',
  'restock',
] as const satisfies readonly OrderStatus[]

/**
 * Statuses in which an order waits for goods, for its delivery day or for the customer. Only the customer can correct
 * `invalid_address`.
 */
export const waitingForSomething = [
  'backorder',
  'partially_shipped',
  'awaiting_documents',
  'invalid',
  'on_hold',
] as const satisfies readonly OrderStatus[]

/** Statuses of orders for which pieces are reserved. */
const promised = [
  'plannable',
  'planned',
  'processing',
  'shipment_waiting_for_ewh',
] as const satisfies readonly OrderStatus[]

/** The simulated warehouse begins an order at most this number of days before the order's delivery day. */
const holdDays = 30

/** Makes one transition of one order. Returns false if the order has to wait. */
export async function moveOrder(floor: Floor, order: OrderTable): Promise<boolean> {
  if (order.status === 'processing' && order.business_to_business === 1)
    return move(floor, order, 'shipment_waiting_for_ewh')
  if (order.status === 'processing' || order.status === 'shipment_waiting_for_ewh') return ship(floor, order)
  return move(floor, order, await nextStatus(floor, order))
}

async function move(
  { port }: Floor,
  order: OrderTable,
  to: Parameters<Floor['port']['moveOrder']>[1] | null,
): Promise<boolean> {
  if (to === null) return false
  await port.moveOrder(order.id, to)
  return true
}

type Next = Parameters<Floor['port']['moveOrder']>[1] | null

/** Returns the next status of an order, or null if the order stays in its status. */
async function nextStatus(floor: Floor, order: OrderTable): Promise<Next> {
  if (hasAddressToCorrect(order)) return 'invalid_address'
  switch (order.status) {
    case 'created':
      return (await obstacle(floor, order)) ?? ((await canLeave(floor, order)) ? 'plannable' : 'backorder')
    case 'invalid':
    case 'awaiting_documents':
    case 'on_hold':
      return (await obstacle(floor, order)) === order.status ? null : 'created'
    case 'backorder':
      return (await canLeave(floor, order)) ? 'plannable' : null
    case 'plannable':
      return (await canLeave(floor, order)) ? 'planned' : 'backorder'
    case 'planned':
      return (await canLeave(floor, order)) ? 'processing' : 'backorder'
    case 'partially_shipped':
      return (await canLeave(floor, order)) ? 'processing' : null
    case 'problem':
      return 'created'
    case 'restock':
      return (await isReady(floor, order)) ? 'plannable' : 'problem'
    default:
      return null
  }
}

/** Whether an order can be shipped: it meets every requirement (`obstacle`), and its goods are available. */
async function isReady(floor: Floor, order: OrderTable): Promise<boolean> {
  return (await obstacle(floor, order)) === null && canLeave(floor, order)
}

type Obstacle = 'invalid_address' | 'invalid' | 'awaiting_documents' | 'on_hold'

/** Maximum number of serial numbers in one shipment, because each serial number is a text in memory. */
const mostSerials = 10_000

/**
 * Returns the status for the first requirement that the order does not meet: a valid address, a shipping method and
 * pieces to send, few enough serial numbers, customs documents, its delivery day. An order that needs too many serial
 * numbers stays `on_hold`, because it would become `restock` at each attempt to ship it. Null: it meets all of them.
 * Does not check whether the goods are available.
 */
async function obstacle(floor: Floor, order: OrderTable): Promise<Obstacle | null> {
  const { database, clock } = floor
  if (order.address_invalid === 1) return 'invalid_address'
  const lines = await linesOfOrder(database, order.id)
  const isOwed = lines.some((line) => line.processed < line.quantity)
  if (order.shipping_method_id === null || !isOwed) return 'invalid'
  if (await needsTooManySerials(floor, lines)) return 'on_hold'
  const { country } = readShippingAddress(order.shipping_address)
  if (!isInCustomsUnion(country) && order.inco_terms !== null) {
    if ((await countOrderDocuments(database, order.id)) === 0) return 'awaiting_documents'
  }
  return order.requested_delivery_date.slice(0, 10) > dayAfter(clock, holdDays) ? 'on_hold' : null
}

/** Whether the pieces that were not shipped yet need more serial numbers than one shipment may contain. */
async function needsTooManySerials(
  { database }: Floor,
  lines: Awaited<ReturnType<typeof linesOfOrder>>,
): Promise<boolean> {
  const owed = (some: typeof lines): number =>
    some.reduce((sum, line) => sum + line.quantity - line.processed, 0)
  if (owed(lines) <= mostSerials) return false
  const variants = await findAnyVariants(
    database,
    lines.map((line) => line.variant_id),
  )
  return owed(lines.filter((line) => variants.get(line.variant_id)?.using_serial_numbers === 1)) > mostSerials
}

/** Pieces of an order that were not shipped yet, and how many of them are available. */
interface Owed {
  readonly variantId: string
  readonly owed: number
  /**
   * Number of pieces of the order that are already shipped. The serial numbers of the next pieces continue after them.
   */
  readonly shipped: number
  readonly available: number
}

async function owedOf(floor: Floor, order: OrderTable): Promise<Owed[]> {
  const { database, clock } = floor
  const lines = await linesOfOrder(database, order.id)
  const ids = [...new Set(lines.map((line) => line.variant_id))]
  const lying = await piecesOutsideQuarantine(database, ids, dayAfter(clock, 0))
  // pieces that are reserved for other orders are not available to this order, unless this order is already being
  // picked
  const isPicked = order.status === 'processing' || order.status === 'shipment_waiting_for_ewh'
  const taken = isPicked ? new Map<string, number>() : await promisedPieces(floor, ids, promised, order.id)
  return ids.map((variantId) => {
    const own = lines.filter((line) => line.variant_id === variantId)
    const shipped = own.reduce((sum, line) => sum + line.processed, 0)
    const owed = own.reduce((sum, line) => sum + line.quantity, 0) - shipped
    const available = Math.max(0, (lying.get(variantId) ?? 0) - (taken.get(variantId) ?? 0))
    return { variantId, owed, shipped, available: Math.min(owed, available) }
  })
}

/**
 * Whether all remaining pieces of an order are available. If the order allows partial shipments, one available piece is
 * enough.
 */
async function canLeave(floor: Floor, order: OrderTable): Promise<boolean> {
  return isEnough(order, await owedOf(floor, order))
}

function isEnough(order: OrderTable, owed: readonly Owed[]): boolean {
  if (owed.every((each) => each.available === each.owed)) return true
  return order.partial_delivery === 1 && owed.some((each) => each.available > 0)
}

/**
 * Ships the available pieces and sets tracking data afterwards. If too few pieces are available, or the shipment is
 * refused, the order becomes `restock`. Always returns true: the order was changed.
 */
async function ship(floor: Floor, order: OrderTable): Promise<boolean> {
  const { port, database } = floor
  const owed = await owedOf(floor, order)
  if (!isEnough(order, owed)) return move(floor, order, 'restock')
  try {
    const shipment: NewShipment = {
      lines: await shipmentLines(floor, order, await withinOneShipment(floor, owed)),
      shippingMethodId: null,
      labels: [],
      externalReference: null,
    }
    const { id, reference } = await port.shipOrder(order.id, shipment)
    const methodId = order.shipping_method_id
    const method = methodId === null ? null : await findShippingMethod(database, methodId)
    if (method !== null) await port.trackShipment(id, [parcelOf(method.carrier, reference)])
    return true
  } catch (error) {
    // the shipment is refused if the shipping method of the order was deleted, another call took the pieces meanwhile,
    // or the shipment has too many serial numbers
    if (error instanceof Refusal && error.kind === 'invalid') return move(floor, order, 'restock')
    throw error
  }
}

/**
 * Returns the pieces of one shipment: all available pieces or, if they are in too many lots for one call, the pieces of
 * the first lots. The next shipment contains the rest.
 */
async function withinOneShipment(
  { database, clock }: Floor,
  owed: readonly Owed[],
): Promise<readonly Owed[]> {
  // each lot has at least one piece, so at most `mostLotsTaken` pieces cannot be in more than `mostLotsTaken` lots
  if (owed.reduce((sum, { available }) => sum + available, 0) <= mostLotsTaken) return owed
  let lotsLeft = mostLotsTaken
  const within: Owed[] = []
  for (const each of owed) {
    const { variantId, available } = each
    const lots = await lotsToTake(
      database,
      pickableLots(variantId, dayAfter(clock, 0)),
      Math.min(lotsLeft, available),
    )
    let pieces = 0
    for (const lot of lots) {
      if (pieces >= available) break
      pieces += lot.quantity
      lotsLeft -= 1
    }
    within.push({ ...each, available: Math.min(available, pieces) })
  }
  return within
}

/**
 * Returns the lines of a shipment with the given pieces. Refused if the shipment would have more than `mostSerials`
 * serial numbers.
 */
async function shipmentLines(
  { database }: Floor,
  order: OrderTable,
  owed: readonly Owed[],
): Promise<NewShipment['lines']> {
  const variants = await findAnyVariants(
    database,
    owed.map(({ variantId }) => variantId),
  )
  const number = Number(order.reference.slice(3))
  const numbered = owed.filter(({ variantId }) => variants.get(variantId)?.using_serial_numbers === 1)
  if (numbered.reduce((sum, { available }) => sum + available, 0) > mostSerials)
    throw new Refusal('invalid', `An order ships ${mostSerials} pieces with serial numbers at most.`)
  return owed.flatMap(({ variantId, available, shipped }, place) => {
    if (available === 0) return []
    const count = variants.get(variantId)?.using_serial_numbers === 1 ? available : 0
    const serialNumbers = Array.from(
      { length: count },
      (_, index) => `SN${number}-${place + 1}-${shipped + index + 1}`,
    )
    return [{ variantId, quantity: available, serialNumbers, locationId: null }]
  })
}

/**
 * Sets the tracking data of a shipment that has none because the process crashed after the creation of the shipment.
 * Returns false if its shipping method does not exist.
 */
export async function track({ port, database }: Floor, shipment: ShipmentTable): Promise<boolean> {
  const method = await findShippingMethod(database, shipment.shipping_method_id)
  if (method === null) return false
  await port.trackShipment(shipment.id, [parcelOf(method.carrier, shipment.reference)])
  return true
}

/** Returns the codes of a shipment's parcel, which the carrier computes from the number in the shipment's reference. */
function parcelOf(carrier: string, reference: string): NewShipment['labels'][number] {
  return carrierFor(carrier).outboundParcel(Number(reference.slice(3)))
}
