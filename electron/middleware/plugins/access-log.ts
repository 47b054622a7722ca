import type { FastifyInstance } from 'fastify'

/**
 * Logs one line per call. It contains the route's pattern instead of the URL, because a query may contain a signature.
 * Headers are not logged.
 */
export function logAccess(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? null
    const ms = Math.round(reply.elapsedTime)
    request.log.info({ method: request.method, route, status: reply.statusCode, ms }, 'request completed')
    done()
  })
}
