import type { Stock } from '#shared/wire/stock.ts'
import type { StockRecord } from '../services/goods/stock.ts'
import { toWireTime } from './time.ts'
import { toWireVariant } from './variant.ts'

/** The stock of a variant; the variant itself only with its Expand group. */
export function toWireStock(record: StockRecord, expand: ReadonlySet<'variant'>): Stock {
  const { variant } = record
  return {
    id: variant.id,
    article_code: variant.article_code,
    ean: variant.ean,
    sku: variant.sku,
    stock_physical: record.physical,
    stock_salable: record.salable,
    stock_available: record.available,
    stock_quarantine: record.quarantine,
    stock_pickable: record.pickable,
    modified_at: toWireTime(variant.stock_modified_at),
    ...(expand.has('variant') && { variant: toWireVariant(variant) }),
  }
}
