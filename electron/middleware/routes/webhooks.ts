import { routes } from '#shared/wire/routes.ts'
import { fromWireWebhookChange, toWireCreatedWebhook, toWireWebhook } from '../mappers/webhook.ts'
import {
  changeWebhook,
  createWebhook,
  getWebhook,
  listWebhooks,
  removeWebhook,
} from '../services/webhooks/registrations.ts'
import { register, type RouteHost } from './register.ts'

const options = { expand: [] } as const

/** api.md, Webhooks: registration. */
export function registerWebhooks(host: RouteHost): void {
  const { context } = host
  register(host, routes.listWebhooks, options, async ({ caller, query, linkToPage }) => {
    const { count, page, limit, rows } = await listWebhooks(context, caller.customer, query)
    return {
      count,
      next: page * limit < count ? linkToPage(page + 1) : null,
      previous: page > 1 ? linkToPage(page - 1) : null,
      results: rows.map(toWireWebhook),
    }
  })
  register(host, routes.getWebhook, options, async ({ caller, params }) =>
    toWireWebhook(await getWebhook(context, caller.customer, params.id)),
  )
  register(host, routes.createWebhook, options, async ({ caller, body }) => {
    const { hash_secret: hashSecret, ...rest } = body
    return toWireCreatedWebhook(await createWebhook(context, caller.customer, { ...rest, hashSecret }))
  })
  for (const route of [routes.patchWebhook, routes.putWebhook])
    register(host, route, options, async ({ caller, params, body }) =>
      toWireWebhook(await changeWebhook(context, caller.customer, params.id, fromWireWebhookChange(body))),
    )
  register(host, routes.deleteWebhook, options, async ({ caller, params }) => {
    await removeWebhook(context, caller.customer, params.id)
    return null
  })
}
