import type { FastifyInstance } from 'fastify'

/** Milliseconds in which at most `mostRefused` calls of unknown callers are logged. */
const usualPeriodMs = 1000
/** Maximum number of lines about refused calls of unknown callers in one period. */
const mostRefused = 20

/**
 * Logs one line per call. It contains the route's pattern instead of the URL, because a query may contain a signature.
 * Headers are not logged.
 *
 * Anyone who reaches the port can make calls that are refused without a login: thousands a second, which would fill the
 * disk. So of these calls only the first `mostRefused` of each period are logged, and at its end one line with the
 * number of the others. `periodMs`: the length of a period.
 */
export function logAccess(app: FastifyInstance, periodMs = usualPeriodMs): void {
  let refused = 0
  let period: NodeJS.Timeout | null = null
  const endPeriod = (): void => {
    if (period !== null) clearTimeout(period)
    const calls = refused - mostRefused
    refused = 0
    period = null
    if (calls > 0) app.log.info({ calls }, 'further calls without a login were refused')
  }
  app.addHook('onClose', (_, done) => {
    endPeriod()
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const isUnknown = request.owner === null && reply.statusCode >= 400
    if (isUnknown) {
      period ??= setTimeout(endPeriod, periodMs).unref()
      refused++
    }
    if (!isUnknown || refused <= mostRefused) {
      const route = request.routeOptions.url ?? null
      const ms = Math.round(reply.elapsedTime)
      request.log.info({ method: request.method, route, status: reply.statusCode, ms }, 'request completed')
    }
    done()
  })
}
