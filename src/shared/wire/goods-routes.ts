import { z } from 'zod'
import { article, articleCreate, articlePatch, articlesCreate } from './article.ts'
import { batch } from './batch.ts'
import { dayOrMinute, listQuery, soughtText, trueOrFalse } from './listing.ts'
import { locationType } from './location-type.ts'
import { byId } from './primitives.ts'
import { stock } from './stock.ts'
import { variant, variantCreate, variantPatch } from './variant.ts'

const identifiers = {
  article_code: soughtText.optional(),
  ean: soughtText.optional(),
  sku: soughtText.optional(),
}

/** Articles, variants (API.md 3.1, 3.2), batches, location types and stock levels (API.md 4). */
export const goodsRoutes = {
  listArticles: {
    summary: 'List articles',
    method: 'GET',
    path: '/wms/articles/',
    query: listQuery(['createdAt', 'name']).extend(identifiers),
    status: 200,
    response: z.array(article),
    role: 'ARTICLES_READ',
  },
  getArticle: {
    summary: 'Get an article',
    method: 'GET',
    path: '/wms/articles/:id/',
    params: byId,
    status: 200,
    response: article,
    role: 'ARTICLES_READ',
  },
  createArticle: {
    summary: 'Create an article',
    method: 'POST',
    path: '/wms/articles/',
    body: articleCreate,
    status: 201,
    /** The response to POST /wms/articles/ is an array if the request contained several articles. */
    response: z.union([article, z.array(article)]),
    role: 'ARTICLES_CREATE',
  },
  createArticles: {
    summary: 'Create several articles, all or none',
    method: 'POST',
    path: '/wms/articles/bulks/',
    body: articlesCreate,
    status: 201,
    response: z.array(article),
    role: 'ARTICLES_CREATE',
  },
  patchArticle: {
    summary: 'Rename an article',
    method: 'PATCH',
    path: '/wms/articles/:id/',
    params: byId,
    body: articlePatch,
    status: 200,
    response: article,
    role: 'ARTICLES_UPDATE',
  },
  listVariants: {
    summary: 'List variants',
    method: 'GET',
    path: '/wms/variants/',
    query: listQuery(['id', 'createdAt', 'modifiedAt', 'name', 'articleCode']),
    status: 200,
    response: z.array(variant),
    role: 'ARTICLES_READ',
  },
  getVariant: {
    summary: 'Get a variant',
    method: 'GET',
    path: '/wms/variants/:id/',
    params: byId,
    status: 200,
    response: variant,
    role: 'ARTICLES_READ',
  },
  createVariant: {
    summary: 'Create a variant of an article',
    method: 'POST',
    path: '/wms/variants/',
    body: variantCreate,
    status: 201,
    response: variant,
    role: 'ARTICLES_CREATE',
  },
  patchVariant: {
    summary: 'Change a variant',
    method: 'PATCH',
    path: '/wms/variants/:id/',
    params: byId,
    body: variantPatch,
    status: 200,
    response: variant,
    role: 'ARTICLES_UPDATE',
  },
  listBatches: {
    summary: 'List batches (lots of stock)',
    method: 'GET',
    path: '/wms/batches/',
    query: listQuery(['createdAt', 'id']).extend({ ...identifiers, positive_only: trueOrFalse }),
    status: 200,
    response: z.array(batch),
    role: 'BATCH_READ',
  },
  getBatch: {
    summary: 'Get a batch',
    method: 'GET',
    path: '/wms/batches/:id/',
    params: byId,
    status: 200,
    response: batch,
    role: 'BATCH_READ',
  },
  listLocationTypes: {
    summary: 'List location types',
    method: 'GET',
    path: '/wms/locationtypes/',
    query: listQuery(['code', 'name', 'createdAt']).extend({
      code: soughtText.optional(),
      pickable: trueOrFalse,
    }),
    status: 200,
    response: z.array(locationType),
    role: 'LOCATIONTYPES_READ',
  },
  /** The path for a single location type is in the singular, as in the contract (API.md 4.3). */
  getLocationType: {
    summary: 'Get a location type',
    method: 'GET',
    path: '/wms/locationtype/:id/',
    params: byId,
    status: 200,
    response: locationType,
    role: 'LOCATIONTYPES_READ',
  },
  /** The call for the stock levels is not in the contract, but the service's clients use it (API.md 4.2). */
  listStock: {
    summary: 'List stock levels by variant',
    method: 'GET',
    path: '/wms/stock/',
    query: listQuery(['id', 'createdAt', 'modifiedAt', 'name', 'articleCode']).extend({
      ...identifiers,
      search: z.string().optional(),
      modified_gte: z.union([dayOrMinute, z.iso.datetime({ offset: true })]).optional(),
    }),
    status: 200,
    response: z.array(stock),
    role: 'STOCK_READ',
  },
} as const
