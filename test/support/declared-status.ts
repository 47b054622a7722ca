import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** The methods of each path in the OpenAPI document, with the statuses that they may return. */
const document = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ responses: z.record(z.string(), z.unknown()) })),
  ),
})

interface Declared {
  readonly method: string
  readonly path: RegExp
  readonly statuses: ReadonlySet<number>
}

function readDeclared(): Declared[] {
  const file = new URL('../../resources/openapi.json', import.meta.url)
  const { paths } = document.parse(JSON.parse(readFileSync(file, 'utf8')))
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      path: new RegExp(`^${path.replace(/\/$/, '').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
      statuses: new Set(Object.keys(responses).map(Number)),
    })),
  )
}

/**
 * Statuses that any call may get and that no operation declares. 414: the path is too long. 503: the server has too
 * many connections, is too busy, or cannot use its database.
 */
const beforeRoutes: readonly number[] = [414, 503]

/** Paths that only some servers have. On other servers they return 404. */
const optional = /^\/(sandbox|warehouse)\//

let all: readonly Declared[] | null = null

/**
 * Throws if a call of the API returned a status that its row of the route table does not declare, because clients do
 * not expect such a status. Calls of other paths and methods are not checked.
 */
export function expectDeclaredStatus(method: string, path: string, status: number): void {
  all ??= readDeclared()
  const [bare = ''] = path.split('?')
  if (beforeRoutes.includes(status) || (status === 404 && optional.test(bare))) return
  const asked = method === 'HEAD' ? 'GET' : method
  const declared = all.find((each) => each.method === asked && each.path.test(bare))
  if (declared !== undefined && !declared.statuses.has(status))
    throw new Error(`${method} ${path} returned ${String(status)}, which the route table does not declare.`)
}
