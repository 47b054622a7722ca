import { Readable } from 'node:stream'
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { errorBody } from '#shared/wire/error-body.ts'
import type { Route } from '#shared/wire/routes.ts'
import type { AnswerReader } from '../plugins/answers.ts'
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
    /** Groups that the `Expand` header may name. */
    expand?: readonly string[]
    /** The call needs an `Idempotency-Key`. */
    isKeyed?: boolean
  }
}

/** What a group of routes needs to be registered. */
export interface RouteHost {
  readonly app: FastifyInstance
  readonly context: ServiceContext
  readonly turns: Turns
  readonly answerReader: AnswerReader
  readonly wmsCode: string | null
  /** Where clients reach this server, without a trailing slash; null: as the request itself says. */
  readonly publicBaseUrl: string | null
  readonly warehouse: Warehouse
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined
type Part<R extends Route<string>, Key extends 'params' | 'query' | 'body'> = Parsed<R[Key]>

/** A call after all checks: inputs parsed by the route's schemas. */
export interface Inputs<R extends Route<string>> {
  readonly params: Part<R, 'params'>
  readonly query: Part<R, 'query'>
  readonly body: Part<R, 'body'>
}

interface OpenCall<R extends Route<string>> extends Inputs<R> {
  readonly customerCode: string | null
  /** IP address of the caller. */
  readonly address: string
}

export interface Call<R extends Route, Group extends string = never> extends Inputs<R> {
  readonly caller: Caller
  /** Expand groups asked for, among those the route knows. */
  readonly expand: ReadonlySet<Group>
  /** A freshly signed absolute URL of a document. */
  readonly linkTo: (documentId: string) => string
  /** Absolute URL of another page of the list that is asked for. */
  readonly linkToPage: (page: number) => string
}

/** A file to keep, streamed; its media type stands in the route table. */
interface FileAnswer {
  /** Plain ASCII. */
  readonly fileName: string
  readonly bytes: number
  readonly content: AsyncIterable<string>
}

interface RouteOptions<Group extends string> {
  readonly expand: readonly Group[]
  /** Rejects callers whom a role alone does not let in. */
  readonly admit?: (caller: Caller) => Promise<void>
  /** Largest body in bytes; left out: 1 MiB. */
  readonly bodyLimit?: number
}

export type Answer<R extends Route<string>> = Promise<z.output<R['response']>>

/** A route that needs a token, a customer and its role; path, schemas and status come from the route table. */
export function register<R extends Route, const Group extends string = never>(
  host: RouteHost,
  route: R,
  options: RouteOptions<Group>,
  handler: (call: Call<R, Group>) => Answer<R>,
): void {
  guarded(host, route, options, async (call, reply) => {
    const answer = async (): Promise<void> => {
      const body = await handler(call)
      // not awaited: a reply is a promise of its own, fulfilled once the client has read it
      void reply.code(route.status).send(route.status === 204 ? undefined : body)
    }
    await answerInTurn(host, { owner: call.caller.customer.id, kind: kindOf(route) }, reply, answer)
    return reply
  })
}

export function kindOf({ method }: Route<string>): TurnCall['kind'] {
  return method === 'GET' ? 'read' : 'write'
}

/** Works a call off when it is its owner's turn; what nobody waits for any more is left out. */
export async function answerInTurn(
  { turns, answerReader }: Pick<RouteHost, 'turns' | 'answerReader'>,
  call: Omit<TurnCall, 'response'>,
  reply: FastifyReply,
  answer: () => Promise<void>,
): Promise<void> {
  const work = () => (call.kind === 'read' ? answerReader.run(answer) : answerReader.change(answer))
  const isDone = await turns.run({ ...call, response: reply.raw }, work)
  // there is no connection to send anything on
  if (!isDone) reply.hijack()
}

/** A route guarded in the same way whose answer is a file. */
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

/** A file as the payload of a reply, piece by piece. Fastify would read it for HEAD as well, and send none of it. */
export function streamed({ request }: FastifyReply, content: AsyncIterable<string | Uint8Array>): Readable {
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
        const caller = await host.turns.identify(() => identifyCaller(host.context, request, route.role))
        request.owner = caller.customer.id
        host.turns.requireRoom({ owner: request.owner, kind: kindOf(route) })
        await options.admit?.(caller)
        callers.set(request, caller)
      },
      handler: async (request, reply) => {
        const caller = callers.get(request)
        if (caller === undefined) throw new Error('A handler ran before its caller was known')
        const call = {
          ...inputs<R>(request),
          caller,
          expand: expandGroups(request, options.expand),
          linkTo: (documentId: string) => baseUrl(host, request) + host.context.links.sign(documentId),
          linkToPage: (page: number) => baseUrl(host, request) + withPage(request.url, page),
        }
        return answer(call, reply)
      },
    })
}

/** Anybody may send one; a login or a token takes a tenth. */
const openBodyLimit = 128 * 1024

/** A route before any token: login and refresh. */
export function registerOpen<R extends Route<string>>(
  host: RouteHost,
  route: R,
  options: { readonly needsCustomer: boolean },
  handler: (call: OpenCall<R>) => Answer<R>,
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
        address: request.ip,
      })
      return reply.code(route.status).send(answer)
    },
  })
}

/** The validator has put the schemas' outputs into the request; this names their types. */
export function inputs<R extends Route<string>>(request: FastifyRequest): Inputs<R> {
  return {
    params: request.params as Part<R, 'params'>,
    query: request.query as Part<R, 'query'>,
    body: request.body as Part<R, 'body'>,
  }
}

const openFailures = [400, 401, 403]
/** 429: too many calls of the customer, or of the warehouse's user, wait for their turn. */
export const guardedFailures = [...openFailures, 429]

/**
 * What validates, what serializes and what the OpenAPI document says: all from the route table. Beside `common` a call may
 * fail with 404 where its path names a record, with 413 and 415 where it may have a body, and as its route says.
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

/** What plugins know of a route. */
export function configOf(
  route: Route<string>,
  more: Pick<FastifyContextConfig, 'expand' | 'isKeyed' | 'needsToken'> = {},
): FastifyContextConfig {
  return { ...more, ...(route.errorFamily && { errorFamily: route.errorFamily }) }
}

/** `Expand: a, b`; unknown groups are ignored, for the header never makes a call fail (API.md 1.9). */
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
