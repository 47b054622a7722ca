import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import http, { type Server } from 'node:http'
import https from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { exitCode, firstLine, spawnCli } from '#support/middleware-children.ts'
import { looksLikePdf } from '#shared/domain/pdf-magic.ts'
import { sandbox } from '#shared/domain/sandbox.ts'
import { DeskBench, eventually } from '#support/desk-bench.ts'
import { byShipment } from '#support/label-wishes.ts'
import { makeCertificate } from '#support/certificate.ts'

const publicName = 'returns.example.org'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

/** Listens on a free port of this machine until the test ends. Returns the port. */
async function listen(server: Server | https.Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  ends.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((closed) => server.close(closed))
  })
  return (server.address() as AddressInfo).port
}

/**
 * Starts a proxy with TLS for `publicName` in front of the server at `target`. It removes `path`, and adds the address
 * of its client as nginx does. `hostSent`: the Host header that the server receives.
 */
async function startTlsProxy(
  target: URL,
  { path, hostSent }: { readonly path: string; readonly hostSent: (given: string) => string },
): Promise<number> {
  const certificate = makeCertificate(publicName)
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, certificate.cert])
  ends.push(() => {
    setDefaultCACertificates(before)
    return Promise.resolve()
  })
  const proxy = https.createServer(certificate, (incoming, outgoing) => {
    const { method, url = '', headers, socket } = incoming
    if (!url.startsWith(`${path}/`)) return void outgoing.writeHead(404).end()
    const sent = {
      ...headers,
      host: hostSent(headers.host ?? ''),
      'x-forwarded-for': socket.remoteAddress,
      'x-forwarded-proto': 'https',
    }
    const onward = http.request(new URL(url.slice(path.length), target), { method, headers: sent })
    onward.on('response', (reply) => {
      outgoing.writeHead(reply.statusCode ?? 0, reply.headers)
      reply.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  return listen(proxy)
}

/** Starts a company proxy that connects every name to a port of this machine, because no DNS has the public name. */
async function startTunnel(port: number): Promise<string> {
  const tunnel = http.createServer()
  tunnel.on('connect', (_request, client: Socket, head: Buffer) => {
    const server = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      server.write(head)
      client.pipe(server).pipe(client)
    })
    server.on('error', () => client.destroy())
    client.on('close', () => server.destroy())
  })
  return `http://127.0.0.1:${await listen(tunnel)}`
}

async function start(...args: string[]): Promise<URL> {
  const child: ChildProcess = spawnCli('--sandbox', ...args)
  ends.push(async () => {
    child.kill('SIGKILL')
    await exitCode(child)
  })
  return new URL((await firstLine(child)).url)
}

describe('a desk at a middleware behind a proxy with TLS', () => {
  it.each([
    ['sends the address of the server as Host, like nginx by default', '', null],
    ['forwards the Host header and removes the path of the public URL', '/eu', (given: string) => given],
  ] as const)('logs in, downloads a label and prints it, if the proxy %s', async (_, path, hostSent) => {
    const baseUrl = `https://${publicName}${path}`
    const target = await start('--proxy', '127.0.0.1', '--public-url', baseUrl)
    const port = await startTlsProxy(target, { path, hostSent: hostSent ?? (() => target.host) })
    const bench = await DeskBench.create()
    ends.push(() => bench.dispose())
    // the desk begins with a proxy that is gone, and continues with another one without being opened again
    let tunnel = 'http://127.0.0.1:1'
    const desk = await bench.open(() => null, {
      scope: { baseUrl, wmsCode: sandbox.wmsCode, customerCode: sandbox.customerCode },
      proxyOf: () => tunnel,
      // These are the standard time limits, because the carrier takes some time to draw a label.
      timeouts: {},
    })
    const offline = { ok: false, error: { code: 'network.offline' } }
    expect(await desk.session.login(sandbox)).toMatchObject(offline)
    tunnel = await startTunnel(port)
    expect(await desk.session.login(sandbox)).toMatchObject({ ok: true, value: { state: 'signed_in' } })
    await eventually(() => desk.status().index.syncedAt !== null && !desk.status().index.syncing)
    const scan = await desk.scan.submit({ raw: 'SHP00000000001', expect: 'anything' })
    if (scan.kind !== 'shipment') throw new Error(scan.kind)
    const made = await desk.returnLabel.make({
      mode: byShipment(scan.shipment.id),
      request: true,
      seen: null,
    })
    if (!made.ok) throw new Error(made.error.code)
    const file = await eventually(() => {
      const view = desk.returnLabel.get({ id: made.value.id })
      if (!view.ok) throw new Error(view.error.code)
      const { failure, print } = view.value
      if (failure && failure.code !== 'return_label.no_document') throw new Error(failure.code)
      return print?.file
    })
    expect(looksLikePdf(await readFile(file))).toBe(true)
  })
})
