import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import openApi from '#resources/openapi.json' with { type: 'json' }

/** The content security policy of the page: it may run only its own scripts and call only this server. */
const pagePolicy = {
  'default-src': "'none'",
  'script-src': "'self'",
  // 'unsafe-inline' is needed because the page contains inline styles
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}

/**
 * The files that the page loads. They are listed here, because Swagger UI also contains files that the page does not
 * need.
 */
const pageFiles = [
  'favicon-16x16.png',
  'favicon-32x32.png',
  'index.css',
  'swagger-initializer.js',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'swagger-ui.css',
].map((name) => `/docs/static/${name}`)

/**
 * Serves `/openapi.json`, and `/docs`, a page that shows that document and can send calls. As for the login, no token
 * is needed for these two addresses. The page loads everything from this server. Each response is created only once,
 * because a call without a token must cost little time and memory.
 */
export function serveDocs(app: FastifyInstance): void {
  const body = Buffer.from(JSON.stringify(openApi))
  const document = { headers: { 'content-type': 'application/json; charset=utf-8' }, body }
  // `/docs/json` is served too, because the page loads its document from there
  for (const url of ['/openapi.json', '/docs/json'])
    app.get(url, { schema: { hide: true } }, (_request, reply) => send(reply, document))
  let page: Promise<ReadonlyMap<string, StoredResponse>> | null = null
  for (const url of ['/docs', ...pageFiles])
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      page ??= renderPage().catch((error: unknown) => {
        // a failure to render the page is not stored, so the next call renders the page again
        page = null
        throw error
      })
      const responses = await page
      // `/docs` and `/docs/` have different pages, because the links of the page are relative to its path
      const [path = ''] = request.url.split('?', 1)
      const stored = responses.get(path) ?? responses.get(url)
      if (stored === undefined) throw new Error(`${url} was not rendered`)
      return send(reply, stored)
    })
}

interface StoredResponse {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const pieceBytes = 64 * 1024

/** Sends the body in pieces, so that only few bytes wait in memory for a slow client. */
function send(reply: FastifyReply, { headers, body }: StoredResponse): FastifyReply {
  const pieces = function* (): Generator<Buffer> {
    for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes)
  }
  return reply.headers({ ...headers, 'content-length': body.length }).send(Readable.from(pieces()))
}

/**
 * Returns the page and its files by their paths, 2 MB in all. Called at the first request, because loading the packages
 * would slow down every start.
 */
async function renderPage(): Promise<ReadonlyMap<string, StoredResponse>> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ])
  const renderer = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  await renderer.register(swagger)
  await renderer.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: pagePolicy,
    uiConfig: { layout: 'BaseLayout' },
    theme: { title: openApi.info.title },
  })
  const files = new Map<string, StoredResponse>()
  for (const path of ['/docs', '/docs/', ...pageFiles]) {
    const { statusCode, headers, rawPayload: body } = await renderer.inject(path)
    if (statusCode !== 200) throw new Error(`The page of the API has no ${path}: ${String(statusCode)}`)
    const { 'content-type': type, 'content-security-policy': policy } = headers
    files.set(path, {
      headers: { 'content-type': String(type), 'content-security-policy': String(policy) },
      body,
    })
  }
  await renderer.close()
  return files
}
