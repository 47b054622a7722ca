import type { VariantBundle } from '#shared/wire/bundle.ts'
import type { BundleRecord } from '../services/goods/bundles.ts'
import { toWireVariant } from './variant.ts'

/** api.md, Variant bundle: with its items where those were asked for. */
export function toWireBundle({ bundle, variant, items }: BundleRecord): VariantBundle {
  return {
    id: bundle.id,
    bundled_variant: toWireVariant(variant),
    ...(items && {
      variant_bundle_items: items.map(({ item, variant: part }) => ({
        id: item.id,
        variant: toWireVariant(part),
        quantity: item.quantity,
      })),
    }),
  }
}
