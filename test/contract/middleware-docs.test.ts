import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { openApiDocument } from '#middleware/openapi-document.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

describe('GET /openapi.json', () => {
  it('returns the OpenAPI document of the running server without a login', async () => {
    const reply = await fetch(`${server.url}/openapi.json`)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await reply.json()).toEqual(JSON.parse(await openApiDocument()))
  })
})

describe('every operation in the OpenAPI document', () => {
  it('has a short summary', async () => {
    const operation = z.object({ operationId: z.string().optional(), summary: z.string().min(5).max(80) })
    const paths = z.record(z.string(), z.record(z.string(), operation))
    const { body } = await server.call('/openapi.json')
    const operations = Object.values(z.object({ paths }).parse(body).paths).flatMap((each) =>
      Object.values(each),
    )
    expect(operations.length).toBeGreaterThan(90)
  })
})

describe('GET /docs', () => {
  it.each(['/docs', '/docs/'])('returns a page for %s that loads nothing from other hosts', async (path) => {
    const page = await fetch(server.url + path, { redirect: 'manual' })
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const html = await page.text()
    const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part = '']) => part)
    expect(parts.length).toBeGreaterThan(3)
    expect(html).not.toMatch(/<script[^>]*>\s*[^<\s]|<style| style=| on\w+=/)
    for (const part of parts) {
      const url = new URL(part, `${server.url}${path}`)
      expect(url.origin).toBe(server.url)
      const reply = await fetch(url)
      expect(reply.status, url.href).toBe(200)
      await reply.arrayBuffer()
    }
  })

  it('shows the document of /openapi.json, runs only its own scripts and cannot be framed', async () => {
    const shown = await fetch(`${server.url}/docs/json`)
    expect(await shown.json()).toEqual((await server.call('/openapi.json')).body)
    const policy = (await fetch(`${server.url}/docs`)).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('http')
  })

  it('serves the page, its files and the OpenAPI document, and no other path below /docs', async () => {
    const folder = join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static')
    const paths = [
      ...['', 'json', 'yaml', 'static', 'logo', 'oauth2-redirect.html'],
      ...[...readdirSync(folder), 'swagger-initializer.js', 'theme/a.css'].map((name) => `static/${name}`),
    ].map((name) => `/docs/${name}`)
    const statuses = new Map<string, number>()
    for (const path of paths) {
      const reply = await fetch(server.url + path, { redirect: 'manual' })
      statuses.set(path, reply.status)
      await reply.arrayBuffer()
    }
    const found = [...statuses].filter(([, status]) => status !== 404)
    expect(found.map(([path]) => path.replace('/docs/', '')).toSorted()).toEqual([
      '',
      'json',
      'static/favicon-16x16.png',
      'static/favicon-32x32.png',
      'static/index.css',
      'static/swagger-initializer.js',
      'static/swagger-ui-bundle.js',
      'static/swagger-ui-standalone-preset.js',
      'static/swagger-ui.css',
    ])
    expect(new Set(found.map(([, status]) => status))).toEqual(new Set([200]))
  })

  it('loads the OpenAPI document from /docs/json', async () => {
    const script = await (await fetch(`${server.url}/docs/static/swagger-initializer.js`)).text()
    expect(script).toContain("url: resolveUrl('./json')")
  })

  it('does not serialize the OpenAPI document again for each call', async () => {
    const paths = [
      '/docs',
      '/docs/json',
      '/docs/yaml',
      '/docs/static/swagger-initializer.js',
      '/openapi.json',
    ]
    for (const path of paths) await (await fetch(server.url + path)).text()
    const serialized = vi.spyOn(JSON, 'stringify')
    const sent = new Map<string, string>()
    for (let time = 0; time < 3; time++)
      for (const path of paths) {
        const text = await (await fetch(server.url + path)).text()
        expect(sent.get(path) ?? text).toBe(text)
        sent.set(path, text)
      }
    const whole = serialized.mock.results.filter(({ value }) => String(value).length > 10_000)
    serialized.mockRestore()
    expect(whole).toEqual([])
    expect([...sent.values()].filter((text) => text.includes('openapi: '))).toEqual([])
  })

  it.each(['/docs/nothing', '/docs/static/nothing.js', '/docs/static/..%2f..%2fpackage.json'])(
    'returns a 4xx status for %s, which is no file of the page',
    async (path) => {
      const reply = await fetch(server.url + path)
      expect(reply.status).toBeGreaterThanOrEqual(400)
      expect(reply.status).toBeLessThan(500)
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
    },
  )
})
