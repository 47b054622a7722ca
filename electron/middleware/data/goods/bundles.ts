import type { Connection } from '../engine/database.ts'
import { type Page, readPage } from '../engine/listing.ts'
import type { VariantBundleItemTable, VariantBundleTable } from '../schema/goods.ts'

export async function listBundles(
  connection: Connection,
  customerId: string,
  page: Page,
): Promise<VariantBundleTable[]> {
  const all = connection.selectFrom('variant_bundles').selectAll().where('customer_id', '=', customerId)
  return readPage(connection, all, page)
}

export async function findBundle(
  connection: Connection,
  customerId: string,
  id: string,
): Promise<VariantBundleTable | null> {
  const row = await connection
    .selectFrom('variant_bundles')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Returns the items of the given bundles, sorted by bundle. The items of a bundle have the order in which they were
 * sent.
 */
export async function itemsOfBundles(
  connection: Connection,
  bundleIds: readonly string[],
): Promise<VariantBundleItemTable[]> {
  if (bundleIds.length === 0) return []
  return connection
    .selectFrom('variant_bundle_items')
    .selectAll()
    .where('bundle_id', 'in', bundleIds)
    .orderBy('bundle_id')
    .orderBy('position')
    .execute()
}

/** Stores a bundle. Fails with a unique violation if the variant already represents a bundle. */
export async function insertBundle(
  connection: Connection,
  row: VariantBundleTable,
  items: readonly VariantBundleItemTable[],
): Promise<void> {
  await connection.insertInto('variant_bundles').values(row).execute()
  await connection.insertInto('variant_bundle_items').values(items).execute()
}

/** Replaces all items of a bundle. */
export async function replaceBundleItems(
  connection: Connection,
  bundleId: string,
  items: readonly VariantBundleItemTable[],
  modifiedAt: string,
): Promise<void> {
  await connection.deleteFrom('variant_bundle_items').where('bundle_id', '=', bundleId).execute()
  await connection.insertInto('variant_bundle_items').values(items).execute()
  await connection
    .updateTable('variant_bundles')
    .set({ modified_at: modifiedAt })
    .where('id', '=', bundleId)
    .execute()
}
