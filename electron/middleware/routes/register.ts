import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { errorBody } from '#shared/wire/error-body.ts'
import type { Route } from '#shared/wire/routes.ts'
import {
  type Caller,
  customerCode,
  identifyCaller,
  requireCustomerCode,
  requireWms,
} from '../plugins/callers.ts'
import type { ServiceContext } from '../services/context.ts'

/** What a group of routes needs to be registered. */
export interface RouteHost {
  readonly app: FastifyInstance
  readonly context: ServiceContext
  readonly wmsCode: string | null
  /** Where clients reach this server, without a trailing slash; null: as the request itself says. */
  readonly publicBaseUrl: string | null
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined
type Part<R extends Route, Key extends 'params' | 'query' | 'body'> = Parsed<R[Key]>

/** A call after all checks: inputs parsed by the route's schemas. */
interface Inputs<R extends Route> {
  readonly params: Part<R, 'params'>
  readonly query: Part<R, 'query'>
  readonly body: Part<R, 'body'>
}

export interface OpenCall<R extends Route> extends Inputs<R> {
  readonly customerCode: string | null
}

export interface Call<R extends Route, Group extends string = never> extends Inputs<R> {
  readonly caller: Caller
  /** Expand groups asked for, among those the route knows. */
  readonly expand: ReadonlySet<Group>
  /** A freshly signed absolute URL of a document. */
  readonly linkTo: (documentId: string) => string
}

type Answer<R extends Route> = Promise<z.output<R['response']>>

/** A route that needs a token, a customer and its role; path, schemas and status come from the route table. */
export function register<R extends Route, const Group extends string = never>(
  host: RouteHost,
  route: R,
  options: { expand: readonly Group[] },
  handler: (call: Call<R, Group>) => Answer<R>,
): void {
  const callers = new WeakMap<FastifyRequest, Caller>()
  for (const url of [route.path, ...(route.otherPath === undefined ? [] : [route.otherPath])])
    host.app.route({
      method: route.method,
      url,
      schema: schemaOf(route, [400, 401, 403, ...failuresOf(route)], ['token', 'wms', 'customer']),
      config: { expand: options.expand },
      onRequest: async (request) => {
        requireWms(request, host.wmsCode)
        callers.set(request, await identifyCaller(host.context, request, route.role))
      },
      handler: async (request, reply) => {
        const caller = callers.get(request)
        if (caller === undefined) throw new Error('A handler ran before its caller was known')
        const answer = await handler({
          ...inputs<R>(request),
          caller,
          expand: expandGroups(request, options.expand),
          linkTo: (documentId) => baseUrl(host, request) + host.context.links.sign(documentId),
        })
        reply.code(route.status)
        return route.status === 204 ? reply.send() : reply.send(answer)
      },
    })
}

/** A route before any token: login and refresh. */
export function registerOpen<R extends Route>(
  host: RouteHost,
  route: R,
  options: { needsCustomer: boolean },
  handler: (call: OpenCall<R>) => Answer<R>,
): void {
  host.app.route({
    method: route.method,
    url: route.path,
    schema: schemaOf(route, [400, 401, 403], options.needsCustomer ? ['wms', 'customer'] : ['wms']),
    config: { expand: [] },
    onRequest: (request, _reply, done) => {
      requireWms(request, host.wmsCode)
      if (options.needsCustomer) requireCustomerCode(request)
      done()
    },
    handler: async (request, reply) => {
      const answer = await handler({ ...inputs<R>(request), customerCode: customerCode(request) })
      return reply.code(route.status).send(answer)
    },
  })
}

/** The validator has put the schemas' outputs into the request; this names their types. */
function inputs<R extends Route>(request: FastifyRequest): Inputs<R> {
  return {
    params: request.params as Part<R, 'params'>,
    query: request.query as Part<R, 'query'>,
    body: request.body as Part<R, 'body'>,
  }
}

/** What validates, what serializes and what the OpenAPI document says: all from the route table. */
function schemaOf(
  route: Route,
  failures: readonly number[],
  security: readonly ('token' | 'wms' | 'customer')[],
): Record<string, unknown> {
  return {
    ...(route.deprecated && { deprecated: true }),
    security: [Object.fromEntries(security.map((scheme) => [scheme, []]))],
    ...(route.params && { params: route.params }),
    ...(route.query && { querystring: route.query }),
    ...(route.body && { body: route.body }),
    response: {
      [route.status]: route.response,
      ...Object.fromEntries(failures.map((status) => [status, errorBody])),
    },
  }
}

/** Statuses beyond those of every call (api.md, Errors). */
function failuresOf(route: Route): number[] {
  const single = route.params === undefined ? [] : [404]
  if (route.path.endsWith('/return-label')) return route.method === 'GET' ? single : [...single, 417]
  if (!route.path.startsWith('/wms/return-labels/')) return single
  if (route.method === 'GET') return [...single, 417]
  if (route.params === undefined) return [404, 417]
  return [404, 412, 417]
}

/** `Expand: a, b`; unknown groups are ignored, for the header never makes a call fail (api.md, Conventions). */
function expandGroups<Group extends string>(request: FastifyRequest, known: readonly Group[]): Set<Group> {
  const header = request.headers['expand']
  const asked = new Set([header ?? []].flat().flatMap((text) => text.split(',').map((group) => group.trim())))
  return new Set(known.filter((group) => asked.has(group)))
}

function baseUrl(host: RouteHost, request: FastifyRequest): string {
  return host.publicBaseUrl ?? `${request.protocol}://${request.host}`
}
