import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyServerOptions,
  RouteOptions,
} from 'fastify'
import type { ErrorBody } from '#shared/wire/error-body.ts'
import type { ErrorFamily } from '#shared/wire/routes.ts'
import { codeOf, TooLongAlone } from '../data/engine/conflicts.ts'
import { isStorageFailure } from '../data/engine/database.ts'
import { type FieldMessages, Refusal, type RefusalKind } from '../services/refusal.ts'
import { LimitedLines, usualPeriodMs } from './access-log.ts'
import type { HostRule } from './hosts.ts'
import { securityHeaders } from './security-headers.ts'
import { InvalidRequest } from './validation.ts'

const statusOf: Record<RefusalKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  already_requested: 412,
  too_late: 412,
  not_ready: 412,
  key_reused: 422,
  at_limit: 409,
  too_many: 429,
  busy: 503,
  failed: 417,
}

/** Seconds after which a client may repeat a call that the database could not serve. */
const storageRetrySeconds = 5

/** Maximum number of lines about storage failures of the same kind in one period. */
const mostStorageFailures = 3

interface Failure {
  readonly status: number
  readonly message: string
  readonly fields: FieldMessages | null
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly servedRoutes: ServedRoutes
    readonly failureLog: FailureLog
  }
  interface FastifyContextConfig {
    /** The format of the bodies of the route's failures. */
    errorFamily?: ErrorFamily
  }
}

/**
 * Responds to every failure with JSON in the format of failures of its route (API.md 1.10). For an unknown path this is
 * the format of the longest route with which the path begins.
 *
 * Unexpected failures are logged with their stack. While the database cannot be reached, even calls without a login
 * cause such failures, and their stacks would fill the disk. Therefore, in each period of `periodMs` milliseconds, only
 * the first `mostStorageFailures` storage failures of the same kind are logged. If there are others, one line at the
 * end of the period contains their number.
 */
export function answerFailures(app: FastifyInstance, periodMs = usualPeriodMs): void {
  const failureLog = new FailureLog(app, periodMs)
  app.decorate('failureLog', failureLog)
  app.addHook('onClose', (_, done) => {
    failureLog.endPeriods()
    done()
  })
  const servedRoutes = new ServedRoutes()
  app.decorate('servedRoutes', servedRoutes)
  app.addHook('onRoute', (route) => servedRoutes.add(route))
  app.setErrorHandler(answerFailure)
  app.setNotFoundHandler(answerUnknown)
  // the path and the header Expect are checked before the body is read
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) answerUnknown(request, reply)
    else if (expectsMore(request))
      done(new Refusal('failed', 'This server meets only the expectation 100-continue.'))
    else done()
  })
}

function answerUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const methods = request.server.servedRoutes.methodsAt(pathOf(request))
  if (methods.length === 0) return answer(request, reply, failed(404, 'Not Found'))
  reply.header('allow', methods.join(', '))
  return answer(request, reply, failed(405, 'Method Not Allowed'))
}

/**
 * Whether a request has an expectation that this server cannot meet: any except `100-continue`. HTTP/1.0 has no
 * expectations.
 */
function expectsMore({ raw }: FastifyRequest): boolean {
  const { expect } = raw.headers
  return expect !== undefined && raw.httpVersion !== '1.0' && !/^100-continue$/i.test(expect.trim())
}

function answerFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof Refusal && error.retryAfterSeconds !== null)
    reply.header('retry-after', String(error.retryAfterSeconds))
  if (isStorageFailure(error)) reply.header('retry-after', String(storageRetrySeconds))
  return answer(request, reply, describe(error, request))
}

function describe(error: unknown, request: FastifyRequest): Failure {
  if (error instanceof Refusal)
    return { status: statusOf[error.kind], message: error.message, fields: error.fields }
  if (error instanceof InvalidRequest) {
    // an invalid id in the path cannot belong to a record, so the response is 404
    if (error.validationContext === 'params') return failed(404, 'Not Found')
    return { status: 400, message: error.message, fields: error.fields }
  }
  const status = clientFault(error)
  if (status !== null) return failed(status, error instanceof Error ? error.message : 'Bad Request')
  request.server.failureLog.log(error, request)
  if (error instanceof TooLongAlone) return failed(503, error.message)
  if (isStorageFailure(error)) return failed(503, 'The database cannot be used at the moment.')
  return failed(familyOf(request) === 'return-label' ? 417 : 500, 'Unexpected error.')
}

/** Logs unexpected failures. The lines about storage failures are limited. */
class FailureLog {
  readonly #app: FastifyInstance
  readonly #periodMs: number
  /**
   * The limits of log lines about storage failures, by the kind of the failure: its code, or its message if it has no
   * code. No entry is removed, because there are few kinds (`isStorageFailure`).
   */
  readonly #ofStorage = new Map<string, LimitedLines>()

  constructor(app: FastifyInstance, periodMs: number) {
    this.#app = app
    this.#periodMs = periodMs
  }

  log(error: unknown, request: FastifyRequest): void {
    if (!isStorageFailure(error) || this.#linesOf(codeOf(error) || String(error)).admit())
      request.log.error({ err: error }, 'unexpected failure')
  }

  endPeriods(): void {
    for (const lines of this.#ofStorage.values()) lines.endPeriod()
  }

  #linesOf(kind: string): LimitedLines {
    const known = this.#ofStorage.get(kind)
    if (known !== undefined) return known
    const limits = { most: mostStorageFailures, periodMs: this.#periodMs }
    const lines = new LimitedLines(limits, (failures) => {
      this.#app.log.error({ kind, failures }, 'further failures of the database')
    })
    this.#ofStorage.set(kind, lines)
    return lines
  }
}

function failed(status: number, message: string): Failure {
  return { status, message, fields: null }
}

/**
 * Returns the status of an error that Fastify itself throws: body too large, not JSON, wrong content type. Null: the
 * error has no status from 400 to 499.
 */
function clientFault(error: unknown): number | null {
  if (!(error instanceof Error) || !('statusCode' in error)) return null
  const { statusCode } = error
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : null
}

function answer(request: FastifyRequest, reply: FastifyReply, failure: Failure): FastifyReply {
  if (failure.status === 401) reply.header('www-authenticate', 'Bearer')
  return reply
    .code(failure.status)
    .type('application/json')
    .send(JSON.stringify(bodyOf(request, failure)))
}

/**
 * Returns the body of a failure. Return labels: `{error}`; a 400 also has `errors`, and a 401 has `{code, message}`
 * too. Login and refresh: `{code, message}`, and also `{errors}` if the input is invalid, because clients read
 * `message` for every status. Other routes: `{errors}` if the input is invalid, otherwise `{code, message}`.
 */
function bodyOf(request: FastifyRequest, { status, message, fields }: Failure): ErrorBody {
  const family = familyOf(request)
  if (family === 'return-label') {
    if (status === 401) return { error: message, code: status, message }
    if (status !== 400) return { error: message }
    return { error: message, errors: wireErrors(fields ?? { '': [message] }) }
  }
  if (fields === null) return { code: status, message }
  const errors = wireErrors(fields)
  return family === 'login' ? { code: status, message, errors } : { errors }
}

/** Converts field names to camelCase. Messages about the whole call, which have no field name, get numbers as names. */
function wireErrors(fields: FieldMessages): Record<string, string | string[]> {
  const named = Object.entries(fields).filter(([field]) => field !== '')
  return {
    ...Object.fromEntries((fields[''] ?? []).map((message, index) => [String(index), message])),
    ...Object.fromEntries(named.map(([field, messages]) => [camelCase(field), [...messages]])),
  }
}

function camelCase(field: string): string {
  return field.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/**
 * Returns the format of failures (`ErrorFamily`) for a request. If the request matches no route, its path determines
 * the format.
 */
function familyOf(request: FastifyRequest): ErrorFamily | undefined {
  return request.is404
    ? request.server.servedRoutes.familyAt(pathOf(request))
    : request.routeOptions.config.errorFamily
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?')[0] ?? ''
}

interface ServedRoute {
  readonly segments: readonly string[]
  readonly methods: readonly string[]
  readonly family: ErrorFamily | undefined
}

/**
 * The routes of the server. If a request matches no route, they determine whether it gets a 405, and the format of the
 * failure.
 */
class ServedRoutes {
  readonly #routes: ServedRoute[] = []

  add({ url, method, config }: RouteOptions): void {
    const segments = segmentsOf(url)
    this.#routes.push({ segments, methods: [method].flat(), family: config?.errorFamily })
  }

  /** Returns the methods of a path. Empty: the path is unknown. */
  methodsAt(path: string): string[] {
    const { length } = segmentsOf(path)
    const matching = this.#startsOf(path).filter(({ segments }) => segments.length === length)
    return [...new Set(matching.flatMap(({ methods }) => methods))].sort()
  }

  /** Returns the format of failures (`ErrorFamily`) of the longest route with which the path begins. */
  familyAt(path: string): ErrorFamily | undefined {
    const starts = this.#startsOf(path).toSorted((a, b) => b.segments.length - a.segments.length)
    return starts[0]?.family
  }

  #startsOf(path: string): ServedRoute[] {
    const given = segmentsOf(path)
    return this.#routes.filter(({ segments }) =>
      segments.every((segment, index) => {
        const part = given[index]
        return segment.startsWith(':') ? part !== undefined && part !== '' : part === segment
      }),
    )
  }
}

/** Splits a path. A trailing slash makes no difference. */
function segmentsOf(path: string): string[] {
  return (path.endsWith('/') ? path.slice(0, -1) : path).split('/')
}

/**
 * Responds to a path that the router cannot parse (`/wms/%zz`, a very long id). Fastify reports such a path before any
 * hook runs, so this function itself checks the host and sets the headers.
 */
export function answerUnroutable(rule: HostRule): NonNullable<FastifyServerOptions['frameworkErrors']> {
  return (error, request, reply) => {
    void reply.headers(securityHeaders)
    void answerFailure(rule(request) ?? error, request, reply)
  }
}

type Handler = NonNullable<FastifyServerOptions['clientErrorHandler']>

/**
 * Responds when Node's parser fails before there is a request: a line or headers of more than 16 kB, or no HTTP at all.
 * The path is unknown, so the body has the format of most endpoints (API.md 1.10). The status is 408 for a request that
 * took too long to arrive; otherwise 400, because no operation documents another status. The connection is destroyed,
 * because no limit applies to it any more.
 */
export const answerUnreadable: Handler = (error, socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { code, reason, message } = described(error.code)
  const body = JSON.stringify({ code, message })
  const headers = {
    ...securityHeaders,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${code} ${reason}\r\n${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

function described(error: string): { code: number; reason: string; message: string } {
  switch (error) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 408, reason: 'Request Timeout', message: 'The request took too long to arrive.' }
    case 'HPE_HEADER_OVERFLOW':
      return { code: 400, reason: 'Bad Request', message: 'The address and the headers are too long.' }
    default:
      return { code: 400, reason: 'Bad Request', message: 'This is not an HTTP request.' }
  }
}
