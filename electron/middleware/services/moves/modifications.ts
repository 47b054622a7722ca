import { randomUUID } from 'node:crypto'
import { formatReference } from '#shared/domain/references.ts'
import type { Connection } from '../../data/engine/database.ts'
import { nextSerial } from '../../data/engine/meta.ts'
import { findLocations } from '../../data/goods/locations.ts'
import { findVariants } from '../../data/goods/variants.ts'
import {
  findModification,
  insertModification,
  linesOfModification,
  listModifications as listRows,
} from '../../data/moves/modifications.ts'
import type { LocationTable, VariantTable } from '../../data/schema/goods.ts'
import type { ModificationLineTable, ModificationTable } from '../../data/schema/moves.ts'
import { type Customer, type ServiceContext, transact } from '../context.ts'
import { type Listing, type ListQuery, toPage } from '../paging.ts'
import { Refusal } from '../refusal.ts'

const listing: Listing<'createdAt' | 'reference'> = {
  columns: { createdAt: 'created_at', reference: 'reference' },
  sort: 'reference',
  direction: 'desc',
}

export interface ModificationRecord {
  readonly modification: ModificationTable
  readonly lines: readonly {
    readonly variant: VariantTable
    readonly location: LocationTable
    readonly quantity: number
  }[]
}

export interface NewModification {
  readonly reason: ModificationTable['reason']
  readonly note: string
  readonly lines: readonly NewLine[]
}

interface NewLine {
  readonly variantId: string
  readonly locationId: string
  readonly quantity: number
}

/** Lists modifications without their lines (API.md 9.1). */
export async function listModifications(
  context: ServiceContext,
  customer: Customer,
  call: { status: ModificationTable['status'] | null; query: ListQuery<'createdAt' | 'reference'> },
): Promise<ModificationTable[]> {
  return listRows(context.database, customer.id, call.status, toPage(call.query, listing))
}

export async function getModification(
  context: ServiceContext,
  customer: Customer,
  id: string,
): Promise<ModificationRecord> {
  const modification = await findModification(context.database, customer.id, id)
  if (modification === null) throw new Refusal('not_found', 'Modification not found.')
  const lines = await linesOfModification(context.database, id)
  return { modification, lines: await withGoods(context.database, customer, lines) }
}

/**
 * Announces a correction in status `created` and returns its id; the stock changes when the warehouse approves it.
 * Refused with 400 and a message for each wrong line: a line with a variant that the customer does not have, or with a
 * location that does not exist.
 */
export async function createModification(
  context: ServiceContext,
  customer: Customer,
  input: NewModification,
): Promise<string> {
  return transact(context, async (unit) => {
    const { connection: transaction, now } = unit
    await refuseUnknown(transaction, customer, input.lines)
    const serial = await nextSerial(transaction, 'modification')
    const id = randomUUID()
    const row: ModificationTable = {
      id,
      customer_id: customer.id,
      reference: formatReference('modification', serial),
      reason: input.reason,
      status: 'created',
      note: input.note,
      created_at: now,
      modified_at: now,
    }
    const lines = input.lines.map((line, position) => ({
      modification_id: id,
      position,
      variant_id: line.variantId,
      location_id: line.locationId,
      quantity: line.quantity,
    }))
    await insertModification(transaction, row, lines)
    const modification = { customerId: customer.id, id }
    unit.changed('modification', 'created', modification)
    unit.forWarehouse('modification', modification)
    return id
  })
}

async function refuseUnknown(
  connection: Connection,
  customer: Customer,
  lines: readonly NewLine[],
): Promise<void> {
  const variantIds = new Set(lines.map((line) => line.variantId))
  const locationIds = new Set(lines.map((line) => line.locationId))
  const variants = await findVariants(connection, customer.id, [...variantIds])
  const locations = await findLocations(connection, [...locationIds])
  const wrong = lines.flatMap(({ variantId, locationId }, index) => [
    ...(variants.get(variantId)?.deleted_at === null
      ? []
      : [[`${index}.variant`, 'Variant not found.'] as const]),
    ...(locations.has(locationId) ? [] : [[`${index}.location`, 'Location not found.'] as const]),
  ])
  if (wrong.length === 0) return
  const fields = wrong.map(([place, message]) => [`modification_lines.${place}`, [message]] as const)
  throw new Refusal('invalid', 'The lines contain unknown variants or locations.', {
    fields: Object.fromEntries(fields),
  })
}

async function withGoods(
  connection: Connection,
  customer: Customer,
  lines: readonly ModificationLineTable[],
): Promise<ModificationRecord['lines']> {
  const variants = await findVariants(connection, customer.id, [
    ...new Set(lines.map((line) => line.variant_id)),
  ])
  const locations = await findLocations(connection, [...new Set(lines.map((line) => line.location_id))])
  return lines.map((line) => {
    const variant = variants.get(line.variant_id)
    const location = locations.get(line.location_id)
    if (variant === undefined || location === undefined)
      throw new Error(`A line of modification ${line.modification_id} names a record that does not exist`)
    return { variant, location, quantity: line.quantity }
  })
}
