import { randomUUID } from 'node:crypto'
import { canMoveTransfer } from '#shared/domain/resource-states.ts'
import { findCustomers } from '../../data/access/accounts.ts'
import type { Connection } from '../../data/engine/database.ts'
import { nextSerial } from '../../data/engine/meta.ts'
import { articlesNamed, findArticles, insertArticles } from '../../data/goods/articles.ts'
import {
  findAnyVariants,
  findVariants,
  insertVariants,
  variantsBearing,
  type NamedVariant,
} from '../../data/goods/variants.ts'
import {
  changeTransfer as changeRow,
  findTransfer,
  insertTransfer,
  linesOfTransfers,
  listTransfers as listRows,
  mayTransfer,
  type TransferChanges,
} from '../../data/moves/transfers.ts'
import type { VariantTable } from '../../data/schema/goods.ts'
import type { TransferLineTable, TransferTable } from '../../data/schema/moves.ts'
import { type Customer, type ServiceContext, transact } from '../context.ts'
import { matchVariants, mergeLines } from '../goods/named-lines.ts'
import { refuseFullArticles, refuseLongTexts } from '../goods/variants.ts'
import { type Listing, type ListQuery, toPage } from '../paging.ts'
import { invalidField, Refusal } from '../refusal.ts'
import type { Unit } from '../unit.ts'

type TransferSort = 'reference' | 'createdAt'

/** A transfer has no generated reference, so the sort order `reference` uses its serial number. */
const listing: Listing<TransferSort> = {
  columns: { reference: 'serial', createdAt: 'created_at' },
  sort: 'reference',
  direction: 'desc',
}

interface TransferLineRecord {
  readonly line: TransferLineTable
  readonly from: VariantTable
  readonly to: VariantTable
}

export interface TransferRecord {
  readonly transfer: TransferTable
  /** Null: the lines were not requested. */
  readonly lines: readonly TransferLineRecord[] | null
}

/** Refuses a user without access to transfers with 403. The roles of the user do not matter (API.md 10.1). */
export async function requireTransferAccess(context: ServiceContext, userId: string): Promise<void> {
  if (!(await mayTransfer(context.database, userId)))
    throw new Refusal('forbidden', 'No access to customer-to-customer transfers.')
}

export async function listTransfers(
  context: ServiceContext,
  customer: Customer,
  call: { query: ListQuery<TransferSort>; withLines: boolean },
): Promise<TransferRecord[]> {
  const rows = await listRows(context.database, customer.id, toPage(call.query, listing))
  return call.withLines ? withLines(context, rows) : rows.map((transfer) => ({ transfer, lines: null }))
}

export async function getTransfer(
  context: ServiceContext,
  customer: Customer,
  call: { id: string; withLines: boolean },
): Promise<TransferRecord> {
  const transfer = await existingTransfer(context.database, customer, call.id)
  const [record] = call.withLines ? await withLines(context, [transfer]) : []
  return record ?? { transfer, lines: null }
}

/**
 * Changes the external reference of a transfer. `externalReference` null: it does not change. Refused with 412 after
 * the transfer was requested or cancelled (API.md 10.2).
 */
export async function changeTransfer(
  context: ServiceContext,
  customer: Customer,
  call: { id: string; externalReference: string | null },
): Promise<void> {
  await transact(context, async ({ connection: transaction, now }) => {
    const transfer = await existingTransfer(transaction, customer, call.id)
    if (transfer.status !== 'created') throw standsAt(transfer)
    if (call.externalReference === null) return
    const changes = { external_reference: call.externalReference }
    await changeRow(transaction, transfer, changes, now)
  })
}

/**
 * Requests a transfer; a second call changes nothing. Refused with 412 if the warehouse has begun to process the
 * transfer or has decided about it, or if the transfer was cancelled.
 */
export async function requestTransfer(
  context: ServiceContext,
  customer: Customer,
  id: string,
): Promise<void> {
  await move(context, customer, id, { status: 'requested' })
}

/** Cancels a transfer in any status; a second call changes nothing, not even the note (API.md 10.2). */
export async function cancelTransfer(
  context: ServiceContext,
  customer: Customer,
  call: { id: string; note: string | null },
): Promise<void> {
  await move(context, customer, call.id, { status: 'cancelled', cancel_note: call.note })
}

async function move(
  context: ServiceContext,
  customer: Customer,
  id: string,
  changes: TransferChanges & Pick<TransferTable, 'status'>,
): Promise<void> {
  await transact(context, async (unit) => {
    const { connection: transaction } = unit
    const transfer = await existingTransfer(transaction, customer, id)
    if (transfer.status === changes.status) return
    if (!canMoveTransfer(transfer.status, changes.status)) throw standsAt(transfer)
    await changeRow(transaction, transfer, changes, unit.now)
    unit.forWarehouse('transfer', { customerId: customer.id, id })
  })
}

/** Returns the customer's transfer. A transfer whose source is another customer is treated as not found. */
async function existingTransfer(
  connection: Connection,
  customer: Customer,
  id: string,
): Promise<TransferTable> {
  const transfer = await findTransfer(connection, customer.id, id)
  if (transfer === null) throw new Refusal('not_found', 'Transfer not found.')
  return transfer
}

function standsAt({ status }: TransferTable): Refusal {
  return new Refusal('already_requested', `The status of this transfer is ${status}.`)
}

async function withLines(
  context: ServiceContext,
  transfers: readonly TransferTable[],
): Promise<TransferRecord[]> {
  const { database } = context
  const lines = await linesOfTransfers(
    database,
    transfers.map(({ id }) => id),
  )
  const variants = await variantsOf(database, transfers, lines)
  const grouped = Map.groupBy(lines, (line) => line.transfer_id)
  return transfers.map((transfer) => ({
    transfer,
    lines: (grouped.get(transfer.id) ?? []).map((line) => {
      const from = variants.get(line.from_variant_id)
      const to = variants.get(line.to_variant_id)
      if (from === undefined || to === undefined)
        throw new Error(`A variant of line ${line.id} does not exist`)
      return { line, from, to }
    }),
  }))
}

/** Returns the variants of all customers in the transfers. Each variant is looked up under its own customer. */
async function variantsOf(
  connection: Connection,
  transfers: readonly TransferTable[],
  lines: readonly TransferLineTable[],
): Promise<Map<string, VariantTable>> {
  const ids = new Set(lines.flatMap((line) => [line.from_variant_id, line.to_variant_id]))
  const customers = new Set(transfers.flatMap((transfer) => [transfer.customer_id, transfer.to_customer_id]))
  const found = new Map<string, VariantTable>()
  for (const customer of customers)
    for (const [id, variant] of await findVariants(connection, customer, [...ids])) found.set(id, variant)
  return found
}

export interface NewTransfer {
  /** The source, which must be the caller's customer. */
  readonly fromCustomerId: string
  readonly toCustomerId: string
  readonly externalReference: string
  readonly lines: readonly {
    /** The article code, EAN or SKU of a variant. */ readonly code: string
    readonly quantity: number
  }[]
}

interface Owners {
  readonly from: Customer
  readonly to: Customer
}

const linesField = 'customer_to_customer_transfer_lines'

/**
 * Creates a transfer in status `created` and returns its id. Also creates each variant that the destination does not
 * have yet. Refused with 400: a source other than the caller's customer, a destination that is the source or that the
 * user may not act for, articles that are not found, new variants with too long texts. `customerIds`: the customers
 * that the user may act for.
 */
export async function createTransfer(
  context: ServiceContext,
  customer: Customer,
  customerIds: readonly string[],
  input: NewTransfer,
): Promise<string> {
  return transact(context, async (unit) => {
    const { connection: transaction, now } = unit
    if (input.fromCustomerId !== customer.id)
      throw invalidField('customer', 'The source is the customer of the X-Customer-Code header.')
    const to = await destination(transaction, customer, customerIds, input.toCustomerId)
    const id = randomUUID()
    const lines = await resolveLines(unit, { from: customer, to }, id, input.lines)
    const serial = await nextSerial(transaction, 'transfer')
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
  if (id === from.id) throw invalidField('to_customer', 'The destination must differ from the source.')
  const [to] = await findCustomers(
    connection,
    customerIds.filter((candidate) => candidate === id),
  )
  if (to === undefined) throw invalidField('to_customer', 'Customer not found.')
  return to
}

/**
 * Returns the rows of the sent lines, each with the variants of both customers (`withCounterparts`). Lines of the same
 * variant become one with the sum of their quantities.
 */
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
  return (await withCounterparts(unit, owners, merged, placeOf)).map(
    ({ variant, quantity, to }, position) => ({
      id: randomUUID(),
      transfer_id: transferId,
      position,
      from_variant_id: variant.id,
      to_variant_id: to,
      quantity,
      finalized_quantity: 0,
    }),
  )
}

/** A variant of the source that the destination does not have yet, and the id of the copy that the destination gets. */
interface Copy {
  readonly id: string
  readonly variant: NamedVariant
}

/**
 * Adds to each line the id of the destination's variant with the same article code, otherwise the same EAN, otherwise
 * the same SKU. If there is none, creates a copy of the source's variant. If several variants have the same EAN or SKU,
 * the call is refused with 400, and the error names the line. The number of statements does not depend on the number of
 * lines.
 */
async function withCounterparts<Line extends { readonly variant: NamedVariant; readonly place: number }>(
  unit: Unit,
  owners: Owners,
  lines: readonly Line[],
  placeOf: (index: number) => string,
): Promise<(Line & { readonly to: string })[]> {
  /** The ids of the destination's variants, by their keys from `keysOf`. */
  const bearers = new Map<string, string[]>()
  for (const column of sharedCodes) {
    const open = lines.filter(({ variant }) => !keysOf(variant).some((key) => bearers.has(key)))
    const values = new Set(open.flatMap(({ variant }) => variant[column] ?? []))
    for (const variant of await variantsBearing(unit.connection, owners.to.id, column, [...values])) {
      const key = keyOf(column, variant[column])
      bearers.set(key, [...(bearers.get(key) ?? []), variant.id])
    }
  }
  const copies: Copy[] = []
  const found = lines.map((line) => {
    const keys = keysOf(line.variant)
    const [to, ...others] = keys.map((key) => bearers.get(key)).find((ids) => ids !== undefined) ?? []
    if (others.length > 0)
      throw invalidField(placeOf(line.place), 'Several articles of the destination have this code.')
    if (to !== undefined) return { ...line, to }
    const id = randomUUID()
    copies.push({ id, variant: line.variant })
    // the copy is stored under its keys, so that a later line with the same EAN or SKU finds it
    for (const key of keys) bearers.set(key, [id])
    return { ...line, to: id }
  })
  await insertCopies(unit, owners, copies)
  return found
}

/** The columns in which the destination's variants are looked up, in this order. */
const sharedCodes = ['article_code', 'ean', 'sku'] as const

function keysOf(variant: NamedVariant): string[] {
  return sharedCodes.flatMap((column) => (variant[column] === null ? [] : [keyOf(column, variant[column])]))
}

function keyOf(column: (typeof sharedCodes)[number], value: string | null): string {
  return `${column} ${value ?? ''}`
}

/**
 * Creates the copies of the source's variants at the destination. Each copy belongs to the destination's article that
 * has the same name as the source's article.
 */
async function insertCopies(unit: Unit, owners: Owners, copies: readonly Copy[]): Promise<void> {
  const { connection, now } = unit
  const sources = await findAnyVariants(
    connection,
    copies.map(({ variant }) => variant.id),
  )
  const articleIds = await articlesFor(unit, owners, copies)
  const times = { created_at: now, modified_at: now, stock_modified_at: now }
  const rows = copies.map(({ id, variant }) => {
    const source = sources.get(variant.id)
    const articleId = articleIds.get(variant.article_id)
    if (source === undefined || articleId === undefined)
      throw new Error(`The variant ${variant.id} or its article does not exist`)
    return { ...source, id, article_id: articleId, customer_id: owners.to.id, ...times }
  })
  refuseLongTexts(rows, linesField)
  await insertVariants(connection, rows)
  await refuseFullArticles(connection, [...new Set(rows.map((row) => row.article_id))], linesField)
  for (const { id } of copies) unit.changed('variant', 'created', { customerId: owners.to.id, id })
}

/**
 * Returns the ids of the destination's articles by the ids of the source's articles, and creates those that the
 * destination does not have.
 */
async function articlesFor(
  unit: Unit,
  { from, to }: Owners,
  copies: readonly Copy[],
): Promise<Map<string, string>> {
  const { connection, now } = unit
  const sourceIds = new Set(copies.map(({ variant }) => variant.article_id))
  const sources = [...(await findArticles(connection, from.id, [...sourceIds])).values()]
  const names = new Set(sources.map(({ name }) => name))
  const known = await articlesNamed(connection, to.id, [...names])
  const created = [...names]
    .filter((name) => !known.has(name))
    .map((name) => {
      const times = { created_at: now, modified_at: now, deleted_at: null }
      return { id: randomUUID(), customer_id: to.id, name, ...times }
    })
  await insertArticles(connection, created)
  for (const { id } of created) unit.changed('article', 'created', { customerId: to.id, id })
  const idsByName = new Map([...known, ...created.map(({ id, name }) => [name, id] as const)])
  return new Map(sources.map(({ id, name }) => [id, idsByName.get(name) ?? '']))
}
