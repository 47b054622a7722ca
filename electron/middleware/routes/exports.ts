import { Readable } from 'node:stream'
import { routes } from '#shared/wire/routes.ts'
import { fromWireExport, toWireExport } from '../mappers/export.ts'
import { createExport, getExport, openExport } from '../services/exports/asked-exports.ts'
import { register, registerFile, type RouteHost } from './register.ts'

const options = { expand: [] } as const

/** api.md, Exports. */
export function registerExports(host: RouteHost): void {
  const { context } = host
  register(host, routes.createExport, options, async ({ caller, body }) =>
    toWireExport(await createExport(context, caller.customer, fromWireExport('standard', body))),
  )
  register(host, routes.createBillingExport, options, async ({ caller, body }) =>
    toWireExport(await createExport(context, caller.customer, fromWireExport('billing', body))),
  )
  register(host, routes.createFinancialExport, options, async ({ caller, body }) =>
    toWireExport(await createExport(context, caller.customer, fromWireExport('financial', body))),
  )
  register(host, routes.getExport, options, async ({ caller, params }) =>
    toWireExport(await getExport(context, caller.customer, params.id)),
  )
  registerFile(host, routes.downloadExport, async ({ caller, params }) => {
    const { fileName, content } = await openExport(context, caller.customer, params.id)
    return { fileName, content: Readable.from(content, { highWaterMark: 1 }) }
  })
}
