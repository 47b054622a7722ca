import type { World } from '../../warehouse/world.ts'
import type { Connection } from '../engine/database.ts'
import { flag, insertAll, storedTime } from './seed-rows.ts'

/** Stores articles with their variants, bundles of variants, and locations. The customers must already be stored. */
export async function seedGoods(connection: Connection, world: World): Promise<void> {
  await seedVariants(connection, world)
  await seedBundles(connection, world)
  await insertAll(
    connection,
    'locations',
    world.locations.map(({ id, code, pickable }) => ({ id, code, pickable: flag(pickable) })),
  )
  await insertAll(
    connection,
    'location_types',
    world.locationTypes.map((type) => ({
      id: type.id,
      code: type.code,
      name: type.name,
      transport: flag(type.transport),
      pickable: flag(type.pickable),
      administration_code: type.administrationCode,
      created_at: storedTime(type.createdAt),
    })),
  )
}

async function seedVariants(connection: Connection, world: World): Promise<void> {
  await insertAll(
    connection,
    'articles',
    world.articles.map((article) => ({
      id: article.id,
      customer_id: article.customerId,
      name: article.name,
      created_at: storedTime(article.createdAt),
      modified_at: storedTime(article.createdAt),
      deleted_at: null,
    })),
  )
  const stockChanges = lastStockChanges(world)
  await insertAll(
    connection,
    'variants',
    world.variants.map((variant) => ({
      id: variant.id,
      article_id: variant.articleId,
      customer_id: variant.customerId,
      article_code: variant.articleCode,
      name: variant.name,
      description: variant.description,
      ean: variant.ean,
      sku: variant.sku,
      hs_tariff_code: variant.hsTariffCode,
      height: variant.height,
      depth: variant.depth,
      width: variant.width,
      weight: variant.weight,
      expirable: flag(variant.expirable),
      country_of_origin: variant.countryOfOrigin,
      using_serial_numbers: flag(variant.usingSerialNumbers),
      value: variant.value,
      created_at: storedTime(variant.createdAt),
      modified_at: storedTime(variant.createdAt),
      stock_modified_at: stockChanges.get(variant.id) ?? storedTime(variant.createdAt),
      deleted_at: null,
    })),
  )
}

/** Returns the time of the newest lot or order of each variant, whichever is later. */
function lastStockChanges(world: World): Map<string, string> {
  const last = new Map<string, string>()
  const note = (variantId: string, time: string): void => {
    const at = storedTime(time)
    if (at > (last.get(variantId) ?? '')) last.set(variantId, at)
  }
  for (const batch of world.batches) note(batch.variantId, batch.createdAt)
  for (const order of world.orders) for (const line of order.lines) note(line.variantId, order.modifiedAt)
  return last
}

async function seedBundles(connection: Connection, { bundles }: World): Promise<void> {
  await insertAll(
    connection,
    'variant_bundles',
    bundles.map((bundle) => ({
      id: bundle.id,
      customer_id: bundle.customerId,
      variant_id: bundle.variantId,
      created_at: storedTime(bundle.createdAt),
      modified_at: storedTime(bundle.createdAt),
    })),
  )
  await insertAll(
    connection,
    'variant_bundle_items',
    bundles.flatMap((bundle) =>
      bundle.items.map(({ id, variantId, quantity }, position) => ({
        id,
        bundle_id: bundle.id,
        position,
        variant_id: variantId,
        quantity,
      })),
    ),
  )
}
