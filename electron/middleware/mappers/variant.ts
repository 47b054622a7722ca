import type { z } from 'zod'
import type { Variant, variantInput, variantPatch } from '#shared/wire/variant.ts'
import type { Flag, VariantTable } from '../data/schema/goods.ts'
import type { VariantChanges } from '../data/goods/variants.ts'
import type { NewVariant } from '../services/goods/goods-fields.ts'
import type { VariantRecord } from '../services/goods/variants.ts'
import { toWireTime } from './time.ts'

/** api.md, Variant, without its article. */
export function toWireVariant(row: VariantTable): Variant {
  return {
    id: row.id,
    article_code: row.article_code,
    name: row.name,
    description: row.description,
    ean: row.ean,
    sku: row.sku,
    hs_tariff_code: row.hs_tariff_code,
    height: row.height,
    depth: row.depth,
    width: row.width,
    weight: row.weight,
    expirable: row.expirable === 1,
    country_of_origin: row.country_of_origin,
    using_serial_numbers: row.using_serial_numbers === 1,
    value: row.value,
    created_at: toWireTime(row.created_at),
    modified_at: toWireTime(row.modified_at),
  }
}

/** With its article where that was asked for (Expand `article`). */
export function toWireVariantRecord({ variant, article }: VariantRecord): Variant {
  return {
    ...toWireVariant(variant),
    ...(article && { article: { id: article.id, name: article.name, customer: article.customer_id } }),
  }
}

export function fromWireVariant(body: z.output<typeof variantInput>): NewVariant {
  return { ...fromWireVariantPatch(body), article_code: body.article_code }
}

/** Only the fields that were sent; an explicit null empties an optional one. */
export function fromWireVariantPatch(body: z.output<typeof variantPatch>): VariantChanges {
  return {
    ...(body.article !== undefined && { article_id: body.article.toLowerCase() }),
    ...(body.article_code !== undefined && { article_code: body.article_code }),
    ...(body.name !== undefined && { name: body.name }),
    ...(body.description !== undefined && { description: body.description }),
    ...(body.ean !== undefined && { ean: body.ean }),
    ...(body.sku !== undefined && { sku: body.sku }),
    ...(body.hs_tariff_code !== undefined && { hs_tariff_code: body.hs_tariff_code }),
    ...(body.height !== undefined && { height: body.height }),
    ...(body.depth !== undefined && { depth: body.depth }),
    ...(body.width !== undefined && { width: body.width }),
    ...(body.weight !== undefined && { weight: body.weight }),
    ...(body.expirable !== undefined && { expirable: flag(body.expirable) }),
    ...(body.country_of_origin !== undefined && { country_of_origin: body.country_of_origin }),
    ...(body.using_serial_numbers !== undefined && {
      using_serial_numbers: flag(body.using_serial_numbers),
    }),
    ...(body.value !== undefined && { value: body.value }),
  }
}

function flag(value: boolean): Flag {
  return value ? 1 : 0
}
