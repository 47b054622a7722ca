import { randomUUID } from 'node:crypto'
import { formatReference } from '#shared/domain/references.ts'
import type { OwnPairs } from '#shared/wire/loose.ts'
import { nextSerial } from '../../data/engine/meta.ts'
import type { Connection } from '../../data/engine/database.ts'
import { insertInbound } from '../../data/moves/inbounds.ts'
import type { InboundLineTable, InboundTable } from '../../data/schema/goods.ts'
import { type Customer, type ServiceContext } from '../context.ts'
import { matchVariants } from '../goods/match-variants.ts'
import { mergeLines } from '../orders/merge-lines.ts'
import { transact } from '../transact.ts'

export interface NewInboundLine {
  /** Article code, EAN or SKU. */
  readonly code: string
  readonly quantity: number
  readonly packingSlip: number
  readonly metaData: OwnPairs
}

export interface NewInbound {
  readonly externalReference: string
  /** YYYY-MM-DD. */
  readonly inboundDate: string
  readonly note: string | null
  readonly metaData: OwnPairs
  readonly lines: readonly NewInboundLine[]
}

/** Announces goods. Answers the id; refused with 400 under the line: an article not found, lines not to be merged. */
export async function createInbound(
  context: ServiceContext,
  customer: Customer,
  input: NewInbound,
): Promise<string> {
  return transact(context, async (unit) => {
    const { connection: transaction, now } = unit
    const serial = await nextSerial(transaction, 'inbound')
    const id = randomUUID()
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
    await insertInbound(transaction, row, await resolveInboundLines(transaction, customer, id, input.lines))
    const inbound = { customerId: customer.id, id }
    unit.changed('inbound', 'created', inbound)
    unit.forWarehouse('inbound', inbound)
    return id
  })
}

/** Rows of lines as somebody announces them: identical ones are one, of the sum. */
export async function resolveInboundLines(
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
