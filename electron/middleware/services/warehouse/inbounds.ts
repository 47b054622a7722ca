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
import { LotMoves, named, requirePieces, requireSerialNumbers } from './lots.ts'
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
  // the type of `to` excludes `completed`, and the HTTP route refuses it; this check applies to a caller without a type
  // check
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
  const before = await linesOfInbound(connection, inboundId)
  let lines: readonly InboundLineTable[] = before
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
    lines = count(lines, inboundId, line)
    const { locationId, expirationDate } = line
    await moves.put(variant, { locationId, expirationDate, inboundId }, line.quantity)
  }
  if (receipt.complete)
    lines = lines.map((line) => (line.processed === null ? { ...line, processed: 0 } : line))
  for (const [index, line] of lines.entries())
    if (line !== before[index]) await putInboundLine(connection, line)
  await moves.tell()
  await enter(unit, inbound, receipt.complete ? 'completed' : 'processing')
}

/** Returns the serial numbers on the lines of an inbound, by variant. */
function serialsOf(lines: readonly InboundLineTable[]): Map<string, Set<string>> {
  const serials = new Map<string, Set<string>>()
  for (const line of lines)
    for (const serial of readSerialNumbers(line.serial_numbers)) {
      const known = serials.get(line.variant_id) ?? new Set<string>()
      serials.set(line.variant_id, known.add(serial))
    }
  return serials
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
 * Returns the inbound's lines after the pieces were counted. The pieces fill the lines of the variant with missing
 * pieces, in the order of the lines. Further pieces are added to the variant's last line. If the variant has no line, a
 * new line with expected quantity 0 is added.
 */
function count(
  lines: readonly InboundLineTable[],
  inboundId: string,
  { variantId, quantity, serialNumbers }: Receipt['lines'][number],
): readonly InboundLineTable[] {
  const last = lines.findLastIndex((line) => line.variant_id === variantId)
  const position = Math.max(-1, ...lines.map((line) => line.position)) + 1
  const all = last < 0 ? [...lines, emptyLine(inboundId, position, variantId)] : lines
  const takesRest = last < 0 ? all.length - 1 : last
  let left = quantity
  const rest = [...serialNumbers]
  return all.map((line, index) => {
    if (line.variant_id !== variantId) return line
    const processed = line.processed ?? 0
    const part = index === takesRest ? left : Math.min(left, Math.max(0, line.quantity - processed))
    left -= part
    const serials = [...readSerialNumbers(line.serial_numbers), ...rest.splice(0, part)]
    return { ...line, processed: processed + part, serial_numbers: JSON.stringify(serials) }
  })
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
