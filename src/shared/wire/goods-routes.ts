import { z } from 'zod'
import { article, articleCreate, articlePatch, articlesCreate } from './article.ts'
import { batch } from './batch.ts'
import { listQuery, trueOrFalse } from './listing.ts'
import { locationType } from './location-type.ts'
import { byId } from './primitives.ts'
import { variant, variantCreate, variantPatch } from './variant.ts'

const identifiers = {
  article_code: z.string().optional(),
  ean: z.string().optional(),
  sku: z.string().optional(),
}

/** Articles, variants, batches and location types (api.md, Endpoints). */
export const goodsRoutes = {
  listArticles: {
    method: 'GET',
    path: '/wms/articles/',
    query: listQuery(['createdAt', 'name']).extend(identifiers),
    status: 200,
    response: z.array(article),
    role: 'ARTICLES_READ',
  },
  getArticle: {
    method: 'GET',
    path: '/wms/articles/:id/',
    params: byId,
    status: 200,
    response: article,
    role: 'ARTICLES_READ',
  },
  createArticle: {
    method: 'POST',
    path: '/wms/articles/',
    body: articleCreate,
    status: 201,
    /** Several where several were sent. */
    response: z.union([article, z.array(article)]),
    role: 'ARTICLES_CREATE',
  },
  createArticles: {
    method: 'POST',
    path: '/wms/articles/bulks/',
    body: articlesCreate,
    status: 201,
    response: z.array(article),
    role: 'ARTICLES_CREATE',
  },
  patchArticle: {
    method: 'PATCH',
    path: '/wms/articles/:id/',
    params: byId,
    body: articlePatch,
    status: 200,
    response: article,
    role: 'ARTICLES_UPDATE',
  },
  listVariants: {
    method: 'GET',
    path: '/wms/variants/',
    query: listQuery(['id', 'createdAt', 'modifiedAt', 'name', 'articleCode']),
    status: 200,
    response: z.array(variant),
    role: 'ARTICLES_READ',
  },
  getVariant: {
    method: 'GET',
    path: '/wms/variants/:id/',
    params: byId,
    status: 200,
    response: variant,
    role: 'ARTICLES_READ',
  },
  createVariant: {
    method: 'POST',
    path: '/wms/variants/',
    body: variantCreate,
    status: 201,
    response: variant,
    role: 'ARTICLES_CREATE',
  },
  patchVariant: {
    method: 'PATCH',
    path: '/wms/variants/:id/',
    params: byId,
    body: variantPatch,
    status: 200,
    response: variant,
    role: 'ARTICLES_UPDATE',
  },
  listBatches: {
    method: 'GET',
    path: '/wms/batches/',
    query: listQuery(['createdAt', 'id']).extend({ ...identifiers, positive_only: trueOrFalse }),
    status: 200,
    response: z.array(batch),
    role: 'BATCH_READ',
  },
  getBatch: {
    method: 'GET',
    path: '/wms/batches/:id/',
    params: byId,
    status: 200,
    response: batch,
    role: 'BATCH_READ',
  },
  listLocationTypes: {
    method: 'GET',
    path: '/wms/locationtypes/',
    query: listQuery(['code', 'name', 'createdAt']).extend({
      code: z.string().optional(),
      pickable: trueOrFalse,
    }),
    status: 200,
    response: z.array(locationType),
    role: 'LOCATIONTYPES_READ',
  },
  /** Singular, as api.md writes it. */
  getLocationType: {
    method: 'GET',
    path: '/wms/locationtype/:id/',
    params: byId,
    status: 200,
    response: locationType,
    role: 'LOCATIONTYPES_READ',
  },
} as const
