import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { testConnection } from '#remote/connection-test.ts'
import { connectionTest, type ConnectionTest } from '#shared/bridge/views.ts'

let server: Server | null = null

async function ask(listener: RequestListener, wmsCode = 'W'): Promise<ConnectionTest> {
  const listening = createServer(listener)
  server = listening
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/`
  return testConnection({ name: 'n', baseUrl, wmsCode, customerCode: 'C', documentHosts: '' })
}

const json =
  (status: number, body: unknown): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }

afterEach(async () => {
  server?.closeAllConnections()
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)))
  server = null
})

describe('the connection test', () => {
  it('knows the service by how it refuses nobody', async () => {
    const result = await ask(json(401, { code: 401, message: 'Invalid credentials.' }), 'dev')
    expect(connectionTest.parse(result)).toEqual(result)
    expect(result).toMatchObject({
      reachable: true,
      isService: true,
      wmsKnown: true,
      environment: 'development',
      failure: null,
    })
    const picky = await ask(json(400, { errors: { username: ['Required'] } }))
    expect(picky).toMatchObject({ isService: true, wmsKnown: true, environment: 'production' })
  })

  it('says that the WMS code is unknown', async () => {
    expect(await ask(json(400, { code: 400, message: 'Invalid WMS.' }))).toMatchObject({
      isService: true,
      wmsKnown: false,
      failure: { code: 'session.unknown_wms' },
    })
  })

  it.each<[string, RequestListener]>([
    ['a page', (_q, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['a redirect', (_q, response) => response.writeHead(302, { location: '/login' }).end()],
    ['some other JSON', json(200, { hello: 1 })],
    ['somebody else’s 404', json(404, { detail: 'nope' })],
    ['an empty 404', (_q, response) => response.writeHead(404).end()],
  ])('is not taken in by %s', async (_name, listener) => {
    const result = await ask(listener)
    expect(result).toMatchObject({ reachable: true, isService: false, wmsKnown: null })
    expect(result.failure?.code).toBe('network.not_the_service')
  })

  it('says that nobody is there, or that the address is no good', async () => {
    const draft = { name: 'n', wmsCode: 'W', customerCode: 'C', documentHosts: '' }
    const nobody = await testConnection({ ...draft, baseUrl: 'http://127.0.0.1:1' })
    expect(nobody).toMatchObject({ reachable: false, failure: { code: 'network.offline' } })
    const insecure = await testConnection({ ...draft, baseUrl: 'http://example.com' })
    expect(insecure.failure?.code).toBe('station.insecure_url')
    expect((await testConnection({ ...draft, baseUrl: 'nonsense' })).failure?.code).toBe(
      'station.invalid_url',
    )
    expect((await testConnection({ ...draft, baseUrl: 'ftp://a.b' })).failure?.code).toBe(
      'station.invalid_url',
    )
  })
})
