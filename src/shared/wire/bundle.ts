import { z } from 'zod'
import { listQuery } from './listing.ts'
import { neededText, sentList, wholeFrom } from './loose.ts'
import { byId, id } from './primitives.ts'
import { variantOrId } from './variant.ts'

/**
 * Variants that are sold together as one (API.md 3.3); responses contain the items only if the request names their
 * Expand group.
 */
export const variantBundle = z.object({
  id,
  /** The variant that represents the bundle. */
  bundled_variant: variantOrId,
  variant_bundle_items: z
    .array(z.object({ id, variant: variantOrId, quantity: z.number().int() }))
    .optional(),
})
export type VariantBundle = z.output<typeof variantBundle>

const items = sentList(z.object({ article_code: neededText(), quantity: wholeFrom(1) }))
  .min(1)
  .max(1000)

/** Body of POST /wms/variant-bundles/. `variant_bundle` is the code of the variant that represents the bundle. */
export const bundleCreate = z.object({ variant_bundle: neededText(), variant_bundle_items: items })

/** Body of PATCH /wms/variant-bundles/:id/: the new items replace all old ones. */
export const bundlePatch = z.object({ variant_bundle_items: items.optional() })

/** Variant bundles (API.md 3.3). The contract has no sort order for their list, so the server ignores `sort`. */
export const bundleRoutes = {
  listBundles: {
    summary: 'List variant bundles',
    method: 'GET',
    path: '/wms/variant-bundles/',
    query: listQuery(['createdAt']).omit({ sort: true }),
    status: 200,
    response: z.array(variantBundle),
    role: 'ARTICLES_READ',
  },
  getBundle: {
    summary: 'Get a variant bundle',
    method: 'GET',
    path: '/wms/variant-bundles/:id/',
    params: byId,
    status: 200,
    response: variantBundle,
    role: 'ARTICLES_READ',
  },
  createBundle: {
    summary: 'Create a variant bundle',
    method: 'POST',
    path: '/wms/variant-bundles/',
    body: bundleCreate,
    status: 201,
    response: variantBundle,
    role: 'ARTICLES_CREATE',
  },
  patchBundle: {
    summary: 'Replace the items of a variant bundle',
    method: 'PATCH',
    path: '/wms/variant-bundles/:id/',
    params: byId,
    body: bundlePatch,
    status: 200,
    response: variantBundle,
    role: 'ARTICLES_UPDATE',
  },
} as const
