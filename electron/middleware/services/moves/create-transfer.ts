import { randomUUID } from 'node:crypto'
import { articleNamed, findArticles, insertArticle } from '../../data/goods/articles.ts'
import { nextSerial } from '../../data/engine/meta.ts'
import { findCustomers } from '../../data/access/customers.ts'
import type { Connection } from '../../data/engine/database.ts'
import type { VariantTable, TransferLineTable, TransferTable } from '../../data/schema/goods.ts'
import { insertTransfer } from '../../data/moves/transfers.ts'
import { insertVariants, variantsBearing } from '../../data/goods/variants.ts'
import type { Customer, ServiceContext } from '../context.ts'
import { matchVariants } from '../goods/match-variants.ts'
import { mergeLines } from '../orders/merge-lines.ts'
import { invalidField } from '../refusal.ts'
import { transact } from '../transact.ts'
import type { Unit } from '../unit.ts'

export interface NewTransfer {
  /** The source, which is the caller's customer. */
  readonly fromCustomerId: string
  readonly toCustomerId: string
  readonly externalReference: string
  readonly lines: readonly {
    /** Article code, EAN or SKU. */ readonly code: string
    readonly quantity: number
  }[]
}

interface Owners {
  readonly from: Customer
  readonly to: Customer
}

const linesField = 'customer_to_customer_transfer_lines'

/**
 * Makes a transfer in status `created` and, where the destination has no such variant yet, the variant. Answers the
 * id. Refused with 400: another source than the caller's, a destination among which the user may not act or that is
 * the source, articles not found. `customerIds`: those the user may act for.
 */
export async function createTransfer(
  context: ServiceContext,
  customer: Customer,
  customerIds: readonly string[],
  input: NewTransfer,
): Promise<string> {
  return transact(context, async (unit) => {
    const { connection: transaction, now } = unit
    const serial = await nextSerial(transaction, 'transfer')
    if (input.fromCustomerId !== customer.id)
      throw invalidField('customer', 'The source is the customer of the X-Customer-Code header.')
    const to = await destination(transaction, customer, customerIds, input.toCustomerId)
    const id = randomUUID()
    const row: TransferTable = {
      id,
      serial,
      customer_id: customer.id,
      to_customer_id: to.id,
      external_reference: input.externalReference,
      status: 'created',
      cancel_note: null,
      created_at: now,
      modified_at: now,
    }
    const lines = await resolveLines(unit, { from: customer, to }, id, input.lines)
    await insertTransfer(transaction, row, lines)
    return id
  })
}

async function destination(
  connection: Connection,
  from: Customer,
  customerIds: readonly string[],
  id: string,
): Promise<Customer> {
  if (id === from.id) throw invalidField('to_customer', 'The destination is the source.')
  const [to] = await findCustomers(
    connection,
    customerIds.filter((candidate) => candidate === id),
  )
  if (to === undefined) throw invalidField('to_customer', 'Customer not found.')
  return to
}

/** The same variant named twice is one line of the sum. */
async function resolveLines(
  unit: Unit,
  owners: Owners,
  transferId: string,
  lines: NewTransfer['lines'],
): Promise<TransferLineTable[]> {
  const placeOf = (index: number): string => `${linesField}.${index}.article_code`
  const codes = lines.map(({ code }) => code)
  const variants = await matchVariants(unit.connection, owners.from.id, codes, placeOf)
  const resolved = variants.map((variant, place) => ({
    variant,
    place,
    quantity: lines[place]?.quantity ?? 0,
    metaData: {},
  }))
  const merged = mergeLines(resolved, {
    identity: ({ variant }) => variant.id,
    add: (one, other) => ({ ...one, quantity: one.quantity + other.quantity }),
    field: linesField,
  })
  const rows: TransferLineTable[] = []
  for (const [position, { variant, quantity, place }] of merged.entries()) {
    const to = await counterpart(unit, owners, variant, placeOf(place))
    rows.push({
      id: randomUUID(),
      transfer_id: transferId,
      position,
      from_variant_id: variant.id,
      to_variant_id: to,
      quantity,
      finalized_quantity: 0,
    })
  }
  return rows
}

/**
 * The destination's variant of the same article code, else of the same EAN, else of the same SKU, else a new one like
 * the source's. Several of the same EAN or SKU: 400 under the line. Answers its id.
 */
async function counterpart(
  unit: Unit,
  { from, to }: Owners,
  variant: VariantTable,
  place: string,
): Promise<string> {
  const { connection, now } = unit
  for (const column of ['article_code', 'ean', 'sku'] as const) {
    const value = variant[column]
    const found = value === null ? [] : await variantsBearing(connection, to.id, column, [value])
    if (found.length > 1) throw invalidField(place, 'Several articles of the destination bear this code.')
    const [match] = found
    if (match !== undefined) return match.id
  }
  const articleId = await articleFor(unit, { from, to }, variant)
  const id = randomUUID()
  const times = { created_at: now, modified_at: now, stock_modified_at: now }
  await insertVariants(connection, [{ ...variant, id, article_id: articleId, customer_id: to.id, ...times }])
  unit.changed('variant', 'created', { customerId: to.id, id })
  return id
}

/** The destination's article of the same name as the source's; made where there is none. */
async function articleFor(unit: Unit, { from, to }: Owners, variant: VariantTable): Promise<string> {
  const { connection, now } = unit
  const source = (await findArticles(connection, from.id, [variant.article_id])).get(variant.article_id)
  const name = source?.name ?? variant.name
  const existing = await articleNamed(connection, to.id, name)
  if (existing !== null) return existing.id
  const id = randomUUID()
  await insertArticle(connection, {
    id,
    customer_id: to.id,
    name,
    created_at: now,
    modified_at: now,
    deleted_at: null,
  })
  unit.changed('article', 'created', { customerId: to.id, id })
  return id
}
