import type { Article } from '#shared/wire/article.ts'
import type { ArticleRecord } from '../services/goods/articles.ts'
import { toWireTime } from './time.ts'
import { toWireVariant } from './variant.ts'

/** api.md, Article: always with its variants. */
export function toWireArticle({ article, variants }: ArticleRecord): Article {
  return {
    id: article.id,
    customer: article.customer_id,
    name: article.name,
    variants: variants.map(toWireVariant),
    created_at: toWireTime(article.created_at),
    modified_at: toWireTime(article.modified_at),
  }
}
