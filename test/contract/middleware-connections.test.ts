import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ConnectionLimits, usualConnectionLimits } from '#middleware/plugins/connections.ts'
import type { ReturnLabelResult } from '#middleware/warehouse/carriers/carrier.ts'
import { returnLabel as labelSchema } from '#shared/wire/return-label.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { askRaw, openRaw, type RawSocket } from '#support/raw-socket.ts'
import { smallIds } from '#support/small-world.ts'

/** Time limit for slow clients in these tests in milliseconds: a hundredth of the usual limit. */
const quick: ConnectionLimits = { ...usualConnectionLimits, slowMs: 300, checkEveryMs: 100, keepAliveMs: 300 }

const login = (length: number): string =>
  `POST /wms/auth/login/ HTTP/1.1\r\nHost: localhost\r\nX-Wms-Code: DEV\r\nContent-Length: ${length}\r\n\r\n`
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

let server: TestServer
let open: RawSocket[]
let drips: NodeJS.Timeout[]
beforeEach(async () => {
  open = []
  drips = []
  server = await startTestServer({ connectionLimits: quick })
})
afterEach(async () => {
  for (const drip of drips) clearInterval(drip)
  for (const { socket } of open) socket.destroy()
  await server.close()
})

function client(says = ''): RawSocket {
  const raw = openRaw(server.url, says)
  open.push(raw)
  return raw
}

/** Sends `letter` again and again, at intervals that are far shorter than the time limit of the server. */
function drip({ socket }: RawSocket, letter: string): void {
  drips.push(setInterval(() => void (socket.writable && socket.write(letter)), 20))
}

/**
 * Opens a client that requests far more bytes than the buffers of client and server hold, and reads only the first
 * piece.
 */
async function slowReader(url: string, address?: string): Promise<RawSocket> {
  const reader = openRaw(url, get('/docs/static/swagger-ui-bundle.js').repeat(8), address)
  open.push(reader)
  reader.socket.once('data', () => reader.socket.pause())
  await expect.poll(() => reader.heard()).not.toBe('')
  return reader
}

describe('a stop of the server', () => {
  it('closes connections without a complete call immediately, and those of slow readers after 50 ms', async () => {
    const stopping = await startTestServer({ connectionLimits: { ...usualConnectionLimits, stopMs: 50 } })
    const silent = ['', 'GET /docs HT', login(100)].map((says) => openRaw(stopping.url, says))
    open.push(...silent)
    await slowReader(stopping.url)
    await stopping.close()
    await Promise.all(silent.map(({ closed }) => closed))
  })
})

/** Resolves when the server has closed every connection. */
async function noneLeft(): Promise<void> {
  await expect.poll(() => server.connections(), { timeout: 20_000 }).toBe(0)
}

describe('the server closes the connection of a client', () => {
  it('that sends nothing, half a line, or one byte of its headers at a time', async () => {
    const clients = [client(), client('GET / HT'), client('GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ')]
    if (clients[2]) drip(clients[2], 'a')
    const said = await Promise.all(clients.map(({ closed }) => closed))
    await noneLeft()
    for (const answer of said.slice(1)) expect(answer).toMatch(/^HTTP\/1\.1 408 .*"code":408/s)
  })

  it('whose request body arrives one byte at a time or stops halfway', async () => {
    const dripping = client(login(100_000))
    drip(dripping, ' ')
    const stopped = client(`${login(100_000)}{"username":`)
    for (const { closed } of [dripping, stopped]) expect(await closed).toMatch(/^HTTP\/1\.1 408 /)
    await noneLeft()
  })

  it('that sends text other than HTTP', async () => {
    const nonsense = client('nonsense\r\n\r\n')
    expect(await nonsense.closed).toMatch(/^HTTP\/1\.1 400 .*"code":400/s)
    await noneLeft()
  })

  it('that sends requests and never reads the responses', async () => {
    const deaf = client()
    deaf.socket.pause()
    // The responses are larger than the buffers of client and server together.
    deaf.socket.write(get('/docs/static/swagger-ui-bundle.js').repeat(8))
    await expect.poll(() => server.connections()).toBe(1)
    await noneLeft()
  })

  it('that reads its responses a few bytes at a time', async () => {
    const picky = await startTestServer({ connectionLimits: { ...quick, leastBytesPerSecond: 100_000_000 } })
    const { socket, heard } = await slowReader(picky.url)
    drips.push(setInterval(() => void socket.once('data', () => socket.pause()).resume(), 20))
    await expect.poll(() => picky.connections(), { timeout: 4_000 }).toBe(0)
    expect(heard().length).toBeGreaterThan(0)
    await picky.close()
  })

  it('that sends a thousand calls at once, of which the server processes at most the allowed number', async () => {
    const eager = client(get('/openapi.json').repeat(1_000))
    await eager.closed
    await noneLeft()
    const answers = (await eager.closed).match(/HTTP\/1\.1 200/g) ?? []
    expect(answers.length).toBeLessThanOrEqual(usualConnectionLimits.mostCallsAtOnce)
  })

  it.each([
    ['GET', '/nothing', 404, ''],
    ['POST', '/wms/auth/login/', 200, '{"username":"everything","password":"everything-secret-word"}'],
  ])(
    'that asks for another protocol than HTTP/1.1 in its call %s %s, after the response to this call',
    async (method, path, status, body) => {
      const lines = ['Host: localhost', 'X-Wms-Code: DEV', 'Connection: Upgrade', 'Upgrade: h2c']
      const head = [`${method} ${path} HTTP/1.1`, ...lines, `Content-Length: ${body.length}`]
      const answer = await client(`${head.join('\r\n')}\r\n\r\n${body}${get('/nothing')}`).closed
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*\r\nconnection: close\r\n`, 'is'))
      await noneLeft()
    },
  )

  it('that got its response and sends no further request', async () => {
    const idle = client(get('/nothing'))
    expect(await idle.closed).toMatch(/^HTTP\/1\.1 404 /)
    await noneLeft()
  })
})

describe('the server keeps a connection open', () => {
  it('while the response to a request takes longer than the time limit for slow clients', async () => {
    const carrier = Promise.withResolvers<ReturnLabelResult>()
    const slow = await startTestServer({
      connectionLimits: quick,
      carrierFor: () => ({ drawReturnLabel: () => carrier.promise }),
    })
    const body = { shipment_id: smallIds.shipments[0] }
    const made = await slow.call('/wms/return-labels/', { method: 'POST', body })
    const { id } = labelSchema.parse(made.body)
    const request = slow.call(`/wms/return-labels/${id}/request`, { method: 'POST' })
    // Three idle connections are opened one after the other. The server closes each after one time limit, so the loop
    // takes three time limits
    for (let time = 0; time < 3; time++) await openRaw(slow.url).closed
    carrier.resolve({
      pdf: Buffer.from('%PDF-1.4'),
      labelCode: 'L',
      trackingCode: 'T',
      trackingUrl: 'https://t',
    })
    expect((await request).status).toBe(200)
    await slow.close()
  })

  it('while a slow body arrives within the time limit', async () => {
    const text = JSON.stringify({ username: 'everything', password: 'everything-secret-word' })
    const calm = client(login(text.length))
    for (const letter of text) {
      calm.socket.write(letter)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await calm.closed).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('a server that has its maximum number of connections', () => {
  it('closes connections with a slow body and serves new connections', async () => {
    const small = await startTestServer({
      connectionLimits: { ...usualConnectionLimits, mostConnections: 4 },
    })
    const dripping = Array.from({ length: 8 }, () => openRaw(small.url, `${login(50_000)}{`))
    await Promise.all(dripping.slice(0, 4).map(({ closed }) => closed))
    const honest = 'GET /nothing HTTP/1.1\nHost: localhost\nConnection: close\n\n'
    for (let time = 0; time < 3; time++) expect((await askRaw(small.url, honest)).status).toBe(404)
    for (const { socket } of dripping) socket.destroy()
    await small.close()
  })

  it.each(['127.0.0.2', '127.0.0.1'])(
    'serves new connections from 127.0.0.1 while slow readers connect from %s',
    async (address) => {
      const small = await startTestServer({
        connectionLimits: { ...usualConnectionLimits, mostConnections: 4 },
      })
      for (let time = 0; time < 4; time++) await slowReader(small.url, address)
      const honest = 'GET /nothing HTTP/1.1\nHost: localhost\nConnection: close\n\n'
      for (let time = 0; time < 3; time++) {
        expect((await askRaw(small.url, honest)).status).toBe(404)
        await slowReader(small.url, address)
      }
      for (const { socket } of open) socket.destroy()
      await small.close()
    },
  )

  it('keeps the idle connection of a client address while another client address has more connections', async () => {
    const small = await startTestServer({
      connectionLimits: { ...usualConnectionLimits, mostConnections: 4 },
    })
    const calm = openRaw(small.url)
    open.push(calm)
    for (let time = 0; time < 8; time++) await slowReader(small.url, '127.0.0.2')
    calm.socket.write('GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    expect(await calm.closed).toMatch(/^HTTP\/1\.1 404 /)
    for (const { socket } of open) socket.destroy()
    await small.close()
  })

  it('closes the connection that has been idle longest, and no connection with a call in progress', async () => {
    const carrier = Promise.withResolvers<ReturnLabelResult>()
    const asked = Promise.withResolvers<null>()
    const small = await startTestServer({
      connectionLimits: { ...usualConnectionLimits, mostConnections: 4 },
      carrierFor: () => ({
        drawReturnLabel() {
          asked.resolve(null)
          return carrier.promise
        },
      }),
    })
    const token = await small.logIn()
    const body = { shipment_id: smallIds.shipments[0] }
    const made = await small.call('/wms/return-labels/', { method: 'POST', body })
    const served = openRaw(
      small.url,
      `POST /wms/return-labels/${labelSchema.parse(made.body).id}/request HTTP/1.1\r\nHost: localhost\r\n` +
        `X-Wms-Code: DEV\r\nX-Customer-Code: ALDER\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    )
    await asked.promise
    const crowd = Array.from({ length: 20 }, () => openRaw(small.url))
    await Promise.all(crowd.slice(0, -4).map(({ closed }) => closed))
    expect(await small.connections()).toBeLessThanOrEqual(4)
    expect(
      (await askRaw(small.url, 'GET /nothing HTTP/1.1\nHost: localhost\nConnection: close\n\n')).status,
    ).toBe(404)
    // The connection `served` stays open even while calls without a token are in progress on further connections.
    for (let time = 0; time < 6; time++) await slowReader(small.url)
    expect(served.socket.readableEnded).toBe(false)
    carrier.resolve({
      pdf: Buffer.from('%PDF-1.4'),
      labelCode: 'L',
      trackingCode: 'T',
      trackingUrl: 'https://t',
    })
    expect(await served.closed).toMatch(/^HTTP\/1\.1 200 /)
    for (const { socket } of [...crowd, ...open, served]) socket.destroy()
    await small.close()
  })
})

describe('request headers', () => {
  const ask = (count: number, value = 'x'): Promise<{ status: number; body: string }> =>
    askRaw(
      server.url,
      `GET /nothing HTTP/1.1\nHost: localhost\nConnection: close\n${`X-A: ${value}\n`.repeat(count)}\n`,
    )

  it('are limited to 100: a request with more headers is refused with 400', async () => {
    expect((await ask(98)).status).toBe(404)
    for (const count of [99, 1_500]) {
      const refused = await ask(count)
      expect(refused.status).toBe(400)
      expect(JSON.parse(refused.body)).toEqual({ code: 400, message: 'Too many headers.' })
    }
  })

  it('are limited to 16 kB in total', async () => {
    expect((await ask(10, 'x'.repeat(1_500))).status).toBe(404)
    expect((await ask(12, 'x'.repeat(1_500))).status).toBe(400)
  })
})
