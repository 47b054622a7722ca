import { createServer as createWebServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import type { DeskStatus } from '#shared/bridge/views.ts'
import { makeCertificate } from '#support/certificate.ts'
import { count } from '#support/counts.ts'
import { DeskBench, eventually, logIn } from '#support/desk-bench.ts'
import { byShipment } from '#support/label-wishes.ts'
import { scriptedShipment } from '#support/scripted-records.ts'
import { ScriptedService } from '#support/scripted-service.ts'
import { TcpProxy } from '#support/tcp-proxy.ts'

/** Other servers at the address of the service, with the error code that the operator sees. */
const impostors = {
  'takes the connection and never answers': 'network.timeout',
  'hangs up on everybody': 'network.interrupted',
  'speaks something else': 'network.interrupted',
  'sends to a login page': 'network.not_the_service',
  'shows its page for everything': 'network.not_the_service',
  'wants a login to the network (511)': 'network.not_the_service',
  'is a proxy that wants a password': 'network.not_the_service',
  'is a web server without such a page': 'network.not_the_service',
  'is a web server that knows plain words only': 'network.not_the_service',
} as const
type Impostor = keyof typeof impostors

const pages: Partial<Record<Impostor, RequestListener>> = {
  'sends to a login page': (_, response) =>
    void response.writeHead(302, { location: 'http://login.hotel.example/' }).end(),
  'shows its page for everything': (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome to the hotel</html>'),
  'wants a login to the network (511)': (_, response) =>
    void response.writeHead(511, { 'content-type': 'text/html' }).end('<html>Log in to the network</html>'),
  'is a proxy that wants a password': (_, response) =>
    void response.writeHead(407, { 'proxy-authenticate': 'Basic realm="x"' }).end(),
  'is a web server without such a page': (_, response) =>
    void response.writeHead(404, { 'content-type': 'text/html' }).end('<html><h1>404</h1></html>'),
  'is a web server that knows plain words only': (_, response) =>
    void response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found'),
}

interface Listening {
  readonly port: number
  stop(): Promise<void>
}

/** Listens on the given port of 127.0.0.1. 0: any free port. */
function impersonate(impostor: Impostor, port: number): Promise<Listening> {
  const page = pages[impostor]
  if (page) return listen(createWebServer(page), port)
  return listen(
    createSocketServer((socket) => {
      socket.on('error', () => undefined)
      if (impostor === 'hangs up on everybody') socket.once('data', () => socket.resetAndDestroy())
      else if (impostor === 'speaks something else') socket.end('220 mail.example ESMTP\r\n')
      else socket.resume()
    }),
    port,
  )
}

/** A TLS server with a certificate for another name. */
function impersonateEncrypted(): Promise<Listening> {
  const answer: RequestListener = (_, response) => void response.end('{}')
  return listen(createTlsServer(makeCertificate('somebody.else.example'), answer), 0)
}

async function listen(server: Server, port: number): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

let service: ScriptedService
let bench: DeskBench
let desk: Desk
let impostor: Listening | null

beforeEach(async () => {
  service = new ScriptedService()
  await service.start()
  bench = await DeskBench.create()
  impostor = null
})

afterEach(async () => {
  await bench.dispose()
  await impostor?.stop()
  await service.stop()
})

const lineOf = (one: Desk): DeskStatus['line'] => one.status().line

async function signedIn(): Promise<Desk> {
  const one = await bench.open(() => service.url)
  await logIn(one)
  await eventually(() => one.status().index.syncedAt !== null && one.status().index.shipments === 3)
  return one
}

/** Replaces the service with another server at the same address. */
async function replaceBy(name: Impostor): Promise<void> {
  const port = Number(new URL(service.url).port)
  await service.stop()
  impostor = await impersonate(name, port)
}

const shipmentId = (): string => service.shipments[0]?.id ?? ''
const reference = (): string => service.shipments[0]?.reference ?? ''

describe('another server at the address of the service', () => {
  for (const [name, code] of Object.entries(impostors) as [Impostor, string][])
    it(`makes the desk offline if it ${name}; a waiting label is made once when the service is back`, async () => {
      desk = await signedIn()
      await replaceBy(name)
      const made = await desk.returnLabel.make({ mode: byShipment(shipmentId()), request: true, seen: null })
      expect(made.ok).toBe(true)
      const line = await eventually(() => lineOf(desk).state === 'offline' && lineOf(desk))
      // While the other server starts, the failure may be a refused or interrupted connection.
      expect([code, 'network.offline', 'network.interrupted']).toContain(line.failure?.code)
      await eventually(() => lineOf(desk).failure?.code === code)
      expect((await desk.scan.submit({ raw: reference(), expect: 'anything' })).kind).toBe('shipment')
      await impostor?.stop()
      await service.start()
      await eventually(() => lineOf(desk).state === 'online')
      expect(lineOf(desk).failure).toBeNull()
      await eventually(() => desk.status().waitingWrites.length === 0)
      expect(service.labelsOf(shipmentId())).toHaveLength(1)
    })

  it('with a certificate for another host name makes the desk offline before the first login', async () => {
    impostor = await impersonateEncrypted()
    const scope = { baseUrl: `https://127.0.0.1:${impostor.port}`, wmsCode: 'DEV', customerCode: 'ALDER' }
    desk = await bench.open(() => null, { scope })
    const line = await eventually(() => lineOf(desk).state === 'offline' && lineOf(desk))
    expect(line.failure?.code).toBe('network.certificate')
  })
})

describe('a service with failures', () => {
  it('makes the desk offline after repeated errors, and online again at the first success', async () => {
    desk = await signedIn()
    service.script = () => 'server_error_before'
    const line = await eventually(() => lineOf(desk).state === 'offline' && lineOf(desk))
    expect(line.failure?.code).toBe('api.unavailable')
    service.script = () => null
    await eventually(() => lineOf(desk).state === 'online')
  })

  it('does not make the desk offline if only calls of one kind fail', async () => {
    desk = await signedIn()
    const states = new Set<string>()
    desk.on('status', ({ line }) => states.add(line.state))
    service.script = ({ method }) => (method === 'POST' ? 'unexpected_417_before' : null)
    const looks = service.count('GET', /return-labels/)
    for (const { id } of service.shipments)
      await desk.returnLabel.make({ mode: byShipment(id), request: true, seen: null })
    await eventually(() => service.count('POST', /return-labels/) >= 3)
    await eventually(() => service.count('GET', /return-labels/) >= looks + 6)
    expect(states).toEqual(new Set(['online']))
  })
})

describe('a network that drops all packets', () => {
  it('does not prevent a scan from finding a shipment that the desk has stored', async () => {
    desk = await signedIn()
    await replaceBy('takes the connection and never answers')
    const outcomes = await Promise.all(
      Array.from({ length: count(40, 400) }, (_, scan) =>
        desk.scan.submit({ raw: service.shipments[scan % 3]?.reference ?? '', expect: 'anything' }),
      ),
    )
    expect(outcomes.every(({ kind }) => kind === 'shipment')).toBe(true)
    await eventually(() => lineOf(desk).state === 'offline')
    expect((await desk.scan.submit({ raw: 'nothing-of-the-kind', expect: 'anything' })).kind).toBe('unknown')
  })
})

describe('a network that has lost the open connections while the PC slept', () => {
  it('does not delay the scan of a new shipment after the PC has woken up', async () => {
    const proxy = await TcpProxy.start([Number(new URL(service.url).port)])
    onTestFinished(() => proxy.stop())
    let wake = (): void => undefined
    const network = {
      onBack(listener: () => void) {
        wake = listener
        return () => undefined
      },
    }
    // with these time limits, a read over a lost connection would last longer than the test
    const timeouts = { connectMs: 5_000, headersMs: 600_000, totalMs: 600_000 }
    const url = `http://127.0.0.1:${proxy.port}`
    desk = await bench.open(() => url, { network, timeouts, freshMs: 0, askMs: 30_000 })
    await logIn(desk)
    await eventually(() => desk.status().index.syncedAt !== null && desk.status().index.shipments === 3)
    const unknown = Array.from({ length: 8 }, (_, at) =>
      desk.scan.submit({ raw: `NOBODY${at}`, expect: 'anything' }),
    )
    await Promise.all(unknown)
    proxy.silence()
    wake()
    const added = scriptedShipment(4)
    service.shipments.push(added)
    expect((await desk.scan.submit({ raw: added.reference, expect: 'anything' })).kind).toBe('shipment')
  })
})
