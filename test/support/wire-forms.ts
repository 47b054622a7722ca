import { z } from 'zod'
import type { Route } from '#shared/wire/routes.ts'
import { servedRoutes } from '#shared/wire/warehouse-routes.ts'

/** A schema of the wire, and values that cost it the most. */
export interface WireForm {
  readonly schema: z.ZodType
  readonly values: readonly unknown[]
}

/** Every schema of the route table, with this text in the place of every text, and with what is no such value at all. */
export function wireForms(text: string): WireForm[] {
  const all = Object.values<Route<string>>(servedRoutes).flatMap(({ params, query, body, response }) => [
    ...[params, query, body, response].filter((schema) => schema !== undefined),
  ])
  return all.map((schema) => ({ schema, values: [text, [text], filled(schema, text)] }))
}

/** A value of a schema's form in which every text is this one. */
function filled(schema: unknown, text: string): unknown {
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(
      Object.entries(schema.shape).map(([name, inner]) => [name, filled(inner, text)]),
    )
  if (schema instanceof z.ZodArray) return [filled(schema.element, text)]
  if (schema instanceof z.ZodRecord) return { [text]: text }
  if (schema instanceof z.ZodUnion) return filled(schema.options[0], text)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return filled(schema.unwrap(), text)
  if (schema instanceof z.ZodPipe) {
    const inner = filled(schema.in, text)
    return inner === text ? filled(schema.out, text) : inner
  }
  return text
}
