import { z } from 'zod'
import { dateTime, id } from './primitives.ts'
import { variant, variantInput } from './variant.ts'

/** Article with its variants (api.md, Article). */
export const article = z.object({
  id,
  customer: id,
  name: z.string(),
  variants: z.array(variant).default([]),
  created_at: dateTime,
  modified_at: dateTime,
})
export type Article = z.output<typeof article>

/** POST /wms/articles/: the article and its variants are made together or not at all (api.md, Articles). */
export const articleCreate = z.object({
  name: z.string().trim().min(1),
  variants: z.array(variantInput).max(1000).nullish(),
})

/** PATCH /wms/articles/:id/. */
export const articlePatch = z.object({ name: z.string().trim().min(1).optional() })
