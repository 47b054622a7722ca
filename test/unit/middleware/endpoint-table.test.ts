import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Route } from '#shared/wire/routes.ts'
import { servedRoutes } from '#shared/wire/warehouse-routes.ts'

const readme = new URL('../../../electron/middleware/README.md', import.meta.url)
const [, table = ''] = readFileSync(readme, 'utf8').split('## Endpoints')
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('`'))
  .map((line) => {
    const [, methods = '', paths = '', tests = ''] = line.split('|')
    const listed = [...paths.matchAll(/`([^`]+)`/g)].flatMap(([, path = '']) =>
      methods.split(',').map((method) => `${method.trim()} ${path}`),
    )
    return { listed, tests: [...tests.matchAll(/\(([^)]+)\)/g)].map(([, test = '']) => test) }
  })

describe('the table of endpoints in the README', () => {
  it('lists exactly the routes that the middleware serves', () => {
    const served = Object.values<Route<string>>(servedRoutes).flatMap(({ method, path, otherPath }) =>
      [path, otherPath ?? []].flat().map((each) => `${method} ${each}`),
    )
    expect(rows.flatMap(({ listed }) => listed).sort()).toEqual(served.sort())
  })

  it('links each route to existing test files that contain the name of the resource', () => {
    for (const { listed, tests } of rows) {
      expect(tests.length, listed.join()).toBeGreaterThan(0)
      for (const test of tests) {
        const file = new URL(test, readme)
        expect(existsSync(file), test).toBe(true)
        // the name of the resource: the part of the path before any id
        const resource = /\/(?:wms\/)?([a-z-]+)/.exec(listed[0] ?? '')?.[1] ?? ''
        expect(readFileSync(file, 'utf8'), `${test} for ${listed.join()}`).toContain(resource)
      }
    }
  })
})
