import type { ArticleList } from '#shared/bridge/stock-views.ts'
import { isoTime } from '../timing/iso-time.ts'
import type { CatalogueStore } from '../ports/catalogue-store.ts'
import { toVariantView } from './variant-view.ts'

/** As somebody types: no network. Until every article is here, those that answers of the service named are searched. */
export function searchArticles(
  store: Pick<CatalogueStore, 'search' | 'state'>,
  text: string,
  limit: number,
): ArticleList {
  const { complete, asOf } = store.state()
  const { variants, more } = store.search(text, limit)
  // of answers given one by one the oldest says how old all of them may be
  const oldest = variants.length > 0 ? Math.min(...variants.map((one) => one.asOf)) : null
  const age = complete ? asOf : oldest
  return {
    articles: variants.map(toVariantView),
    more,
    complete,
    asOf: age === null ? null : isoTime(age),
  }
}
