import type { FastifyInstance } from 'fastify'

/** Milliseconds in which a limited number of lines of one kind is logged. */
export const usualPeriodMs = 1000
/** Maximum number of lines about calls of unknown callers in one period. */
const mostUnknown = 20

/**
 * Limits the log lines of one kind. In each period of `periodMs` milliseconds, the first `most` lines are logged. If
 * there were more lines, `onFurther` gets the number of the lines that were not logged, at the end of the period.
 */
export class LimitedLines {
  readonly #limits: { readonly most: number; readonly periodMs: number }
  readonly #onFurther: (count: number) => void
  #count = 0
  #period: NodeJS.Timeout | null = null

  constructor(
    limits: { readonly most: number; readonly periodMs: number },
    onFurther: (count: number) => void,
  ) {
    this.#limits = limits
    this.#onFurther = onFurther
  }

  /** Counts a line. Returns whether it is within the limit of the period. */
  admit(): boolean {
    this.#period ??= setTimeout(() => this.endPeriod(), this.#limits.periodMs).unref()
    return ++this.#count <= this.#limits.most
  }

  endPeriod(): void {
    if (this.#period !== null) clearTimeout(this.#period)
    const further = this.#count - this.#limits.most
    this.#count = 0
    this.#period = null
    if (further > 0) this.#onFurther(further)
  }
}

/**
 * Logs one line per call. The line contains the route's pattern instead of the URL, because a query may contain a
 * signature. Headers are not logged.
 *
 * Anyone who reaches the port can make thousands of calls a second without a login, and their lines would fill the
 * disk. Therefore only the first `mostUnknown` of these calls in each period are logged. If there are more, one line at
 * the end of the period has their number. `periodMs`: the length of a period.
 */
export function logAccess(app: FastifyInstance, periodMs = usualPeriodMs): void {
  const lines = new LimitedLines({ most: mostUnknown, periodMs }, (calls) => {
    app.log.info({ calls }, 'further calls without a login')
  })
  app.addHook('onClose', (_, done) => {
    lines.endPeriod()
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (request.owner !== null || lines.admit()) {
      const route = request.routeOptions.url ?? null
      const ms = Math.round(reply.elapsedTime)
      request.log.info({ method: request.method, route, status: reply.statusCode, ms }, 'request completed')
    }
    done()
  })
}
