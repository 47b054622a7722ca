import type { ApiPort } from '#desk/ports/api.ts'
import { article } from '#shared/wire/article.ts'
import { batch } from '#shared/wire/batch.ts'
import { locationType } from '#shared/wire/location-type.ts'
import { routes } from '#shared/wire/routes.ts'
import { shippingMethod } from '#shared/wire/shipping-method.ts'
import { stock } from '#shared/wire/stock.ts'
import { variant } from '#shared/wire/variant.ts'
import type { Caller } from './caller.ts'
import { rowPage } from './row-page.ts'

type GoodsCalls = Pick<
  ApiPort,
  | 'getVariant'
  | 'listVariants'
  | 'listArticles'
  | 'listAllBatches'
  | 'listBatches'
  | 'listStock'
  | 'listShippingMethods'
  | 'listLocationTypes'
>

/** Rows a page of the small lists asks for. */
const smallPage = 100

const articles = rowPage(article)
const variants = rowPage(variant)
const batches = rowPage(batch)
const stocks = rowPage(stock)
const methods = rowPage(shippingMethod)
const types = rowPage(locationType)

/** Lists of articles, lots, methods and location types (api.md, Endpoints), each row judged by itself. */
export function goodsCalls(call: Caller): GoodsCalls {
  return {
    getVariant: (access, id) => call(routes.getVariant, variant, { access, id }),
    listVariants: (access, query) =>
      call(routes.listVariants, variants(query.limit), { access, query: { ...query } }),
    listArticles: (access, filter) => call(routes.listArticles, articles(), { access, query: { ...filter } }),
    listAllBatches: (access, query) =>
      call(routes.listBatches, batches(query.limit), {
        access,
        hasLargeRows: true,
        query: { sort: 'createdAt', ...query },
      }),
    listBatches: (access, articleCode, page) =>
      call(routes.listBatches, batches(smallPage), {
        access,
        hasLargeRows: true,
        isDetail: true,
        query: { article_code: articleCode, sort: 'id', direction: 'asc', page, limit: smallPage },
      }),
    listStock: (access, articleCode) =>
      call(routes.listStock, stocks(smallPage), {
        access,
        isDetail: true,
        query: { article_code: articleCode, page: 1, limit: smallPage },
      }),
    listShippingMethods: (access, page) =>
      call(routes.listShippingMethods, methods(smallPage), {
        access,
        query: { sort: 'createdAt', direction: 'asc', page, limit: smallPage },
      }),
    listLocationTypes: (access) => call(routes.listLocationTypes, types(), { access }),
  }
}
