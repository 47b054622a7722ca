import { codeKey } from '#shared/domain/gtin.ts'
import type { Variant } from '#shared/wire/variant.ts'

/** How a code stands for a variant; the smallest kind wins (see catalogue-schema.ts). */
export const codeKinds = { ean: 0, sku: 1, article_code: 2 } as const

export interface VariantCode {
  readonly key: string
  readonly kind: number
}

/** Every code under which a scan finds the variant. */
export function codesOfVariant(variant: Variant): VariantCode[] {
  const texts = [
    [variant.ean, codeKinds.ean],
    [variant.sku, codeKinds.sku],
    [variant.article_code, codeKinds.article_code],
  ] as const
  return texts.map(([text, kind]) => ({ key: codeKey(text ?? ''), kind })).filter(({ key }) => key !== '')
}
