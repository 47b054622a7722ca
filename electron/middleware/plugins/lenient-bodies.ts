import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * Bodies as real clients send them: JSON without a content type, an empty body with one, and `[]` where an object is
 * meant (PHP's empty array). Everything else goes through Fastify's own parser, which refuses prototype poisoning.
 */
export function acceptLenientBodies(app: FastifyInstance): void {
  const strict = app.getDefaultJsonParser('error', 'error')
  const parse = (
    request: FastifyRequest,
    body: string,
    done: (error: Error | null, body?: unknown) => void,
  ): void => {
    const text = body.trim()
    if (text === '' || text === '[]') done(null, {})
    else void strict(request, text, done)
  }
  app.removeContentTypeParser(['application/json', 'text/plain'])
  for (const type of ['application/json', /^application\/[\w.-]+\+json/])
    app.addContentTypeParser(type, { parseAs: 'string' }, parse)
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body: string, done) => {
    if (request.headers['content-type'] === undefined || body.trim() === '') parse(request, body, done)
    else done(new UnsupportedMediaType())
  })
  app.addHook('preValidation', (request, _reply, done) => {
    request.body ??= {}
    done()
  })
}

class UnsupportedMediaType extends Error {
  readonly statusCode = 415
  constructor() {
    super('Send JSON.')
  }
}
