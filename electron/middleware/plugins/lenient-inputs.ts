import type { FastifyInstance } from 'fastify'

/**
 * Queries and paths as real clients send them: a parameter left empty (`from=`) counts as left out, and PHP's numbered arrays
 * (`name[0]=a&name[1]=b`) as `name[]`. Ids in the path may come in capitals; ours are kept in lower case.
 */
export function acceptLenientInputs(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    const query: unknown = request.query
    if (typeof query === 'object' && query !== null) request.query = tidy(Object.entries(query))
    const params: unknown = request.params
    if (typeof params === 'object' && params !== null) request.params = lowerCase(Object.entries(params))
    done()
  })
}

function tidy(entries: readonly [string, unknown][]): Record<string, unknown> {
  const plain: Record<string, unknown> = {}
  for (const [key, value] of entries) {
    if (value === '') continue
    const name = key.replace(/\[\d+\]$/, '[]')
    plain[name] = name === key ? value : [plain[name] ?? [], value].flat()
  }
  return plain
}

function lowerCase(entries: readonly [string, unknown][]): Record<string, unknown> {
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === 'string' ? value.toLowerCase() : value]),
  )
}
