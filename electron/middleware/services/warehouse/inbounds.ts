import { randomUUID } from 'node:crypto'
import { canMoveInbound, type InboundStatus } from '#shared/domain/resource-states.ts'
import { formatReference } from '#shared/domain/references.ts'
import { findCustomers } from '../../data/access/accounts.ts'
import { nextSerial } from '../../data/engine/meta.ts'
import { readSerialNumbers } from '../../data/engine/stored-json.ts'
import { findLocations } from '../../data/goods/locations.ts'
import { findAnyVariants } from '../../data/goods/variants.ts'
import {
  changeInbound,
  findAnyInbound,
  insertInbound,
  insertQualityControl,
  linesOfInbound,
  putInboundLine,
} from '../../data/moves/inbounds.ts'
import type { VariantTable } from '../../data/schema/goods.ts'
import type { InboundLineTable, InboundTable } from '../../data/schema/moves.ts'
import type { Flag } from '../../data/schema/table.ts'
import { deleteShippedSerials } from '../../data/shipments/shipments.ts'
import { invalidField, Refusal } from '../refusal.ts'
import type { Unit } from '../unit.ts'
import { LotMoves, named, requireFewSerials, requirePieces, requireSerialNumbers } from './lots.ts'
import type { Arrival, NewQualityControl, Receipt, WarehousePort } from './port.ts'

export async function arrive(unit: Unit, input: Arrival): Promise<{ id: string; reference: string }> {
  const { connection, now } = unit
  const { customerId } = input
  if ((await findCustomers(connection, [customerId])).length === 0)
    throw invalidField('customer', 'Customer not found.')
  if (input.lines.length === 0) throw invalidField('lines', 'At least one line is required.')
  const variants = await variantsOf(unit, customerId, input.lines)
  const id = randomUUID()
  const reference = formatReference('inbound', await nextSerial(connection, 'inbound'))
  const lines = input.lines.map((line, position): InboundLineTable => {
    requirePieces(line.quantity, `lines.${position}.quantity`)
    return { ...emptyLine(id, position, variants[position]?.id ?? ''), quantity: line.quantity }
  })
  const row: InboundTable = {
    id,
    customer_id: customerId,
    reference,
    external_reference: input.externalReference,
    is_return: input.isReturn ? 1 : 0,
    status: 'process_no_announcement',
    type: 'unannounced',
    inbound_date: now.slice(0, 10),
    note: input.note,
    meta_data: '{}',
    created_at: now,
    modified_at: now,
  }
  await insertInbound(connection, row, lines)
  unit.changed('inbound', 'created', { customerId, id })
  return { id, reference }
}

function emptyLine(inboundId: string, position: number, variantId: string): InboundLineTable {
  return {
    inbound_id: inboundId,
    position,
    variant_id: variantId,
    quantity: 0,
    processed: null,
    packing_slip: null,
    serial_numbers: '[]',
    meta_data: '{}',
  }
}

/** Returns the variants of the lines, in the order of the lines. */
async function variantsOf(
  unit: Unit,
  customerId: string,
  lines: readonly { readonly variantId: string }[],
): Promise<VariantTable[]> {
  const ids = lines.map(({ variantId }) => variantId)
  const found = await findAnyVariants(unit.connection, ids)
  return ids.map((id, index) => {
    const variant = found.get(id)
    if (variant?.customer_id !== customerId)
      throw invalidField(`lines.${index}.variant`, 'Variant not found.')
    return variant
  })
}

export async function moveInbound(
  unit: Unit,
  inboundId: string,
  to: Parameters<WarehousePort['moveInbound']>[1],
): Promise<void> {
  const inbound = await existingInbound(unit, inboundId)
  // The type of `to` excludes `completed`, and the HTTP route refuses this status too. The check is for callers whose
  // types are not checked.
  if ((to as InboundStatus) === 'completed')
    throw new Refusal('too_late', 'An inbound is completed when its goods were received.')
  if (inbound.status === to) return
  if (!canMoveInbound(inbound.status, to)) throw standsAt(inbound)
  await enter(unit, inbound, to)
}

async function enter(unit: Unit, inbound: InboundTable, to: InboundStatus): Promise<void> {
  await changeInbound(unit.connection, inbound, { status: to }, unit.now)
  const subject = { customerId: inbound.customer_id, id: inbound.id }
  unit.changed('inbound', 'updated', subject)
  if (to === 'completed') unit.changed('inbound', 'completed', subject)
}

export async function receive(unit: Unit, inboundId: string, receipt: Receipt): Promise<void> {
  const { connection } = unit
  const inbound = await existingInbound(unit, inboundId)
  if (inbound.status === 'completed' && receipt.complete && receipt.lines.length === 0) return
  if (inbound.status !== 'processing') throw standsAt(inbound)
  const variants = await variantsOf(unit, inbound.customer_id, receipt.lines)
  const locations = await findLocations(
    connection,
    receipt.lines.map(({ locationId }) => locationId),
  )
  const moves = new LotMoves(unit, 'inbound', inboundId)
  const lines = (await linesOfInbound(connection, inboundId)).map(countedLine)
  requireFewSerials(lines, receipt.lines)
  const counted = serialsOf(lines)
  for (const [index, line] of receipt.lines.entries()) {
    const variant = variants[index]
    const place = `lines.${index}`
    requirePieces(line.quantity, `${place}.quantity`)
    if (variant === undefined) throw invalidField(`${place}.variant`, 'Variant not found.')
    if (!locations.has(line.locationId)) throw invalidField(`${place}.location`, 'Location not found.')
    if (variant.expirable === 1 && line.expirationDate === null)
      throw invalidField(`${place}.expiration_date`, 'This variant expires.')
    requireSerialNumbers(variant, line, `${place}.serial_numbers`)
    await receiveSerials(unit, counted, line, `${place}.serial_numbers`)
    count(lines, inboundId, line)
    const { locationId, expirationDate } = line
    await moves.put(variant, { locationId, expirationDate, inboundId }, line.quantity)
  }
  for (const { row, processed, serials } of lines) {
    const total = receipt.complete ? (processed ?? 0) : processed
    if (total !== row.processed)
      await putInboundLine(connection, { ...row, processed: total, serial_numbers: JSON.stringify(serials) })
  }
  await moves.tell()
  await enter(unit, inbound, receipt.complete ? 'completed' : 'processing')
}

/**
 * A line of an inbound while a receipt is counted. The stored serial numbers are parsed once for the receipt and
 * written once at its end, because a receipt may have many lines of the same variant.
 */
interface CountedLine {
  readonly row: InboundLineTable
  processed: number | null
  readonly serials: string[]
}

function countedLine(row: InboundLineTable): CountedLine {
  return { row, processed: row.processed, serials: readSerialNumbers(row.serial_numbers) }
}

/** Returns the serial numbers on the lines of an inbound, by variant. */
function serialsOf(lines: readonly CountedLine[]): Map<string, Set<string>> {
  const known = new Map<string, Set<string>>()
  for (const { row, serials } of lines) {
    const ofVariant = known.get(row.variant_id) ?? new Set<string>()
    for (const serial of serials) ofVariant.add(serial)
    known.set(row.variant_id, ofVariant)
  }
  return known
}

/**
 * Records the serial numbers of received pieces. A serial number can occur only once in an inbound. After it was
 * received, it can be shipped again.
 */
async function receiveSerials(
  { connection }: Unit,
  counted: Map<string, Set<string>>,
  { variantId, serialNumbers }: Receipt['lines'][number],
  field: string,
): Promise<void> {
  const known = counted.get(variantId) ?? new Set<string>()
  const again = serialNumbers.filter((serial) => known.has(serial))
  if (again.length > 0) throw invalidField(field, `Received with this inbound already: ${named(again)}.`)
  for (const serial of serialNumbers) known.add(serial)
  counted.set(variantId, known)
  await deleteShippedSerials(connection, variantId, serialNumbers)
}

/**
 * Counts received pieces on the inbound's lines. The pieces first fill the variant's lines that still lack pieces, in
 * the order of the lines. Further pieces are added to the variant's last line. If the variant has no line, a new line
 * with expected quantity 0 is added.
 */
function count(
  lines: CountedLine[],
  inboundId: string,
  { variantId, quantity, serialNumbers }: Receipt['lines'][number],
): void {
  const own = lines.filter(({ row }) => row.variant_id === variantId)
  if (own.length === 0) {
    // `lines` is sorted by position, so the new line gets the position after the last one
    const added = countedLine(emptyLine(inboundId, (lines.at(-1)?.row.position ?? -1) + 1, variantId))
    lines.push(added)
    own.push(added)
  }
  let left = quantity
  for (const line of own) {
    const processed = line.processed ?? 0
    const part = line === own.at(-1) ? left : Math.min(left, Math.max(0, line.row.quantity - processed))
    for (const serial of serialNumbers.slice(quantity - left, quantity - left + part))
      line.serials.push(serial)
    left -= part
    line.processed = processed + part
  }
}

/** Statuses in which the goods have arrived at the dock. In the status `on_hold` they may have arrived. */
const arrived: readonly InboundStatus[] = [
  'process_no_announcement',
  'transfer',
  'processing',
  'on_hold',
  'completed',
]

export async function controlQuality(
  unit: Unit,
  inboundId: string,
  control: NewQualityControl,
): Promise<{ id: string }> {
  const inbound = await existingInbound(unit, inboundId)
  if (!arrived.includes(inbound.status)) throw standsAt(inbound)
  const flag = (value: boolean): Flag => (value ? 1 : 0)
  const id = randomUUID()
  await insertQualityControl(unit.connection, {
    id,
    inbound_id: inboundId,
    pallet_count: control.palletCount,
    was_delivery_appointment: flag(control.wasDeliveryAppointment),
    had_packing_list: flag(control.hadPackingList),
    was_correct_quantity: flag(control.wasCorrectQuantity),
    had_proper_markings: flag(control.hadProperMarkings),
    box_condition: control.boxCondition,
    comments: control.comments,
    created_at: unit.now,
  })
  unit.changed('inbound', 'updated', { customerId: inbound.customer_id, id: inboundId })
  return { id }
}

async function existingInbound(unit: Unit, id: string): Promise<InboundTable> {
  const inbound = await findAnyInbound(unit.connection, id)
  if (inbound === null) throw new Refusal('not_found', 'Inbound not found.')
  return inbound
}

function standsAt({ status }: InboundTable): Refusal {
  return new Refusal('too_late', `The status of this inbound is ${status}.`)
}
