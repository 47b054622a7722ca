import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import { serializerCompiler } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { overLimit } from '#shared/wire/limits.ts'
import type { FieldMessages } from '../services/refusal.ts'

/** A request that does not fit its schema; Fastify adds `validationContext` (body, querystring, params). */
export class InvalidRequest extends Error {
  readonly fields: FieldMessages
  readonly validationContext: string | undefined = undefined
  constructor(issues: readonly z.core.$ZodIssue[]) {
    const fields = fieldMessages(issues)
    super(sentence(fields))
    this.name = 'InvalidRequest'
    this.fields = fields
  }
}

/** Requests are measured and checked, and answers cut down, by the limits and schemas of the wire. */
export function validateByWireSchemas(app: FastifyInstance): void {
  // before the schemas, which complain about each of a million wrong values
  app.addHook('preValidation', (request, _reply, done) => {
    const over = overLimit(request.query) ?? overLimit(request.body)
    if (over) done(new InvalidRequest([{ code: 'custom', ...over, path: [...over.path], input: undefined }]))
    else done()
  })
  app.setValidatorCompiler(compileValidator)
  // Undeclared fields of an answer are left out; a missing one is an error of ours.
  app.setSerializerCompiler(serializerCompiler)
}

const compileValidator: FastifySchemaCompiler<unknown> = ({ schema }) => {
  if (!(schema instanceof z.ZodType)) throw new TypeError('Routes declare zod schemas only')
  return (data: unknown) => {
    const result = schema.safeParse(data)
    return result.success ? { value: result.data } : { error: new InvalidRequest(result.error.issues) }
  }
}

function fieldMessages(issues: readonly z.core.$ZodIssue[]): FieldMessages {
  // a Map: a client may well send a field that is called like something every object has
  const fields = new Map<string, string[]>()
  const note = (field: string, message: string): void => {
    const messages = fields.get(field)
    if (messages) messages.push(message)
    else fields.set(field, [message])
  }
  for (const issue of issues.flatMap(relevant)) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) note([...issue.path, key].join('.'), 'This field was not expected.')
    } else note(issue.path.join('.'), issue.message)
  }
  return Object.fromEntries(fields)
}

/** Of a union only the alternative that was most likely meant: fewest unexpected fields, then fewest complaints. */
function relevant(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const unexpected = (alternative: readonly z.core.$ZodIssue[]): number =>
    alternative.filter(
      (each) =>
        each.code === 'unrecognized_keys' || (each.code === 'invalid_type' && each.expected === 'never'),
    ).length
  const [best] = issue.errors.toSorted((a, b) => unexpected(a) - unexpected(b) || a.length - b.length)
  if (best === undefined) return [issue]
  return best.flatMap((inner) => relevant({ ...inner, path: [...issue.path, ...inner.path] }))
}

function sentence(fields: FieldMessages): string {
  return Object.entries(fields)
    .flatMap(([field, messages]) =>
      messages.map((message) => (field === '' ? message : `${field}: ${message}`)),
    )
    .join(' ')
}
