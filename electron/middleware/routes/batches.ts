import { routes } from '#shared/wire/routes.ts'
import { toWireBatch } from '../mappers/batch.ts'
import { getBatch, listBatches } from '../services/goods/batches.ts'
import { identifiersIn } from './articles.ts'
import { register, type RouteHost } from './register.ts'

/** api.md, Batches. */
export function registerBatches(host: RouteHost): void {
  const { context } = host
  register(host, routes.listBatches, { expand: [] }, async ({ caller, query }) => {
    const filters = { ...identifiersIn(query), positiveOnly: query.positive_only ?? false }
    return (await listBatches(context, caller.customer, { filters, query })).map(toWireBatch)
  })
  const single = { expand: ['inbound_lines'] } as const
  register(host, routes.getBatch, single, async ({ caller, params: { id }, expand }) => {
    const call = { id, withLines: expand.has('inbound_lines') }
    return toWireBatch(await getBatch(context, caller.customer, call))
  })
}
