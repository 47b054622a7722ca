import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type Route, routes } from '#shared/wire/routes.ts'

/** The part of JSON Schema that the OpenAPI document uses. */
export interface JsonSchema {
  readonly type?: string | readonly string[] | undefined
  readonly enum?: readonly unknown[] | undefined
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[] | undefined
  readonly oneOf?: readonly JsonSchema[] | undefined
  readonly format?: string | undefined
  readonly pattern?: string | undefined
  readonly minLength?: number | undefined
  readonly maxLength?: number | undefined
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
  readonly minItems?: number | undefined
  readonly maxItems?: number | undefined
  readonly items?: JsonSchema | undefined
  /** The OpenAPI document uses the keyword `not` only in the schema of a property that must not be sent. */
  readonly not?: JsonSchema | undefined
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined
  readonly required?: readonly string[] | undefined
  readonly propertyNames?: JsonSchema | undefined
  readonly additionalProperties?: boolean | JsonSchema | undefined
}

/** One operation of the OpenAPI document, with its row of the route table. */
export interface Operation {
  /** Method and path, such as `GET /wms/orders/:id/`. */
  readonly name: string
  readonly method: string
  /** The path with `:id` in place of the document's `{id}`. */
  readonly path: string
  readonly route: Route
  readonly query: readonly { readonly name: string; readonly schema: JsonSchema }[]
  readonly body: JsonSchema | null
  /** The statuses that the OpenAPI document lists for the operation. */
  readonly statuses: ReadonlySet<number>
  /** The groups that the operation accepts in the Expand header. */
  readonly expand: readonly string[]
}

const schema = z.custom<JsonSchema>((value) => typeof value === 'object' && value !== null)
const described = z.object({
  parameters: z
    .array(z.object({ in: z.string(), name: z.string(), schema, description: z.string().optional() }))
    .default([]),
  requestBody: z.object({ content: z.object({ 'application/json': z.object({ schema }) }) }).optional(),
  responses: z.record(z.string(), z.unknown()),
})
const document = z.object({ paths: z.record(z.string(), z.record(z.string(), described)) })

/**
 * Returns every operation of the clients' API in resources/openapi.json. Another test compares this file with the
 * served document.
 */
export function readOperations(): Operation[] {
  const file = new URL('../../resources/openapi.json', import.meta.url)
  const { paths } = document.parse(JSON.parse(readFileSync(file, 'utf8')))
  const ofClients = Object.entries(paths).filter(([path]) => !/^\/(warehouse|sandbox)\//.test(path))
  return ofClients.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]) => toOperation(method, path, each)),
  )
}

function toOperation(method: string, path: string, each: z.output<typeof described>): Operation {
  const own = path.replaceAll(/\{(\w+)\}/g, ':$1')
  const expand = each.parameters.find((parameter) => parameter.in === 'header')?.description ?? ''
  return {
    name: `${method.toUpperCase()} ${own}`,
    method: method.toUpperCase(),
    path: own,
    route: routeOf(method.toUpperCase(), own),
    query: each.parameters.filter((parameter) => parameter.in === 'query'),
    body: each.requestBody?.content['application/json'].schema ?? null,
    statuses: new Set(Object.keys(each.responses).map(Number)),
    expand: expand.replace(/^.*: /, '').split(', '),
  }
}

function routeOf(method: string, path: string): Route {
  const all: readonly Route[] = Object.values(routes)
  const found = all.find((route) => route.method === method && [route.path, route.otherPath].includes(path))
  if (found === undefined) throw new Error(`${method} ${path} is not in the route table`)
  return found
}
