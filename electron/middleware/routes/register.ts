import { Readable } from 'node:stream'
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { errorBody } from '#shared/wire/error-body.ts'
import type { Route } from '#shared/wire/routes.ts'
import type { ClientAddress } from '../plugins/client-address.ts'
import type { LimitedReader } from '../plugins/response-limits.ts'
import {
  type Caller,
  customerCode,
  identifyCaller,
  requireCustomerCode,
  requireWms,
} from '../plugins/callers.ts'
import type { ServiceContext } from '../services/context.ts'
import type { TurnCall, Turns } from '../services/turns.ts'
import type { Warehouse } from '../services/warehouse/calls.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Groups that the `Expand` header of the call may name. */
    expand?: readonly string[]
    /** Whether the call needs an `Idempotency-Key`. */
    isKeyed?: boolean
  }
}

/** The dependencies for registering a group of routes. */
export interface RouteHost {
  readonly app: FastifyInstance
  readonly context: ServiceContext
  readonly turns: Turns
  readonly limitedReader: LimitedReader
  readonly wmsCode: string | null
  /** The URL by which clients reach the server, without a trailing slash. Null: it is taken from the request. */
  readonly publicBaseUrl: string | null
  readonly clientAddress: ClientAddress
  readonly warehouse: Warehouse
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined
type Part<R extends Route<string>, Key extends 'params' | 'query' | 'body'> = Parsed<R[Key]>

/** A call after all checks. The route's schemas have parsed the inputs. */
export interface Inputs<R extends Route<string>> {
  readonly params: Part<R, 'params'>
  readonly query: Part<R, 'query'>
  readonly body: Part<R, 'body'>
}

interface OpenCall<R extends Route<string>> extends Inputs<R> {
  readonly customerCode: string | null
  /** IP address of the caller. */
  readonly address: string
  /** Returns whether the client has disconnected. */
  readonly hasLeft: () => boolean
}

export interface Call<R extends Route, Group extends string = never> extends Inputs<R> {
  readonly caller: Caller
  /** The requested Expand groups that the route supports. */
  readonly expand: ReadonlySet<Group>
  /** Returns a newly signed absolute URL of a document. */
  readonly linkTo: (documentId: string) => string
  /** Returns whether the client has disconnected. */
  readonly hasLeft: () => boolean
  /** Returns the absolute URL of another page of the requested list. */
  readonly linkToPage: (page: number) => string
}

/** A response that the client saves as a file. Its content is a stream; the route table contains its media type. */
interface FileAnswer {
  /** File name in plain ASCII. */
  readonly fileName: string
  readonly bytes: number
  readonly content: AsyncIterable<Uint8Array>
}

interface RouteOptions<Group extends string> {
  readonly expand: readonly Group[]
  /** An additional check for calls for which the role is not enough. Throws if the caller may not make the call. */
  readonly admit?: (caller: Caller) => Promise<void>
  /** Maximum bytes of the body. Default: 1 MiB. */
  readonly bodyLimit?: number
}

export type Answer<R extends Route<string>> = Promise<z.output<R['response']>>

/**
 * Registers a route that needs a token, a customer and the role of the route. Path, schemas and status come from the
 * route table.
 */
export function register<R extends Route, const Group extends string = never>(
  host: RouteHost,
  route: R,
  options: RouteOptions<Group>,
  handler: (call: Call<R, Group>) => Answer<R>,
): void {
  guarded(host, route, options, async (call, reply) => {
    await answerInTurn(host, route, { owner: call.caller.customer.id, reply }, () => handler(call))
    return reply
  })
}

export function kindOf({ method }: Route<string>): TurnCall['kind'] {
  return method === 'GET' ? 'read' : 'write'
}

/**
 * Runs a call when it is the turn of its owner, and sends the result. A call whose client has disconnected is skipped.
 */
export async function answerInTurn(
  { turns, limitedReader }: Pick<RouteHost, 'turns' | 'limitedReader'>,
  route: Route<string>,
  { owner, reply }: { readonly owner: string; readonly reply: FastifyReply },
  handler: () => Promise<unknown>,
): Promise<void> {
  const kind = kindOf(route)
  const answer = async (): Promise<void> => {
    const body = await handler()
    const isList = kind === 'read' && Array.isArray(body) && route.response instanceof z.ZodArray
    const payload = isList ? await limitedReader.listAsJson(route, body) : body
    if (isList) reply.type('application/json; charset=utf-8')
    // the reply is not awaited, because it is a promise that resolves only after the client has read the response
    void reply.code(route.status).send(route.status === 204 ? undefined : payload)
  }
  const work = () => (kind === 'read' ? limitedReader.run(answer) : limitedReader.change(answer))
  const isDone = await turns.run({ owner, kind, response: reply.raw }, work)
  // the connection is closed, so no response can be sent
  if (!isDone) reply.hijack()
}

/** Registers a route whose response is a file, with the same checks as `register`. */
export function registerFile<R extends Route>(
  host: RouteHost,
  route: R,
  handler: (call: Call<R>) => Promise<FileAnswer>,
): void {
  guarded(host, route, { expand: [] }, async (call, reply) => {
    const { fileName, bytes, content } = await handler(call)
    return reply
      .code(route.status)
      .type(`${route.mediaType ?? 'application/octet-stream'}; charset=utf-8`)
      .header('content-length', String(bytes))
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .send(streamed(reply, content))
  })
}

/**
 * Returns a file as the payload of a reply, which is sent piece by piece. For HEAD the file is not read; without this
 * rule Fastify would read the file and send nothing.
 */
export function streamed({ request }: FastifyReply, content: AsyncIterable<Uint8Array>): Readable {
  return Readable.from(request.method === 'HEAD' ? [] : content, { highWaterMark: 1 })
}

function guarded<R extends Route, const Group extends string>(
  host: RouteHost,
  route: R,
  options: RouteOptions<Group>,
  answer: (call: Call<R, Group>, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  const callers = new WeakMap<FastifyRequest, Caller>()
  for (const url of [route.path, ...(route.otherPath === undefined ? [] : [route.otherPath])])
    host.app.route({
      method: route.method,
      url,
      schema: schemaOf(route, guardedFailures, ['token', 'wms', 'customer']),
      config: configOf(route, { expand: options.expand, needsToken: true }),
      ...(options.bodyLimit !== undefined && { bodyLimit: options.bodyLimit }),
      onRequest: async (request) => {
        requireWms(request, host.wmsCode)
        const caller = await identifyCaller(host.context, request, route.role, options.admit)
        request.owner = caller.customer.id
        host.turns.requireRoom({ owner: request.owner, kind: kindOf(route) })
        callers.set(request, caller)
      },
      handler: async (request, reply) => {
        const caller = callers.get(request)
        if (caller === undefined) throw new Error('A handler ran before the caller was authenticated')
        const call = {
          ...inputs<R>(request),
          caller,
          expand: expandGroups(request, options.expand),
          linkTo: (documentId: string) => baseUrl(host, request) + host.context.links.sign(documentId),
          hasLeft: () => reply.raw.closed,
          linkToPage: (page: number) => baseUrl(host, request) + withPage(request.url, page),
        }
        return answer(call, reply)
      },
    })
}

/**
 * Maximum bytes of the body of a login or a refresh. It is small, because any client may send such a body without a
 * token; the limit for `refresh_token` (shared/wire/limits.ts) fits into it, and a usual body has less than 1 kB.
 */
const openBodyLimit = 128 * 1024

/**
 * Registers a route that needs no token: login and refresh. The handler returns null if the client has disconnected.
 */
export function registerOpen<R extends Route<string>>(
  host: RouteHost,
  route: R,
  options: { readonly needsCustomer: boolean },
  handler: (call: OpenCall<R>) => Promise<Awaited<Answer<R>> | null>,
): void {
  host.app.route({
    method: route.method,
    url: route.path,
    bodyLimit: openBodyLimit,
    schema: schemaOf(route, openFailures, options.needsCustomer ? ['wms', 'customer'] : ['wms']),
    config: configOf(route),
    onRequest: (request, _reply, done) => {
      requireWms(request, host.wmsCode)
      if (options.needsCustomer) requireCustomerCode(request)
      done()
    },
    handler: async (request, reply) => {
      const answer = await handler({
        ...inputs<R>(request),
        customerCode: customerCode(request),
        address: host.clientAddress(request),
        hasLeft: () => reply.raw.closed,
      })
      // the connection is closed, so no response can be sent
      if (answer === null) return reply.hijack()
      return reply.code(route.status).send(answer)
    },
  })
}

/**
 * Returns the inputs of a call with their types. The validator has already replaced them with the outputs of the
 * schemas.
 */
export function inputs<R extends Route<string>>(request: FastifyRequest): Inputs<R> {
  return {
    params: request.params as Part<R, 'params'>,
    query: request.query as Part<R, 'query'>,
    body: request.body as Part<R, 'body'>,
  }
}

const openFailures = [400, 401, 403]
/**
 * The failures of a call with a token. 429: too many calls of the customer or the warehouse user wait for their turn.
 */
export const guardedFailures = [...openFailures, 429]

/**
 * Returns the schemas of a route for validation, serialization and the OpenAPI document. The documented failures are
 * `common`, 404 if the path names a record, 413 and 415 if the call may have a body, and those of the route table.
 */
export function schemaOf(
  route: Route<string>,
  common: readonly number[],
  security: readonly ('token' | 'wms' | 'customer')[],
): Record<string, unknown> {
  const failures = [
    ...common,
    ...(route.params === undefined ? [] : [404]),
    ...(route.method === 'GET' ? [] : [413, 415]),
    ...(route.failures ?? []),
  ]
  return {
    summary: route.summary,
    ...(route.deprecated && { deprecated: true }),
    security: [Object.fromEntries(security.map((scheme) => [scheme, []]))],
    ...(route.params && { params: route.params }),
    ...(route.query && { querystring: route.query }),
    ...(route.body && { body: route.body }),
    response: {
      [route.status]:
        route.mediaType === undefined
          ? route.response
          : { content: { [route.mediaType]: { schema: route.response } } },
      ...Object.fromEntries(failures.map((status) => [status, errorBody])),
    },
  }
}

/** Returns the properties of a route that plugins read. */
export function configOf(
  route: Route<string>,
  more: Pick<FastifyContextConfig, 'expand' | 'isKeyed' | 'needsToken'> = {},
): FastifyContextConfig {
  return { ...more, ...(route.errorFamily && { errorFamily: route.errorFamily }) }
}

/**
 * Parses the header `Expand: a, b`. Unknown groups are ignored, because the header never makes a call fail (API.md
 * 1.9).
 */
function expandGroups<Group extends string>(request: FastifyRequest, known: readonly Group[]): Set<Group> {
  const header = request.headers['expand']
  const asked = new Set([header ?? []].flat().flatMap((text) => text.split(',').map((group) => group.trim())))
  return new Set(known.filter((group) => asked.has(group)))
}

function baseUrl(host: RouteHost, request: FastifyRequest): string {
  return host.publicBaseUrl ?? `${request.protocol}://${request.host}`
}

function withPage(url: string, page: number): string {
  const [path = '', query] = url.split('?')
  const parameters = new URLSearchParams(query)
  parameters.set('page', String(page))
  return `${path}?${parameters.toString()}`
}
