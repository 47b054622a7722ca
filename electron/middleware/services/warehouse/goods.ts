import type { WebhookGroup } from '#shared/domain/webhook-topics.ts'
import { findAnyArticle, markArticleDeleted } from '../../data/goods/articles.ts'
import { variantsInUse } from '../../data/goods/variants-in-use.ts'
import { findAnyVariants, markVariantDeleted, variantsOfArticles } from '../../data/goods/variants.ts'
import type { VariantTable } from '../../data/schema/goods.ts'
import { Refusal } from '../refusal.ts'
import { type EventBody, readEventBody, type Unit } from '../unit.ts'

/** With all its variants. `bodyOf` shows them for the last time. */
export async function deleteArticle(unit: Unit, bodyOf: EventBody, id: string): Promise<void> {
  const { connection } = unit
  const article = await findAnyArticle(connection, id)
  if (article === null) throw new Refusal('not_found', 'Article not found.')
  const variants = await variantsOfArticles(connection, [id])
  await refuseUsed(unit, variants)
  await noteDeleted(unit, bodyOf, 'article', { id, customer_id: article.customer_id })
  for (const variant of variants) await noteDeleted(unit, bodyOf, 'variant', variant)
  for (const variant of variants) await markVariantDeleted(connection, variant.id, unit.now)
  await markArticleDeleted(connection, id, unit.now)
}

export async function deleteVariant(unit: Unit, bodyOf: EventBody, id: string): Promise<void> {
  const { connection } = unit
  const variant = (await findAnyVariants(connection, [id])).get(id)
  if (variant === undefined) throw new Refusal('not_found', 'Variant not found.')
  const siblings = await variantsOfArticles(connection, [variant.article_id])
  if (siblings.length === 1)
    throw new Refusal('too_late', 'The last variant of an article goes with its article only.')
  await refuseUsed(unit, [variant])
  await noteDeleted(unit, bodyOf, 'variant', variant)
  await markVariantDeleted(connection, id, unit.now)
  unit.changed('article', 'updated', { customerId: variant.customer_id, id: variant.article_id })
}

async function refuseUsed(unit: Unit, variants: readonly VariantTable[]): Promise<void> {
  const used = await variantsInUse(
    unit.connection,
    variants.map(({ id }) => id),
  )
  const codes = variants.filter(({ id }) => used.has(id)).map((variant) => variant.article_code)
  if (codes.length > 0)
    throw new Refusal('too_late', `Pieces are there, expected, ordered or moved: ${codes.join(', ')}.`)
}

async function noteDeleted(
  unit: Unit,
  bodyOf: EventBody,
  group: Extract<WebhookGroup, 'article' | 'variant'>,
  { id, customer_id: customerId }: { id: string; customer_id: string },
): Promise<void> {
  const subject = { customerId, id }
  unit.deleted(group, subject, await readEventBody(bodyOf, unit.connection, group, subject))
}
