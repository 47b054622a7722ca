import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openApiDocument } from '#middleware/openapi-document.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

describe('GET /openapi.json', () => {
  it('returns the document of the running server without a login', async () => {
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
  it.each(['/docs', '/docs/'])('returns for %s a page that loads nothing from other hosts', async (path) => {
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

  it('shows the same document, runs only its own scripts and cannot be framed', async () => {
    const shown = await fetch(`${server.url}/docs/json`)
    expect(await shown.json()).toEqual((await server.call('/openapi.json')).body)
    const policy = (await fetch(`${server.url}/docs`)).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('http')
  })

  it.each(['/docs/nothing', '/docs/static/nothing.js', '/docs/static/..%2f..%2fpackage.json'])(
    'returns a client error for %s',
    async (path) => {
      const reply = await fetch(server.url + path)
      expect(reply.status).toBeGreaterThanOrEqual(400)
      expect(reply.status).toBeLessThan(500)
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
    },
  )
})
