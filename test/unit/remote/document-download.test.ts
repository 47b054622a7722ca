import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAgents } from '#remote/agents.ts'
import { mayFetchDocument, downloadDocument } from '#remote/document-download.ts'
import { embeddedBaseUrl } from '#shared/domain/scope.ts'

describe('the address of the PDF of a label', () => {
  const service = new URL('https://api.example.com/v1')
  const hosts = ['files.example.net', 'storage.example.net:9443']

  it.each([
    'https://api.example.com/f?s=1',
    'https://files.example.net/a.pdf',
    'https://files.example.net:443/a.pdf',
    'https://storage.example.net:9443/a.pdf',
  ])('is accepted: %s', (address) => expect(mayFetchDocument(new URL(address), service, hosts)).toBe(true))

  it.each([
    'http://api.example.com/f',
    'http://files.example.net/f',
    'https://files.example.net.evil.org/f',
    'https://evil.org/?files.example.net',
    'https://files.example.net@evil.org/',
    'https://user:secret@files.example.net/',
    'https://127.0.0.1/f',
    'http://127.0.0.1/f',
    'https://api.example.com:8443/f',
    'https://files.example.net:8443/f',
    'https://storage.example.net/f',
    'https://storage.example.net:9444/f',
    'http://127.0.0.1:8080/f',
    'https://localhost/f',
    'https://[::1]/f',
    'https://[::ffff:127.0.0.1]/f',
    'https://[::ffff:a9fe:a9fe]/f',
    'https://10.0.0.1/f',
    'https://172.16.3.4/f',
    'https://192.168.1.1/f',
    'https://169.254.169.254/latest/meta-data',
    'https://0.0.0.0/f',
    'https://0177.0.0.1/f',
    'https://2130706433/f',
    'https://0x7f000001/f',
    'https://100.64.0.1/f',
    'https://[fd00::1]/f',
    'https://[fe80::1]/f',
    'file:///etc/passwd',
    'ftp://files.example.net/f',
    'data:application/pdf,%25PDF-',
    'javascript:alert(1)',
  ])('is refused: %s', (address) =>
    expect(mayFetchDocument(new URL(address), service, [...hosts, '10.0.0.1'])).toBe(false),
  )

  it.each([
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[::ffff:10.0.0.1]',
    '[2002:7f00:1::]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[fec0::1]',
    '[100::1]',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '10.0.0.1',
    'files.localhost',
  ])('is refused with the host %s even if the document hosts of the station contain it', (host) => {
    const url = new URL(`https://${host}/f`)
    expect(mayFetchDocument(url, service, [host, url.host])).toBe(false)
  })

  it('on the host of the service is accepted with the port of the service or the standard port', () => {
    const other = new URL('https://api.example.com:8443/v1')
    expect(mayFetchDocument(new URL('https://api.example.com:8443/f'), other, [])).toBe(true)
    expect(mayFetchDocument(new URL('https://api.example.com/f'), other, [])).toBe(true)
    expect(mayFetchDocument(new URL('https://api.example.com:9443/f'), other, [])).toBe(false)
  })

  it('is accepted with plain http only for a service on this computer', () => {
    const embedded = new URL('http://127.0.0.1:4000')
    expect(mayFetchDocument(new URL('http://127.0.0.1:4000/f'), embedded, [])).toBe(true)
    expect(mayFetchDocument(new URL('http://127.0.0.1:4001/f'), embedded, [])).toBe(false)
    expect(mayFetchDocument(new URL('http://192.168.0.2/f'), new URL('http://192.168.0.2'), [])).toBe(false)
  })
})

describe('the download of the PDF of a label', () => {
  let server: Server
  let requests: IncomingMessage[]
  let answer: (response: ServerResponse, path: string) => void
  const agents = createAgents()
  const base = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  beforeEach(async () => {
    requests = []
    server = createServer((request, response) => {
      requests.push(request)
      answer(response, request.url ?? '')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterEach(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const outcomeOf = (address: string, totalMs = 20_000): ReturnType<typeof downloadDocument> =>
    downloadDocument(address, {
      scope: { baseUrl: embeddedBaseUrl, wmsCode: 'W', customerCode: 'C' },
      embedded: base,
      agents,
      timeouts: { connectMs: 10_000, headersMs: 10_000, idleMs: 10_000, totalMs },
      documentHosts: [],
    })
  const download = async (address = `${base()}/f`, totalMs = 20_000): Promise<string> => {
    const outcome = await outcomeOf(address, totalMs)
    return outcome.kind === 'answer' ? Buffer.from(outcome.value).toString() : outcome.failure.code
  }

  it('sends no credentials', async () => {
    answer = (response) => response.end('%PDF-1.7')
    expect(await download()).toBe('%PDF-1.7')
    expect(requests[0]?.headers).not.toHaveProperty('authorization')
    expect(requests[0]?.headers).not.toHaveProperty('x-customer-code')
  })

  it('follows at most three redirects', async () => {
    answer = (response, path) => {
      const left = Number(path.slice(2) || '0')
      if (left === 0) response.end('%PDF-1.7')
      else response.writeHead(302, { location: `/f${left - 1}` }).end()
    }
    expect(await download(`${base()}/f3`)).toBe('%PDF-1.7')
    expect(await download(`${base()}/f4`)).toBe('document.host_refused')
  })

  it('has one time limit for the sum of all redirects', async () => {
    answer = (response, path) => {
      const next = `/f${Number(path.slice(2)) - 1}`
      setTimeout(
        () => response.writeHead(path === '/f0' ? 200 : 302, { location: next }).end('%PDF-1.7'),
        300,
      )
    }
    expect(await download(`${base()}/f3`, 700)).toBe('network.timeout')
    expect(await download(`${base()}/f1`, 5_000)).toBe('%PDF-1.7')
  })

  it.each(['http://169.254.169.254/', 'https://evil.org/', 'file:///etc/passwd', 'http://127.0.0.1:1/'])(
    'does not follow a redirect to %s',
    async (location) => {
      answer = (response) => response.writeHead(302, { location }).end()
      expect(await download()).toBe('document.host_refused')
      expect(requests).toHaveLength(1)
    },
  )

  it.each(['directly', 'after a redirect'])(
    'refuses a host with a long name and returns at most 255 characters of the name: %s',
    async (way) => {
      const host = `${'x'.repeat(7_900)}.example`
      answer = (response) => response.writeHead(302, { location: `https://${host}/f` }).end()
      const outcome = await outcomeOf(way === 'directly' ? `https://${host}/f` : `${base()}/f`)
      expect(outcome).toEqual({
        kind: 'not_sent',
        failure: { code: 'document.host_refused', params: { host: 'x'.repeat(255) } },
      })
    },
  )

  it('accepts only a PDF', async () => {
    for (const body of ['<html>', '', 'MZ\u0090', ' '.repeat(2_000) + '%PDF-']) {
      answer = (response) => response.end(body)
      expect(await download()).toBe('document.not_a_pdf')
    }
    answer = (response) => response.end('\ufeff%PDF-1.4 with a mark before it')
    expect(await download()).toContain('%PDF-1.4')
  })

  it('fails with document.too_large after 20 MB', async () => {
    answer = (response) => response.end(Buffer.concat([Buffer.from('%PDF-'), Buffer.alloc(21 * 1024 * 1024)]))
    expect(await download()).toBe('document.too_large')
  })

  it('fails with document.too_large if the server sends endless interim responses', async () => {
    answer = (response) => response.socket?.write('HTTP/1.1 103 a\r\n\r\n'.repeat(100))
    expect(await download()).toBe('document.too_large')
  })

  it.each([403, 404, 410])('reports a missing document for the status %i', async (status) => {
    answer = (response) => response.writeHead(status).end('gone')
    expect(await download()).toBe('return_label.no_document')
  })

  it('fails with an error that allows a retry if the connection is interrupted', async () => {
    answer = (response) => response.socket?.destroy()
    expect(await download()).toBe('network.offline')
    answer = (response) => response.writeHead(503).end()
    expect(await download()).toBe('api.unavailable')
  })
})
