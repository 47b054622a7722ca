import { randomUUID } from 'node:crypto'
import { canMoveInbound, type InboundStatus, isInboundOpen } from '#shared/domain/resource-states.ts'
import { formatReference } from '#shared/domain/references.ts'
import type { OwnPairs } from '#shared/wire/loose.ts'
import type { Connection } from '../../data/engine/database.ts'
import { nextSerial } from '../../data/engine/meta.ts'
import { findVariants } from '../../data/goods/variants.ts'
import {
  changeInbound as changeRow,
  controlsOfInbound,
  documentsOfControls,
  documentsOfInbound,
  findInbound,
  type InboundFilters,
  insertInbound,
  linesOfInbound,
  linesOfInbounds,
  type ListedInbound,
  listInbounds as listRows,
  type OwnedDocument,
  replaceInboundLines,
} from '../../data/moves/inbounds.ts'
import type { VariantTable } from '../../data/schema/goods.ts'
import type { InboundLineTable, InboundTable, QualityControlTable } from '../../data/schema/moves.ts'
import { type Customer, type ServiceContext, transact } from '../context.ts'
import { matchVariants, mergeLines } from '../goods/named-lines.ts'
import { type Listing, type ListQuery, toPage } from '../paging.ts'
import { Refusal } from '../refusal.ts'
import type { Unit } from '../unit.ts'

type InboundSort = 'createdAt' | 'status' | 'modifiedAt' | 'inboundDate'

const listing: Listing<InboundSort> = {
  columns: {
    createdAt: 'created_at',
    status: 'status',
    modifiedAt: 'modified_at',
    inboundDate: 'inbound_date',
  },
  sort: 'inboundDate',
  direction: 'desc',
}

export interface QualityControlRecord {
  readonly control: QualityControlTable
  readonly documents: readonly OwnedDocument[]
}

export interface InboundRecord {
  readonly inbound: InboundTable
  readonly lines: readonly { readonly line: InboundLineTable; readonly variant: VariantTable }[]
  /** The quality controls of the inbound. Null: they were not requested. */
  readonly controls: readonly QualityControlRecord[] | null
  readonly documents: readonly OwnedDocument[] | null
}

export interface InboundParts {
  readonly controls: boolean
  readonly documents: boolean
}

/** Lists inbounds without their lines (API.md 5.1). */
export async function listInbounds(
  context: ServiceContext,
  customer: Customer,
  call: { filters: InboundFilters; query: ListQuery<InboundSort> },
): Promise<ListedInbound[]> {
  return listRows(context.database, customer.id, call.filters, toPage(call.query, listing))
}

export async function getInbound(
  context: ServiceContext,
  customer: Customer,
  id: string,
  parts: InboundParts,
): Promise<InboundRecord> {
  const { database } = context
  const inbound = await existingInbound(database, customer, id)
  return {
    inbound,
    lines: await withVariants(database, customer, await linesOfInbound(database, id)),
    controls: parts.controls ? await readControls(database, id) : null,
    documents: parts.documents ? await documentsOfInbound(database, id) : null,
  }
}

/** Lists the quality controls of the goods that arrived, the earliest first (API.md 5.3). */
export async function listQualityControls(
  context: ServiceContext,
  customer: Customer,
  id: string,
): Promise<QualityControlRecord[]> {
  await existingInbound(context.database, customer, id)
  return readControls(context.database, id)
}

/** The fields to change. Missing fields stay unchanged; lines replace all existing lines. */
export interface InboundChange {
  readonly externalReference?: string
  readonly inboundDate?: string
  readonly note?: string | null
  readonly metaData?: OwnPairs
  readonly lines?: readonly NewInboundLine[]
}

/**
 * Changes the sent fields; a call without fields changes nothing. Refused with 412: any change of a cancelled inbound,
 * and new lines or a new day once the warehouse processes the inbound, or once it received pieces. Refused with 400,
 * with an error for the line: an article that is not found, and lines that cannot be merged.
 */
export async function changeInbound(
  context: ServiceContext,
  customer: Customer,
  call: { id: string; change: InboundChange },
): Promise<void> {
  const { change } = call
  await transact(context, async (unit) => {
    const { connection: transaction } = unit
    const inbound = await existingInbound(transaction, customer, call.id)
    if (Object.keys(change).length === 0) return
    const touchesGoods = change.lines !== undefined || change.inboundDate !== undefined
    if (inbound.status === 'cancelled' || (touchesGoods && !isInboundOpen(inbound.status)))
      throw standsAt(inbound.status)
    if (touchesGoods) await refusePartlyReceived(transaction, inbound.id)
    if (change.lines !== undefined) {
      const lines = await resolveInboundLines(transaction, customer, inbound.id, change.lines)
      await replaceInboundLines(transaction, inbound.id, lines)
    }
    const changes = {
      ...(change.externalReference !== undefined && { external_reference: change.externalReference }),
      ...(change.inboundDate !== undefined && { inbound_date: change.inboundDate }),
      ...(change.note !== undefined && { note: change.note }),
      ...(change.metaData !== undefined && { meta_data: JSON.stringify(change.metaData) }),
    }
    await changeRow(transaction, inbound, changes, unit.now)
    noteChange(unit, inbound)
  })
}

/**
 * Cancels an inbound; a second call changes nothing. Refused with 412 once the warehouse processes the inbound, or once
 * it received pieces.
 */
export async function cancelInbound(context: ServiceContext, customer: Customer, id: string): Promise<void> {
  await transact(context, async (unit) => {
    const inbound = await existingInbound(unit.connection, customer, id)
    if (inbound.status === 'cancelled') return
    if (!canMoveInbound(inbound.status, 'cancelled')) throw standsAt(inbound.status)
    await refusePartlyReceived(unit.connection, inbound.id)
    await changeRow(unit.connection, inbound, { status: 'cancelled' }, unit.now)
    noteChange(unit, inbound)
  })
}

/**
 * Refuses the call with 412 after pieces were received, even if the status allows it again, such as `on_hold`. The
 * lines contain the counts and serial numbers of these pieces, which are in stock.
 */
async function refusePartlyReceived(connection: Connection, inboundId: string): Promise<void> {
  const lines = await linesOfInbounds(connection, [inboundId])
  if (lines.some(({ processed }) => processed !== null))
    throw new Refusal('already_requested', 'Pieces of this inbound were received.')
}

function noteChange(unit: Unit, { customer_id: customerId, id }: InboundTable): void {
  unit.changed('inbound', 'updated', { customerId, id })
  unit.forWarehouse('inbound', { customerId, id })
}

/** Returns the customer's inbound. An inbound of another customer is treated as not found. */
async function existingInbound(
  connection: Connection,
  customer: Customer,
  id: string,
): Promise<InboundTable> {
  const inbound = await findInbound(connection, customer.id, id)
  if (inbound === null) throw new Refusal('not_found', 'Inbound not found.')
  return inbound
}

function standsAt(status: InboundStatus): Refusal {
  return new Refusal('already_requested', `The status of this inbound is ${status}.`)
}

async function readControls(connection: Connection, inboundId: string): Promise<QualityControlRecord[]> {
  const controls = await controlsOfInbound(connection, inboundId)
  const found = await documentsOfControls(
    connection,
    controls.map(({ id }) => id),
  )
  const documents = Map.groupBy(found, (document) => document.owner_id)
  return controls.map((control) => ({ control, documents: documents.get(control.id) ?? [] }))
}

async function withVariants(
  connection: Connection,
  customer: Customer,
  lines: readonly InboundLineTable[],
): Promise<InboundRecord['lines']> {
  const ids = new Set(lines.map((line) => line.variant_id))
  const variants = await findVariants(connection, customer.id, [...ids])
  return lines.map((line) => {
    const variant = variants.get(line.variant_id)
    if (variant === undefined)
      throw new Error(`A line of inbound ${line.inbound_id} names a record that does not exist`)
    return { line, variant }
  })
}

export interface NewInboundLine {
  /** Code of a variant: its article code, EAN or SKU. */
  readonly code: string
  readonly quantity: number
  readonly packingSlip: number
  readonly metaData: OwnPairs
}

export interface NewInbound {
  readonly externalReference: string
  /** Expected day of arrival, as YYYY-MM-DD. */
  readonly inboundDate: string
  readonly note: string | null
  readonly metaData: OwnPairs
  readonly lines: readonly NewInboundLine[]
}

/**
 * Announces goods and returns the id. Refused with 400 if an article is not found or lines cannot be merged; the error
 * names the lines.
 */
export async function createInbound(
  context: ServiceContext,
  customer: Customer,
  input: NewInbound,
): Promise<string> {
  return transact(context, async (unit) => {
    const { connection: transaction, now } = unit
    const id = randomUUID()
    const lines = await resolveInboundLines(transaction, customer, id, input.lines)
    const serial = await nextSerial(transaction, 'inbound')
    const row: InboundTable = {
      id,
      customer_id: customer.id,
      reference: formatReference('inbound', serial),
      external_reference: input.externalReference,
      is_return: 0,
      status: 'announced',
      type: 'announced',
      inbound_date: input.inboundDate,
      note: input.note,
      meta_data: JSON.stringify(input.metaData),
      created_at: now,
      modified_at: now,
    }
    await insertInbound(transaction, row, lines)
    const inbound = { customerId: customer.id, id }
    unit.changed('inbound', 'created', inbound)
    unit.forWarehouse('inbound', inbound)
    return id
  })
}

/** Returns the rows of announced lines. Identical lines become one with the sum of their quantities. */
async function resolveInboundLines(
  connection: Connection,
  customer: Customer,
  inboundId: string,
  lines: readonly NewInboundLine[],
): Promise<InboundLineTable[]> {
  const codes = lines.map(({ code }) => code)
  const placeOf = (index: number): string => `inbound_lines.${index}.article_code`
  const variants = await matchVariants(connection, customer.id, codes, placeOf)
  const resolved = lines.map((line, index) => ({ ...line, variantId: variants[index]?.id ?? '' }))
  const merged = mergeLines(resolved, {
    identity: (line) => line.variantId,
    add: (one, other) => ({
      ...one,
      quantity: one.quantity + other.quantity,
      packingSlip: one.packingSlip + other.packingSlip,
    }),
    field: 'inbound_lines',
  })
  return merged.map((line, position) => ({
    inbound_id: inboundId,
    position,
    variant_id: line.variantId,
    quantity: line.quantity,
    processed: null,
    packing_slip: line.packingSlip,
    serial_numbers: '[]',
    meta_data: JSON.stringify(line.metaData),
  }))
}
