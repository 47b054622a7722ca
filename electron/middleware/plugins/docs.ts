import Fastify, { type FastifyInstance } from 'fastify'
import openApi from '#resources/openapi.json' with { type: 'json' }
import { securityHeaders } from './security-headers.ts'

/** The page runs its own scripts and calls this server, and nothing else. */
const pagePolicy = {
  'default-src': "'none'",
  'script-src': "'self'",
  // the page writes styles into its markup
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}

/**
 * `/openapi.json`, and `/docs`, a page that shows it and can try it out. Both are open to whoever reaches the server, as
 * the login is. Everything the page needs is served from here.
 */
export function serveDocs(app: FastifyInstance): void {
  let page: Promise<FastifyInstance> | null = null
  // written once: it is open to everybody, and an answer of its own for each call would cost 170 kB of memory
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

/** A server of its own, made when somebody first looks: its packages would slow every start. */
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
