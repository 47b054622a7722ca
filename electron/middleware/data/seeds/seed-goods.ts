import type { World } from '../../warehouse/world.ts'
import type { Flag } from '../schema/flag.ts'
import type { ArticleTable, LocationTable, LocationTypeTable, VariantTable } from '../schema/goods.ts'
import type { ShippingMethodTable } from '../schema/shipments.ts'
import { storedTime } from './seed-rows.ts'

/** How a boolean is stored. */
export function flag(value: boolean): Flag {
  return value ? 1 : 0
}

export function shippingMethodRows(world: World): ShippingMethodTable[] {
  return world.shippingMethods.map((method) => ({
    id: method.id,
    code: method.code,
    description: method.description,
    shipper: method.shipper,
    shipper_code: method.shipperCode,
    shipping_software: method.shippingSoftware,
    administration_code: method.administrationCode,
    carrier: method.carrier,
    supports_return_labels: flag(method.supportsReturnLabels),
    label_layout: method.labelLayout,
    created_at: storedTime(method.createdAt),
    modified_at: storedTime(method.createdAt),
  }))
}

export function articleRows(world: World): ArticleTable[] {
  return world.articles.map((article) => ({
    id: article.id,
    customer_id: article.customerId,
    name: article.name,
    created_at: storedTime(article.createdAt),
    modified_at: storedTime(article.createdAt),
    deleted_at: null,
  }))
}

export function variantRows(world: World): VariantTable[] {
  const stockChanges = lastStockChanges(world)
  return world.variants.map((variant) => ({
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
  }))
}

/** By variant: its newest lot, or its newest order. */
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

export function locationRows(world: World): LocationTable[] {
  return world.locations.map((location) => ({
    id: location.id,
    code: location.code,
    pickable: flag(location.pickable),
  }))
}

export function locationTypeRows(world: World): LocationTypeTable[] {
  return world.locationTypes.map((type) => ({
    id: type.id,
    code: type.code,
    name: type.name,
    transport: flag(type.transport),
    pickable: flag(type.pickable),
    administration_code: type.administrationCode,
    created_at: storedTime(type.createdAt),
  }))
}
