import type { VariantView } from '#shared/bridge/stock-views.ts'
import { isoTime } from '../timing/iso-time.ts'
import type { StoredVariant } from '../ports/catalogue-store.ts'

/** An article as its card shows it. */
export function toVariantView({ variant, asOf }: StoredVariant): VariantView {
  return {
    id: variant.id,
    name: variant.name,
    articleCode: variant.article_code,
    description: variant.description,
    ean: variant.ean,
    sku: variant.sku,
    expirable: variant.expirable,
    usingSerialNumbers: variant.using_serial_numbers,
    asOf: isoTime(asOf),
  }
}
