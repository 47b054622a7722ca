import Fastify, { type FastifyInstance } from 'fastify'
import openApi from '#resources/openapi.json' with { type: 'json' }
import { securityHeaders } from './security-headers.ts'

/** The page may run only its own scripts and call only this server. */
const pagePolicy = {
  'default-src': "'none'",
  'script-src': "'self'",
  // the page writes inline styles
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}

/**
 * Serves `/openapi.json`, and `/docs`, a page that shows it and can send calls. Both need no token, like the login.
 * This server serves everything that the page needs.
 */
export function serveDocs(app: FastifyInstance): void {
  let page: Promise<FastifyInstance> | null = null
  // serialized once, because a separate response for each call would cost 170 kB of memory and needs no token
  const document = Buffer.from(JSON.stringify(openApi))
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(document),
  )
  for (const url of ['/docs', '/docs/*'])
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      page ??= makePage()
      const made = await page
      reply.hijack()
      made.routing(request.raw, reply.raw)
    })
  app.addHook('onClose', async () => (await page)?.close())
}

/** A separate server that is created at the first request, because its packages would slow down every start. */
async function makePage(): Promise<FastifyInstance> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ])
  const page = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  page.addHook('onRequest', (_request, reply, done) => {
    reply.headers(securityHeaders)
    done()
  })
  await page.register(swagger)
  await page.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: pagePolicy,
    transformSpecification: () => openApi,
    transformSpecificationClone: false,
    uiConfig: { layout: 'BaseLayout' },
    theme: { title: openApi.info.title },
  })
  await page.ready()
  return page
}
