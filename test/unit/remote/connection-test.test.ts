import { createServer as createWebServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  type AddressInfo,
  connect,
  createServer as createSocketServer,
  type Server,
  type Socket,
} from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { connectionFault, testConnection } from '#remote/connection-test.ts'
import { type Milestone, standardTimeouts, type Timeouts } from '#remote/exchange.ts'
import {
  type ConnectionProblem,
  type ConnectionStep,
  connectionSteps,
  connectionTest,
  type ConnectionTest,
} from '#shared/bridge/views.ts'
import { makeCertificate } from '#support/certificate.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

/** Trusts these certificates until the test ends, like a computer on which a company installed its certificates. */
function trust(...certificates: string[]): void {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, ...certificates])
  ends.push(() => {
    setDefaultCACertificates(before)
    return Promise.resolve()
  })
}

/** Short timeouts for servers that do not respond. Other servers get the time that a busy computer needs. */
const hasty = { connectMs: 500, headersMs: 300, idleMs: 300, totalMs: 2_000 }

interface Options {
  readonly wmsCode?: string
  readonly proxy?: string
  readonly timeouts?: Timeouts
}

async function test(
  baseUrl: string,
  { wmsCode = 'W', proxy, timeouts = standardTimeouts }: Options = {},
): Promise<ConnectionTest> {
  const draft = { name: 'n', baseUrl, wmsCode, customerCode: 'C', documentHosts: '' }
  const result = await testConnection(draft, { proxy: proxy ?? null, timeouts })
  expect(connectionTest.parse(result)).toEqual(result)
  return result
}

async function ask(listener: RequestListener, options?: Options): Promise<ConnectionTest> {
  return test(`http://127.0.0.1:${String(await listen(createWebServer(listener)))}`, options)
}

const json =
  (status: number, body: unknown): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }

/**
 * A service that refuses every request: for the WMS code `known` because of the credentials, and for any other code
 * because of the code.
 */
const service =
  (known: string): RequestListener =>
  (request, response) => {
    const isKnown = request.headers['x-wms-code'] === known
    const refusal = isKnown ? 'Invalid credentials.' : 'Invalid WMS.'
    json(isKnown ? 401 : 400, { message: refusal })(request, response)
  }

/**
 * Returns the failed step and its problem, such as `service not_the_service`. Expects that no later step was reached
 * and that no environment is named.
 */
function failure({ steps, problem, environment }: ConnectionTest): string {
  const at = connectionSteps.findIndex((step) => steps[step] === 'failed')
  const after = connectionSteps.slice(at + 1).map((step) => steps[step])
  expect(after.filter((state) => state !== 'not_reached')).toEqual([])
  expect(environment).toBeNull()
  return `${connectionSteps[at] ?? 'no step'} ${problem?.code ?? 'no problem'}`
}

describe('a connection test of the service', () => {
  it('passes every step that needs no login, and leaves the customer code to the login', async () => {
    expect(await ask(service('dev'), { wmsCode: 'dev' })).toMatchObject({
      steps: {
        address: 'passed',
        name: 'not_needed',
        port: 'passed',
        tls: 'not_needed',
        service: 'passed',
        wms: 'passed',
        customer: 'at_login',
      },
      problem: null,
      environment: 'development',
    })
  })

  it('reports an unknown WMS code, and names no environment', async () => {
    const result = await ask(service('LIVE'), { wmsCode: 'LIFE' })
    expect(failure(result)).toBe('wms wms_unknown')
    expect(result.problem?.params).toMatchObject({ wms: 'LIFE' })
  })

  it('reports that only a login can check the WMS code and the customer code, if the service checks the credentials first', async () => {
    const result = await ask(json(400, { errors: { username: ['Required'] } }))
    expect(result.steps).toMatchObject({ service: 'passed', wms: 'at_login', customer: 'at_login' })
    expect(result.environment).toBe('production')
  })

  it('reports the customer code as wrong if the service refuses it before any login', async () => {
    const result = await ask(json(403, { message: 'Unknown customer.' }))
    expect(failure(result)).toBe('customer customer_unknown')
    expect(result.steps.wms).toBe('passed')
  })

  it('finds a service at a base address with a path, and requests the same path as a login', async () => {
    const paths: string[] = []
    const port = await listen(
      createWebServer((request, response) => {
        paths.push(request.url ?? '')
        const isThere = request.url === '/eu/returns/wms/auth/login/'
        if (isThere) service('W')(request, response)
        else json(404, { code: 404, message: 'Not Found' })(request, response)
      }),
    )
    const origin = `http://127.0.0.1:${String(port)}`
    expect(await test(`${origin}/eu/returns`)).toMatchObject({ problem: null, steps: { wms: 'passed' } })
    const wrong = await test(`${origin}/foo`)
    expect(failure(wrong)).toBe('service no_service_at_path')
    expect(wrong.problem?.params).toMatchObject({ path: '/foo/wms/auth/login/', origin })
    expect(new Set(paths)).toEqual(new Set(['/eu/returns/wms/auth/login/', '/foo/wms/auth/login/']))
  })
})

describe('a connection test of a server that does not respond as the service does', () => {
  const page = { 'content-type': 'text/html' }

  it.each<[string, RequestListener, string]>([
    ['a page', (_q, response) => response.writeHead(200, page).end('<html>'), 'not_the_service'],
    ['a login to the network (511)', (_q, response) => response.writeHead(511).end(), 'not_the_service'],
    ['some other JSON', json(200, { hello: 1 }), 'not_the_service'],
    ['a refusal in plain words', (_q, response) => response.writeHead(400).end('no'), 'not_the_service'],
    ['a 404 of the service’s kind', json(404, { code: 404, message: 'Not Found' }), 'no_service_at_host'],
    ['a 404 that quotes the path', json(404, { message: 'No POST /wms/auth/login/' }), 'no_service_at_host'],
    ['an empty 405', (_q, response) => response.writeHead(405).end(), 'no_service_at_host'],
    ['a 403 page', (_q, response) => response.writeHead(403, page).end('<html>'), 'forbidden'],
    ['a gateway without a service', (_q, response) => response.writeHead(502).end(), 'server_error'],
    ['a gateway with too much to do', (_q, response) => response.writeHead(429).end(), 'too_many_requests'],
    ['a server that hangs up', (request) => request.socket.destroy(), 'hung_up'],
  ])('fails at the step "service" if it finds %s', async (_name, listener, code) => {
    expect(failure(await ask(listener))).toBe(`service ${code}`)
  })

  it('reports the target of a redirect without its query', async () => {
    const result = await ask((_request, response) =>
      response.writeHead(302, { location: 'https://login.hotel.example/hello?mac=12:34' }).end(),
    )
    expect(failure(result)).toBe('service redirected')
    expect(result.problem?.params).toMatchObject({ target: 'https://login.hotel.example/hello' })
  })

  it('recognises a server that accepts the request and never responds', async () => {
    expect(failure(await ask(() => undefined, { timeouts: hasty }))).toBe('service server_silent')
  })

  it('recognises a server that does not speak HTTP', async () => {
    const port = await listen(createSocketServer((socket) => socket.end('220 mail.example ESMTP\r\n')))
    expect(failure(await test(`http://127.0.0.1:${String(port)}`))).toBe('service not_the_service')
  })
})

describe('a connection test that reaches no server', () => {
  it('distinguishes an unknown name from a refused port', async () => {
    // no name server is needed to refuse this host name, because a part of it has 70 letters
    const unknown = await test(`https://${'x'.repeat(70)}.example`)
    expect(failure(unknown)).toBe('name name_unknown')
    const refused = await test('http://localhost:1')
    expect(failure(refused)).toBe('port port_refused')
    expect(refused.steps.name).toBe('passed')
    expect(refused.problem?.params).toEqual({ host: 'localhost', port: 1, cause: 'ECONNREFUSED' })
  })

  it.each([
    ['http://example.com', 'insecure_address'],
    ['nonsense', 'no_address'],
    ['ftp://a.b', 'no_address'],
  ])('refuses the address %s before it connects', async (baseUrl, code) => {
    expect(failure(await test(baseUrl))).toBe(`address ${code}`)
  })
})

describe('a connection test over TLS', () => {
  async function secure(hostName: string, days = { fromDays: -1, toDays: 1 }): Promise<[string, string]> {
    const certificate = makeCertificate(hostName, days)
    const port = await listen(createTlsServer(certificate, service('W')))
    return [`https://localhost:${String(port)}`, certificate.cert]
  }

  it('passes with a trusted certificate for the name of the host', async () => {
    const [url, certificate] = await secure('localhost')
    trust(certificate)
    expect(await test(url)).toMatchObject({
      problem: null,
      steps: { name: 'passed', tls: 'passed', service: 'passed' },
    })
  })

  it('recognises an untrusted certificate', async () => {
    const [url] = await secure('localhost')
    expect(failure(await test(url))).toBe('tls certificate_untrusted')
  })

  it.each([
    ['for another name', 'somebody.else.example', { fromDays: -1, toDays: 1 }, 'certificate_other_name'],
    ['that has expired', 'localhost', { fromDays: -9, toDays: -2 }, 'certificate_expired'],
    ['that is not valid yet', 'localhost', { fromDays: 2, toDays: 9 }, 'certificate_not_yet_valid'],
  ])('fails for a trusted certificate %s, and names this fault', async (_name, hostName, days, code) => {
    const [url, certificate] = await secure(hostName, days)
    trust(certificate)
    expect(failure(await test(url))).toBe(`tls ${code}`)
  })

  it('reports missing TLS, not a wrong certificate, if the port serves plain http', async () => {
    const port = await listen(createWebServer(service('W')))
    const result = await test(`https://127.0.0.1:${String(port)}`)
    expect(failure(result)).toBe('tls no_tls')
    expect(result.problem?.params).toMatchObject({ port, cause: 'ERR_SSL_WRONG_VERSION_NUMBER' })
  })

  it('recognises a port that accepts the connection and never responds', async () => {
    const port = await listen(createSocketServer((socket) => socket.resume()))
    const result = await test(`https://127.0.0.1:${String(port)}`, { timeouts: hasty })
    expect(failure(result)).toBe('tls tls_silent')
  })

  it('recognises a server that breaks off the handshake', async () => {
    const alert = Buffer.from([0x15, 3, 1, 0, 2, 2, 40])
    const answers = createSocketServer((socket) => socket.once('data', () => socket.end(alert)))
    const port = await listen(answers)
    expect(failure(await test(`https://127.0.0.1:${String(port)}`))).toBe('tls tls_failed')
  })
})

describe('a connection test through a proxy', () => {
  /**
   * Starts a proxy that connects every tunnel to this port of this computer, for any host name; null: refuses tunnels.
   */
  async function proxyTo(port: number | null): Promise<string> {
    const proxy = createWebServer()
    proxy.on('connect', (_request, client: Socket) => {
      if (port === null) return client.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n')
      const server = connect(port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n')
        client.pipe(server).pipe(client)
      })
      server.on('error', () => client.destroy())
    })
    return `http://127.0.0.1:${String(await listen(proxy))}`
  }

  it('tests neither the host name nor the port of the service, because the proxy looks up the name and connects to the port', async () => {
    const certificate = makeCertificate('wms.example.com')
    trust(certificate.cert)
    const proxy = await proxyTo(await listen(createTlsServer(certificate, service('W'))))
    const result = await test('https://wms.example.com', { proxy })
    expect(result).toMatchObject({
      problem: null,
      steps: { name: 'by_proxy', port: 'by_proxy', tls: 'passed', service: 'passed', wms: 'passed' },
    })
  })

  it('names the address of the proxy if the proxy does not exist or refuses the connection', async () => {
    for (const proxy of [await proxyTo(null), 'http://127.0.0.1:1']) {
      const result = await test('https://wms.example.com', { proxy })
      expect(failure(result)).toBe('port proxy_failed')
      expect(result.problem?.params['proxy']).toBe(new URL(proxy).host)
    }
  })

  it('recognises an untrusted certificate of the service behind the proxy', async () => {
    const proxy = await proxyTo(
      await listen(createTlsServer(makeCertificate('wms.example.com'), service('W'))),
    )
    expect(failure(await test('https://wms.example.com', { proxy }))).toBe('tls certificate_untrusted')
  })
})

describe('a failed connection', () => {
  const all: Milestone[] = ['name', 'port', 'tls']

  // the test simulates these failures, because most of them do not occur on a connection to this machine
  it.each<[string, Milestone[], ConnectionStep, ConnectionProblem]>([
    ['EAI_AGAIN', [], 'name', 'name_not_looked_up'],
    ['TIMEOUT', [], 'name', 'name_not_looked_up'],
    ['EHOSTUNREACH', ['name'], 'port', 'port_unreachable'],
    ['ENETUNREACH', ['name'], 'port', 'port_unreachable'],
    ['ETIMEDOUT', ['name'], 'port', 'port_silent'],
    ['TIMEOUT', ['name'], 'port', 'port_silent'],
    ['CERT_REVOKED', ['name', 'port'], 'tls', 'certificate_wrong'],
    ['ECONNRESET', ['name', 'port'], 'tls', 'tls_failed'],
    ['ECONNRESET', all, 'service', 'hung_up'],
    ['TRUNCATED', all, 'service', 'hung_up'],
    ['TOO_LARGE', all, 'service', 'not_the_service'],
  ])(
    'is reported at the step $2 with the problem $3 if the error $0 occurs after the completed steps $1',
    (code, reached, step, problem) => {
      const broken = { code, reached: new Set(reached), isTls: true, throughProxy: false }
      expect(connectionFault(broken)).toEqual({ step, code: problem })
    },
  )
})
