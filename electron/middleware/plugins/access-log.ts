import type { FastifyInstance } from 'fastify'

/** One line a call. The route's pattern, not the URL: a query may hold a signature, and no header is logged. */
export function logAccess(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? null
    const ms = Math.round(reply.elapsedTime)
    request.log.info({ method: request.method, route, status: reply.statusCode, ms }, 'answered')
    done()
  })
}
