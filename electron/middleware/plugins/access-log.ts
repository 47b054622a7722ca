import type { FastifyInstance } from 'fastify'

/** Milliseconds in which at most `mostUnknown` calls of unknown callers are logged. */
const usualPeriodMs = 1000
/** Maximum number of lines about calls of unknown callers in one period. */
const mostUnknown = 20

/**
 * Logs one line per call. It contains the route's pattern instead of the URL, because a query may contain a signature.
 * Headers are not logged.
 *
 * Anyone who reaches the port can make thousands of calls a second without a login, which would fill the disk. So only
 * the first `mostUnknown` of these calls in each period are logged, and at its end one line with the number of the
 * others. `periodMs`: the length of a period.
 */
export function logAccess(app: FastifyInstance, periodMs = usualPeriodMs): void {
  let unknown = 0
  let period: NodeJS.Timeout | null = null
  const endPeriod = (): void => {
    if (period !== null) clearTimeout(period)
    const calls = unknown - mostUnknown
    unknown = 0
    period = null
    if (calls > 0) app.log.info({ calls }, 'further calls without a login')
  }
  app.addHook('onClose', (_, done) => {
    endPeriod()
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const isUnknown = request.owner === null
    if (isUnknown) {
      period ??= setTimeout(endPeriod, periodMs).unref()
      unknown++
    }
    if (!isUnknown || unknown <= mostUnknown) {
      const route = request.routeOptions.url ?? null
      const ms = Math.round(reply.elapsedTime)
      request.log.info({ method: request.method, route, status: reply.statusCode, ms }, 'request completed')
    }
    done()
  })
}
