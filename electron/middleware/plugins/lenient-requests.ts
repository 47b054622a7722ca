import { isUtf8 } from 'node:buffer'
import { parse } from 'node:querystring'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { bodyLimits, isJsonWithin } from '#shared/wire/limits.ts'
import { InvalidRequest } from './validation.ts'

/**
 * Accepts bodies as existing clients send them: JSON without a content type, an empty body with a content type, and
 * `[]` for an object (PHP's empty array). Fastify's parser reads every other body and refuses prototype poisoning.
 *
 * A body that is not UTF-8 is refused, because its texts would be stored with replacement characters. A body above the
 * limits is refused with 400 before it is parsed, because parsing blocks all other requests. A body
 * with half of a surrogate pair is refused, because the database would store a different text, and a search for the
 * sent text would not find it. A body with a NUL character is refused, because PostgreSQL can neither store nor search
 * such a text.
 */
export function acceptLenientBodies(app: FastifyInstance): void {
  const strict = app.getDefaultJsonParser('error', 'error')
  const parse = (
    request: FastifyRequest,
    body: Buffer,
    done: (error: Error | null, body?: unknown) => void,
  ): void => {
    const refusal = refusalOf(body, request.headers['content-type'])
    if (refusal !== null) {
      done(refusal)
      return
    }
    const text = body.toString().trim()
    if (text === '' || text === '[]') done(null, {})
    else
      void strict(request, text, (error: Error | null, parsed?: unknown) => {
        const issue = error === null && unstorableEscape.test(text) ? illFormedAt(parsed, []) : null
        if (issue === null) done(error, parsed)
        else done(new InvalidRequest([issue]))
      })
  }
  app.removeContentTypeParser(['application/json', 'text/plain'])
  for (const type of ['application/json', /^application\/[\w.-]+\+json/])
    app.addContentTypeParser(type, { parseAs: 'buffer' }, parse)
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (request.headers['content-type'] === undefined || body.toString().trim() === '')
      parse(request, body, done)
    else done(new UnsupportedMediaType())
  })
  app.addHook('preValidation', (request, _reply, done) => {
    request.body ??= {}
    done()
  })
}

type Issue = ConstructorParameters<typeof InvalidRequest>[0][number]

/** Returns why a body is not parsed; null if it may be. */
function refusalOf(body: Buffer, type: string | undefined): Error | null {
  if (body.length > 0 && !isUtf8Charset(type)) return new UnsupportedMediaType()
  if (!isUtf8(body)) return new InvalidRequest([notUtf8])
  return isJsonWithin(body, bodyLimits) ? null : new InvalidRequest([tooManyValues])
}

/** Whether a content type names UTF-8, ASCII, which is a part of UTF-8, or no charset. */
function isUtf8Charset(type = ''): boolean {
  const charset = /;\s*charset\s*=\s*["']?([^\s"';,]*)/i.exec(type)?.[1] ?? ''
  return /^(?:utf-?8|(?:us-)?ascii)?$/i.test(charset)
}

const notUtf8 = { code: 'custom', path: [], message: 'Send JSON in UTF-8.', input: undefined } satisfies Issue

/**
 * The message for a body above the limits. It equals the message of the limit on parsed bodies (shared/wire/limits.ts).
 */
const tooManyValues = {
  code: 'custom',
  path: [],
  message: 'This contains too many values.',
  input: undefined,
} satisfies Issue

/**
 * Matches an escape sequence that may be half of a surrogate pair or a NUL character. A body can contain these only as
 * escape sequences, because its bytes are decoded as UTF-8 and JSON allows no unescaped control characters.
 */
const unstorableEscape = /\\u(?:[dD][89a-fA-F]|0000)/

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

const notStorable = 'This value should be valid Unicode text.'

/** Returns the first text or name of a parsed body that is not well-formed or contains NUL. Null: there is none. */
function illFormedAt(value: unknown, path: (string | number)[]): Issue | null {
  const issue = (message: string): Issue => ({ code: 'custom', path: [...path], message, input: undefined })
  if (typeof value === 'string') return isStorable(value) ? null : issue(notStorable)
  if (typeof value !== 'object' || value === null) return null
  if (Array.isArray(value)) {
    // reads entries by their index, because creating a list of all their names takes far longer
    for (let at = 0; at < value.length; at++) {
      const found = illFormedWithin(value[at], at, path)
      if (found !== null) return found
    }
    return null
  }
  for (const [name, inner] of Object.entries(value)) {
    if (!isStorable(name)) return issue('Names of fields should be valid Unicode text.')
    const found = illFormedWithin(inner, name, path)
    if (found !== null) return found
  }
  return null
}

function illFormedWithin(value: unknown, name: string | number, path: (string | number)[]): Issue | null {
  path.push(name)
  const found = illFormedAt(value, path)
  path.pop()
  return found
}

class UnsupportedMediaType extends Error {
  readonly statusCode = 415
  constructor() {
    super('Send JSON in UTF-8.')
  }
}

/**
 * Maximum number of query parameters. A call of API.md has at most twelve different ones, and only
 * `order_external_reference` may be repeated.
 */
const mostParameters = 600

/** Stands for a query with too many parameters. */
const tooManyParameters: Readonly<Record<string, unknown>> = Object.freeze({})

/**
 * Parses a query string; a repeated name has a list of values. A query with too many parameters is not parsed, because
 * each name takes time and anyone can send such a query; `acceptLenientInputs` refuses it.
 */
export function parseQuery(text: string): Readonly<Record<string, unknown>> {
  return text.split('&', mostParameters + 1).length > mostParameters ? tooManyParameters : parse(text)
}

/**
 * Accepts queries and paths as existing clients send them: an empty parameter (`from=`) counts as missing, and PHP's
 * numbered arrays (`name[0]=a&name[1]=b`) count as `name[]`. Ids in the path may be in upper case; stored ids are in
 * lower case. A parameter with a NUL character is refused, because PostgreSQL cannot search for it. The parameter
 * `search` may contain a NUL character; the list is then empty.
 */
export function acceptLenientInputs(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    const query: unknown = request.query
    if (query === tooManyParameters) {
      const message = `A query should have at most ${mostParameters} parameters.`
      done(new InvalidRequest([{ code: 'custom', path: [], message, input: undefined }]))
      return
    }
    if (typeof query === 'object' && query !== null) request.query = tidy(Object.entries(query))
    const params: unknown = request.params
    if (typeof params === 'object' && params !== null) request.params = lowerCase(Object.entries(params))
    const refused = Object.entries(request.query ?? {}).find(
      ([name, value]) => name !== 'search' && [value].flat().some((text) => String(text).includes('\0')),
    )
    if (refused === undefined) done()
    else
      done(
        new InvalidRequest([{ code: 'custom', path: [refused[0]], message: notStorable, input: undefined }]),
      )
  })
}

function tidy(entries: readonly [string, unknown][]): Record<string, unknown> {
  const plain: Record<string, unknown> = {}
  for (const [key, value] of entries) {
    if (value === '') continue
    const name = key.replace(/\[\d+\]$/, '[]')
    const known = plain[name]
    if (name === key) plain[name] = value
    else if (Array.isArray(known)) known.push(...[value].flat())
    else plain[name] = [known ?? [], value].flat()
  }
  return plain
}

function lowerCase(entries: readonly [string, unknown][]): Record<string, unknown> {
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === 'string' ? value.toLowerCase() : value]),
  )
}
