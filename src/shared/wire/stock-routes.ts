import { z } from 'zod'
import { dayOrMinute, listQuery } from './listing.ts'
import { stock } from './stock.ts'

/** Not in api.md; the service's clients read it. */
export const stockRoutes = {
  listStock: {
    summary: 'List stock levels by variant',
    method: 'GET',
    path: '/wms/stock/',
    query: listQuery(['id', 'createdAt', 'modifiedAt', 'name', 'articleCode']).extend({
      article_code: z.string().optional(),
      ean: z.string().optional(),
      sku: z.string().optional(),
      search: z.string().optional(),
      modified_gte: z.union([dayOrMinute, z.iso.datetime({ offset: true })]).optional(),
    }),
    status: 200,
    response: z.array(stock),
    role: 'STOCK_READ',
  },
} as const
