import { setImmediate as breathe } from 'node:timers/promises'
import type { InboundStatus } from '#shared/domain/resource-states.ts'
import { readSerialNumbers } from '../../data/engine/stored-json.ts'
import { lotsToTake, pickableLots } from '../../data/goods/batches.ts'
import { findAnyVariants } from '../../data/goods/variants.ts'
import { linesOfInbound, controlsOfInbound } from '../../data/moves/inbounds.ts'
import type { BatchTable, LocationTable, VariantTable } from '../../data/schema/goods.ts'
import type { InboundLineTable, InboundTable } from '../../data/schema/moves.ts'
import { findAnyShipment, linesOfShipments } from '../../data/shipments/shipments.ts'
import {
  allLocations,
  olderShipments,
  returnableShipments,
  shipmentNamed,
  type ShipmentPlace,
} from '../../data/warehouse-due.ts'
import type { Receipt } from '../../services/warehouse/port.ts'
import { dayAfter, type Floor } from './floor.ts'

/**
 * Statuses from which the simulated warehouse always moves an inbound. `on_hold` is not one of them, because only a
 * person ends this status.
 */
export const movingInbounds = [
  'announced',
  'process_no_announcement',
  'awaiting_transfer',
  'transfer',
  'processing',
] as const satisfies readonly InboundStatus[]

const next = {
  announced: 'processing',
  process_no_announcement: 'processing',
  awaiting_transfer: 'transfer',
  transfer: 'processing',
} as const

/** Shelf life of expirable goods, in days. */
const shelfLifeDays = 365
/** Of this number of inbounds, one gets a quality control. Every return gets a quality control. */
const controlEvery = 4

/**
 * Makes one transition of one inbound. Returns false if the inbound must wait: in a status that the warehouse does not
 * end, or because there is no location for received goods.
 */
export async function moveInbound(floor: Floor, inbound: InboundTable): Promise<boolean> {
  const { status } = inbound
  if (status === 'processing') return receive(floor, inbound)
  if (status === 'completed' || status === 'cancelled' || status === 'on_hold') return false
  await floor.port.moveInbound(inbound.id, next[status])
  return true
}

/** Maximum number of serial numbers of one inbound, because each number is a text in memory. */
const mostSerials = 10_000

/**
 * Maximum number of lines of an inbound whose goods are counted in one transaction. With SQLite no other call runs
 * during a transaction.
 */
const linesAtOnce = 100

/**
 * Receives all announced pieces of an inbound that are still missing. The last receipt completes the inbound. If more
 * than `mostSerials` of the missing pieces need serial numbers, sets the inbound to `on_hold` instead; it then waits
 * for a person. Returns false, without a change, if there is no location for received goods.
 */
async function receive(floor: Floor, inbound: InboundTable): Promise<boolean> {
  const { database, port } = floor
  const places = await receivingPlaces(floor, inbound.is_return === 1)
  if (places === null) return false
  const isControlled = inbound.is_return === 1 || numberOf(inbound) % controlEvery === 0
  if (isControlled && (await controlsOfInbound(database, inbound.id)).length === 0)
    await control(floor, inbound)
  const lines = await linesOfInbound(database, inbound.id)
  const variants = await findAnyVariants(
    database,
    lines.map((line) => line.variant_id),
  )
  const serialed = lines.filter((line) => variants.get(line.variant_id)?.using_serial_numbers === 1)
  const numbered = serialed.reduce((sum, line) => sum + line.quantity - (line.processed ?? 0), 0)
  if (numbered > mostSerials) {
    await port.moveInbound(inbound.id, 'on_hold')
    return true
  }
  const serials = await returnedSerials(floor, inbound, lines)
  for (let from = 0, complete = false; !complete; from += linesAtOnce) {
    complete = from + linesAtOnce >= lines.length
    const received = lines.slice(from, from + linesAtOnce).flatMap((line) => {
      const variant = variants.get(line.variant_id)
      const pieces = line.quantity - (line.processed ?? 0)
      if (variant === undefined || pieces <= 0) return []
      const numbers = serialNumbers(inbound, line, variant, serials)
      return receiptLines(floor, variant, { pieces, places, numbers })
    })
    if (received.length > 0 || complete) await port.receive(inbound.id, { lines: received, complete })
    // waiting calls have their turn before the next lines are counted
    if (!complete) await breathe()
  }
  return true
}

interface Places {
  readonly good: LocationTable
  /** Location for the part of a return that goes into quarantine. Null: all pieces are put into `good`. */
  readonly quarantine: LocationTable | null
}

/**
 * Returns the receiving locations: `RET…` for returns, otherwise `DOCK…`, otherwise the first shelf, otherwise the
 * first location outside quarantine. Null: there is none.
 */
async function receivingPlaces({ database }: Floor, isReturn: boolean): Promise<Places | null> {
  const locations = await allLocations(database)
  const named = (prefix: string): LocationTable | undefined =>
    locations.find(({ code }) => code.startsWith(prefix))
  const good =
    (isReturn ? named('RET') : undefined) ??
    named('DOCK') ??
    locations.find(isShelf) ??
    locations.find(({ code }) => !code.startsWith('QUAR'))
  if (good === undefined) return null
  return { good, quarantine: isReturn ? (named('QUAR') ?? null) : null }
}

function isShelf({ code, pickable }: LocationTable): boolean {
  return pickable === 1 && !code.startsWith('QUAR')
}

/**
 * Returns the lines of a receipt for pieces of one line of an inbound. Of the pieces of a return, a quarter, rounded
 * up, is put into quarantine if there is a location for it.
 */
function receiptLines(
  { clock }: Floor,
  variant: VariantTable,
  { pieces, places, numbers }: { pieces: number; places: Places; numbers: readonly string[] },
): Receipt['lines'][number][] {
  const apart = places.quarantine === null ? 0 : Math.ceil(pieces / 4)
  const expirationDate = variant.expirable === 1 ? dayAfter(clock, shelfLifeDays) : null
  const parts = [
    { location: places.quarantine, from: 0, to: apart },
    { location: places.good, from: apart, to: pieces },
  ]
  return parts.flatMap(({ location, from, to }) => {
    if (location === null || from === to) return []
    const serials = numbers.slice(from, to)
    const line = { variantId: variant.id, quantity: to - from, locationId: location.id }
    return [{ ...line, expirationDate, serialNumbers: serials }]
  })
}

/**
 * Returns a serial number for each piece that has not arrived yet, if the variant has serial numbers. Takes the numbers
 * from `returned`, and creates new ones when none is left.
 */
function serialNumbers(
  inbound: InboundTable,
  line: InboundLineTable,
  variant: VariantTable,
  returned: ReadonlyMap<string, string[]>,
): string[] {
  if (variant.using_serial_numbers === 0) return []
  const gone = line.processed ?? 0
  const pieces = line.quantity - gone
  const taken = returned.get(line.variant_id)?.splice(0, pieces) ?? []
  const prefix = `SNI${numberOf(inbound)}-${line.position + 1}`
  return Array.from({ length: pieces }, (_, index) => taken[index] ?? `${prefix}-${gone + index + 1}`)
}

/**
 * Returns the serial numbers of a returned shipment that have not arrived yet with this inbound, by variant. The return
 * has the reference of the shipment. Several lines of the shipment may have the same variant.
 */
async function returnedSerials(
  { database }: Floor,
  inbound: InboundTable,
  lines: readonly InboundLineTable[],
): Promise<Map<string, string[]>> {
  const { external_reference: reference, customer_id: customerId } = inbound
  const isReturn = inbound.is_return === 1 && reference !== null
  const shipment = isReturn ? await shipmentNamed(database, customerId, reference) : null
  const missing = new Map<string, string[]>()
  if (shipment === null) return missing
  const arrived = new Set(
    lines.flatMap((line) =>
      readSerialNumbers(line.serial_numbers).map((number) => `${line.variant_id} ${number}`),
    ),
  )
  for (const { variant_id: variantId, serial_numbers: shipped } of await linesOfShipments(database, [
    shipment.id,
  ])) {
    const numbers = readSerialNumbers(shipped).filter((number) => !arrived.has(`${variantId} ${number}`))
    missing.set(variantId, [...(missing.get(variantId) ?? []), ...numbers])
  }
  return missing
}

const conditions = ['good', 'dented', 'taped', 'torn'] as const

async function control({ port }: Floor, inbound: InboundTable): Promise<void> {
  const number = numberOf(inbound)
  const boxCondition = conditions[number % conditions.length] ?? 'good'
  await port.controlQuality(inbound.id, {
    palletCount: String(inbound.is_return === 1 ? 0 : (number % 3) + 1),
    wasDeliveryAppointment: inbound.type !== 'unannounced',
    hadPackingList: number % 5 !== 0,
    wasCorrectQuantity: true,
    hadProperMarkings: boxCondition !== 'torn',
    boxCondition,
    comments: inbound.is_return === 1 ? 'Some pieces were put aside for inspection.' : '',
  })
}

/**
 * Creates an unannounced return for the newest shipment without a return, with half of the pieces of each line. Reads
 * the next `limit` shipments that are older than `before`. `next`: the last shipment that was read, after which the
 * search continues. Null: the search has ended.
 */
export async function sendBack(
  floor: Floor,
  { before, limit }: { readonly before: ShipmentPlace | null; readonly limit: number },
): Promise<{ moved: boolean; next: ShipmentPlace | null }> {
  const page = await olderShipments(floor.database, before, limit)
  const returnable = await returnableShipments(
    floor.database,
    page.map(({ id }) => id),
  )
  for (const { id } of page)
    if (returnable.has(id) && (await sendBackPartOf(floor, id))) return { moved: true, next: null }
  return { moved: false, next: page.length < limit ? null : (page.at(-1) ?? null) }
}

/**
 * Announces a return of half of the pieces of each line of a shipment. Returns false if all variants of the shipment
 * were deleted.
 */
async function sendBackPartOf({ database, port }: Floor, shipmentId: string): Promise<boolean> {
  const shipment = await findAnyShipment(database, shipmentId)
  if (shipment === null) return false
  const lines = await linesOfShipments(database, [shipment.id])
  const known = await findAnyVariants(
    database,
    lines.map((line) => line.variant_id),
  )
  const back = lines
    .filter((line) => known.has(line.variant_id))
    .map((line) => ({ variantId: line.variant_id, quantity: Math.ceil(line.quantity / 2) }))
  if (back.length === 0) return false
  await port.arrive({
    customerId: shipment.customer_id,
    externalReference: shipment.reference,
    isReturn: true,
    note: `Return of ${shipment.order_external_reference}`,
    lines: back,
  })
  return true
}

/**
 * Moves a lot to a shelf that holds its variant. If none is found, the shelf is computed from the article code. Returns
 * false if there is no shelf.
 */
export async function putAway({ database, port }: Floor, lot: BatchTable): Promise<boolean> {
  const shelves = (await allLocations(database)).filter(isShelf)
  const [known] = await lotsToTake(database, pickableLots(lot.variant_id, null), 1)
  const code = (await findAnyVariants(database, [lot.variant_id])).get(lot.variant_id)?.article_code ?? ''
  const sum = Buffer.from(code).reduce((total, byte) => total + byte, 0)
  const shelf = shelves.find(({ id }) => id === known?.location_id) ?? shelves[sum % shelves.length]
  if (shelf === undefined) return false
  await port.moveLot({ batchId: lot.id, quantity: lot.quantity, toLocationId: shelf.id })
  return true
}

function numberOf({ reference }: InboundTable): number {
  return Number(reference.slice(3))
}
