import { z } from 'zod'
import { neededText, sentList } from './loose.ts'
import { dateTime, id } from './primitives.ts'
import { longestName, variant, variantInput } from './variant.ts'

/** Article with its variants (API.md 3.1). */
export const article = z.object({
  id,
  customer: id,
  name: z.string(),
  variants: z.array(variant).default([]),
  created_at: dateTime,
  modified_at: dateTime,
})
export type Article = z.output<typeof article>

const newArticle = z.object({
  name: neededText(longestName),
  variants: sentList(variantInput).max(1000).nullish(),
})

/**
 * Body of POST /wms/articles/bulks/ and also of POST /wms/articles/: all articles are created, or none (API.md 3.1).
 */
export const articlesCreate = z.object({ articles: sentList(newArticle).min(1).max(1000) })

const unexpected = z.never('This field was not expected.').optional()

/**
 * Body of POST /wms/articles/: one article and its variants, created together or not at all, or several articles
 * (API.md 3.1). A refused body gets the errors of the form to which its fields belong: `articles`, or `name` and
 * `variants`.
 */
export const articleCreate = z.union([
  newArticle.extend({ articles: unexpected }),
  articlesCreate.extend({ name: unexpected, variants: unexpected }),
])

/** PATCH /wms/articles/:id/. */
export const articlePatch = z.object({ name: neededText(longestName).optional() })
