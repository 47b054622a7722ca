import { routes } from '#shared/wire/routes.ts'
import { toWireDocument } from '../mappers/document.ts'
import { getDocument, removeDocument } from '../services/documents/documents.ts'
import { register, type RouteHost } from './register.ts'

const options = { expand: [] } as const

/** api.md, Documents. */
export function registerDocuments(host: RouteHost): void {
  const { context } = host
  register(host, routes.getDocument, options, async ({ caller, params, linkTo }) =>
    toWireDocument(await getDocument(context, caller.customer, params.id), linkTo),
  )
  register(host, routes.deleteDocument, options, async ({ caller, params }) => {
    await removeDocument(context, caller.customer, params.id)
    return null
  })
}
