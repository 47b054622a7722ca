import type { FastifyInstance } from 'fastify'

/** Methods served at a path; empty when the path is unknown. */
export type ServedPaths = (path: string) => string[]

/** Remembers every route added from now on: Fastify answers 404 where a path exists but not for that method. */
export function rememberServedPaths(app: FastifyInstance): ServedPaths {
  const routes: { pattern: RegExp; method: string }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    const source = url.replace(/\/$/, '').replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')
    for (const each of [method].flat()) routes.push({ pattern: new RegExp(`^${source}/?$`), method: each })
  })
  return (path) => {
    const matching = routes.filter(({ pattern }) => pattern.test(path))
    return [...new Set(matching.map(({ method }) => method))].sort()
  }
}
