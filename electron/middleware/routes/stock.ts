import { routes } from '#shared/wire/routes.ts'
import { toWireStock } from '../mappers/stock.ts'
import { boundary } from '../services/paging.ts'
import { listStock } from '../services/goods/stock.ts'
import { identifiersIn } from './articles.ts'
import { register, type RouteHost } from './register.ts'

/** What there is of each variant; not in api.md. */
export function registerStock(host: RouteHost): void {
  const { context } = host
  register(host, routes.listStock, { expand: ['variant'] }, async ({ caller, query, expand }) => {
    const filters = {
      ...identifiersIn(query),
      search: query.search ?? null,
      changedFrom: query.modified_gte === undefined ? null : since(query.modified_gte),
    }
    const records = await listStock(context, caller.customer, { filters, query })
    return records.map((record) => toWireStock(record, expand))
  })
}

/** A day, a minute, or a moment as answers write it. */
function since(text: string): string {
  return text.includes('T') ? new Date(text).toISOString() : boundary('from', text, 'modified_gte')
}
