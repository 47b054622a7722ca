import { randomUUID } from 'node:crypto'
import { inTransaction, type Connection, isUniqueViolation } from '../../data/engine/database.ts'
import {
  findBundle,
  insertBundle,
  itemsOfBundles,
  listBundles as listRows,
  replaceBundleItems,
} from '../../data/goods/bundles.ts'
import { findVariants } from '../../data/goods/variants.ts'
import type { VariantBundleItemTable, VariantBundleTable, VariantTable } from '../../data/schema/goods.ts'
import { type Customer, type ServiceContext, storedNow } from '../context.ts'
import { type Listing, type ListQuery, toPage } from '../paging.ts'
import { invalidField, Refusal } from '../refusal.ts'
import { matchVariants, mergeLines } from './named-lines.ts'

/** The only sort order, because a client cannot choose one (API.md 3.3). */
const listing: Listing<'createdAt'> = {
  columns: { createdAt: 'created_at' },
  sort: 'createdAt',
  direction: 'asc',
}

export interface BundleRecord {
  readonly bundle: VariantBundleTable
  readonly variant: VariantTable
  /** Null: the items were not requested. */
  readonly items: readonly { readonly item: VariantBundleItemTable; readonly variant: VariantTable }[] | null
}

export interface NewBundleItem {
  /** Code of a variant in the bundle: its article code, EAN or SKU. */
  readonly code: string
  readonly quantity: number
}

export async function listBundles(
  context: ServiceContext,
  customer: Customer,
  call: { query: ListQuery<'createdAt'>; withItems: boolean },
): Promise<BundleRecord[]> {
  const rows = await listRows(context.database, customer.id, toPage(call.query, listing))
  return withVariants(context.database, customer, rows, call.withItems)
}

export async function getBundle(
  context: ServiceContext,
  customer: Customer,
  call: { id: string; withItems: boolean },
): Promise<BundleRecord> {
  const { database } = context
  const row = await existingBundle(database, customer, call.id)
  const [record] = await withVariants(database, customer, [row], call.withItems)
  if (record === undefined) throw bundleNotFound()
  return record
}

/**
 * Creates a bundle and returns its id. Refused with 400: an article that is not found, a variant that is already a
 * bundle, a bundle that contains itself.
 */
export async function createBundle(
  context: ServiceContext,
  customer: Customer,
  input: { code: string; items: readonly NewBundleItem[] },
): Promise<string> {
  try {
    return await inTransaction(context.database, async (transaction) => {
      const [variant] = await matchVariants(transaction, customer.id, [input.code], () => 'variant_bundle')
      if (variant === undefined) throw bundleNotFound()
      const id = randomUUID()
      const now = storedNow(context)
      const row = { id, customer_id: customer.id, variant_id: variant.id, created_at: now, modified_at: now }
      await insertBundle(transaction, row, await resolveItems(transaction, row, input.items))
      return id
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw invalidField('variant_bundle', 'This variant is a bundle already.')
    throw error
  }
}

/** Changes a bundle. `items` null: the items do not change. Otherwise they replace all existing items. */
export async function changeBundle(
  context: ServiceContext,
  customer: Customer,
  call: { id: string; items: readonly NewBundleItem[] | null },
): Promise<void> {
  const { items } = call
  await inTransaction(context.database, async (transaction) => {
    const bundle = await existingBundle(transaction, customer, call.id)
    if (items === null) return
    const rows = await resolveItems(transaction, bundle, items)
    await replaceBundleItems(transaction, bundle.id, rows, storedNow(context))
  })
}

async function existingBundle(
  connection: Connection,
  customer: Customer,
  id: string,
): Promise<VariantBundleTable> {
  const bundle = await findBundle(connection, customer.id, id)
  if (bundle === null) throw bundleNotFound()
  return bundle
}

/**
 * Returns the rows of the sent items. Items with the same variant become one, with the sum of their quantities. Refused
 * with 400, with an error for the item: a code that matches no variant or several, and a variant that represents the
 * bundle itself.
 */
async function resolveItems(
  connection: Connection,
  bundle: VariantBundleTable,
  items: readonly NewBundleItem[],
): Promise<VariantBundleItemTable[]> {
  const codes = items.map(({ code }) => code)
  const placeOf = (index: number): string => `variant_bundle_items.${index}.article_code`
  const variants = await matchVariants(connection, bundle.customer_id, codes, placeOf)
  const own = variants.findIndex(({ id }) => id === bundle.variant_id)
  if (own >= 0) throw invalidField(placeOf(own), 'A bundle cannot contain itself.')
  const resolved = items.map(({ quantity }, index) => ({
    variantId: variants[index]?.id ?? '',
    quantity,
    metaData: {},
  }))
  const merged = mergeLines(resolved, {
    identity: (item) => item.variantId,
    add: (one, other) => ({ ...one, quantity: one.quantity + other.quantity }),
    field: 'variant_bundle_items',
  })
  return merged.map(({ variantId, quantity }, position) => ({
    id: randomUUID(),
    bundle_id: bundle.id,
    position,
    variant_id: variantId,
    quantity,
  }))
}

async function withVariants(
  connection: Connection,
  customer: Customer,
  bundles: readonly VariantBundleTable[],
  withItems: boolean,
): Promise<BundleRecord[]> {
  const ids = withItems ? bundles.map(({ id }) => id) : []
  const items = await itemsOfBundles(connection, ids)
  const wanted = new Set([...bundles, ...items].map((row) => row.variant_id))
  const variants = await findVariants(connection, customer.id, [...wanted])
  const variantOf = (row: { id: string; variant_id: string }): VariantTable => {
    const variant = variants.get(row.variant_id)
    if (variant === undefined) throw new Error(`The variant of ${row.id} is gone`)
    return variant
  }
  const grouped = Map.groupBy(items, (item) => item.bundle_id)
  return bundles.map((bundle) => ({
    bundle,
    variant: variantOf(bundle),
    items: withItems
      ? (grouped.get(bundle.id) ?? []).map((item) => ({ item, variant: variantOf(item) }))
      : null,
  }))
}

function bundleNotFound(): Refusal {
  return new Refusal('not_found', 'Variant bundle not found.')
}
