import { createServer, type Server } from 'node:http'
import https from 'node:https'
import { type AddressInfo, connect, type LookupFunction } from 'node:net'
import { connect as connectTls, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LookUpAll } from '#kit/name-lookups.ts'
import { type Agents, createAgents } from '#remote/agents.ts'
import { downloadDocument } from '#remote/document-download.ts'
import { makeCertificate } from '#support/certificate.ts'

/** The addresses to which the name of the label host resolves. */
let resolved: readonly string[] = []
const lookUp: LookUpAll = (_name, _options, found) =>
  found(
    null,
    resolved.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  )

const host = 'files.example.net'
const certificate = makeCertificate(host)
const trusted = getCACertificates('default')
const files = https.createServer(certificate, (_request, response) => response.end('%PDF-1.7'))
const proxy = createServer()
const tunnels: string[] = []
/** The addresses that the connections of the test used. */
let used: unknown[]

const portOf = (server: Server | https.Server): number => (server.address() as AddressInfo).port
const listen = (server: Server | https.Server): Promise<void> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))

beforeAll(async () => {
  setDefaultCACertificates([...trusted, certificate.cert])
  proxy.on('connect', ({ url }, socket) => {
    tunnels.push(url ?? '')
    const onward = connect(portOf(files), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    for (const end of [onward, socket]) end.on('error', () => undefined)
  })
  await Promise.all([listen(files), listen(proxy)])
})
afterAll(() => {
  setDefaultCACertificates(trusted)
  files.close()
  proxy.close()
})

beforeEach(() => {
  used = []
  tunnels.length = 0
})
afterEach(() => vi.restoreAllMocks())

/** Makes each direct connection to the server of the test, whatever allowed address the name of its host has. */
function connectToFiles(): void {
  vi.spyOn(https.Agent.prototype, 'createConnection').mockImplementation(function (options) {
    const lookup: LookupFunction = (name, rules, found) =>
      options.lookup?.(name, rules, (error, addresses) => {
        if (!error) used.push(addresses)
        found(error, error ? [] : [{ address: '127.0.0.1', family: 4 }])
      })
    return connectTls({ host, servername: host, port: portOf(files), lookup })
  })
}

async function download(agents: Agents): Promise<unknown> {
  const outcome = await downloadDocument(`https://${host}/label.pdf`, {
    scope: { baseUrl: 'https://wms.example.com', wmsCode: 'W', customerCode: 'C' },
    embedded: () => null,
    agents,
    timeouts: { connectMs: 10_000, headersMs: 10_000, idleMs: 10_000, totalMs: 20_000 },
    documentHosts: [host],
  })
  return outcome.kind === 'answer' ? Buffer.from(outcome.value).toString() : outcome
}

describe('a label host of the station', () => {
  it.each([
    ['a public address', '2a00:1450::99'],
    ['an address of NAT64', '64:ff9b::808:808'],
    ['a private address', '10.1.2.3'],
    ['a private address', '172.16.0.9'],
    ['a private address', '192.168.7.7'],
    ['an address of a shared network', '100.64.1.2'],
    ['a unique local address', 'fd12::5'],
  ])('is used if its name resolves to %s (%s)', async (_kind, address) => {
    resolved = [address, '127.0.0.1']
    connectToFiles()
    expect(await download(createAgents(undefined, lookUp))).toBe('%PDF-1.7')
    expect(used).toMatchObject([[{ address }]])
  })

  it.each(['127.0.0.1', '::1', '0.0.0.0', '169.254.169.254', 'fe80::1', '224.0.0.1', '64:ff9b::7f00:1'])(
    'gets no connection, with an own error, if its name resolves only to %s',
    async (address) => {
      resolved = [address]
      connectToFiles()
      expect(await download(createAgents(undefined, lookUp))).toEqual({
        kind: 'not_sent',
        failure: { code: 'network.address_refused', params: { host, cause: 'ADDRESS_REFUSED' } },
      })
      expect(used).toEqual([])
    },
  )

  it('is reached through its proxy, which resolves its name', async () => {
    resolved = ['127.0.0.1']
    const agents = createAgents(() => `http://127.0.0.1:${portOf(proxy)}`, lookUp)
    expect(await download(agents)).toBe('%PDF-1.7')
    expect(tunnels).toEqual([`${host}:443`])
  })

  it('is reached directly if only the service needs a proxy', async () => {
    resolved = ['10.1.2.3']
    connectToFiles()
    const proxyOf = ({ hostname }: URL): string | null =>
      hostname === host ? null : `http://127.0.0.1:${portOf(proxy)}`
    expect(await download(createAgents(proxyOf, lookUp))).toBe('%PDF-1.7')
    expect(tunnels).toEqual([])
  })
})
