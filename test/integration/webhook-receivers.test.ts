import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { WebhookDelivery } from '#shared/wire/webhook.ts'
import { makeCertificate } from '#support/certificate.ts'
import { createDheServer } from '#support/dhe-server.ts'
import { accept, type Behaviour, receiverCertificate, receiverName } from '#support/webhook-receiver.ts'
import { WebhookSite } from '#support/webhook-site.ts'

let site: WebhookSite
beforeEach(async () => {
  site = await WebhookSite.open()
})
afterEach(() => site.close())

describe('a webhook receiver', () => {
  const endless = Buffer.alloc(64 * 1024, 'x')
  const cases: readonly [
    string,
    Behaviour,
    Partial<Record<keyof WebhookDelivery['log'][number], unknown>>,
  ][] = [
    ['hangs', () => undefined, { status: null, failure: 'timeout' }],
    [
      'closes the connection',
      (response) => void response.socket?.destroy(),
      { status: null, failure: 'ECONNRESET' },
    ],
    [
      'sends garbage instead of HTTP',
      (response) => void response.socket?.end('garbage\r\n\r\n'),
      { status: null, failure: expect.stringMatching(/^HPE_/) as unknown },
    ],
    [
      'switches protocols',
      (response) =>
        void response.socket?.write(
          'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n',
        ),
      { status: null, failure: 'protocol_switched' },
    ],
    [
      'switches protocols without naming one',
      (response) => void response.socket?.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
      { status: 101 },
    ],
    [
      'sends headers without end',
      (response) => {
        const { socket } = response
        const more = (): void => {
          if (socket?.writable) socket.write(`x-more: ${'y'.repeat(10_000)}\r\n`, () => setImmediate(more))
        }
        socket?.write('HTTP/1.1 200 OK\r\n')
        more()
      },
      { status: null, failure: 'HPE_HEADER_OVERFLOW' },
    ],
    [
      'sends interim responses without end',
      ({ socket }) => {
        const more = (): void => {
          if (socket?.writable) socket.write('HTTP/1.1 103 a\r\n\r\n'.repeat(3_000), () => setImmediate(more))
        }
        more()
      },
      { status: null, failure: 'TOO_LARGE' },
    ],
  ]

  it.each(cases)(
    'that %s in the first attempt gets the notification again in a second attempt',
    async (what, behaviour, logged) => {
      const receiver = await site.listen((response, received) => {
        if (receiver.received.length === 1) behaviour(response, received)
        else accept(response, received)
      })
      // The time limit is short only for a silent receiver, because on a busy machine a correct response may take
      // longer.
      await site.restart({ deliveries: { timeoutMs: what === 'hangs' ? 500 : 10_000 } })
      const webhook = await site.subscribe(receiver.url())
      await site.makeOrder()
      const [delivery] = await site.settled(webhook, 'delivered', 1)
      expect(delivery?.log).toMatchObject([logged, { status: 200 }])
    },
  )

  it('does not end an attempt of another webhook if it switches protocols and breaks TLS in one TCP segment', async () => {
    const { promise: isAnswered, resolve: answer } = Promise.withResolvers<undefined>()
    const healthy = await site.listen((response) => void isAnswered.then(() => response.end('ok')))
    const sockets: Socket[] = []
    const hostile = createServer({ noDelay: true }, (socket) => {
      sockets.push(socket)
      const [plain, encrypted] = duplexPair()
      const secured = new TLSSocket(plain, { isServer: true, ...receiverCertificate })
      let brokenEnd = ''
      secured.once('data', () => {
        brokenEnd = 'this is no TLS record'
        secured.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n')
      })
      encrypted.on('data', (piece: Buffer) => socket.write(Buffer.concat([piece, Buffer.from(brokenEnd)])))
      for (const each of [socket, secured, encrypted]) each.on('error', () => undefined)
      socket.pipe(encrypted, { end: false })
    }).listen(0, '127.0.0.1')
    await once(hostile, 'listening')
    await site.restart({ deliveries: { retryMs: 3_600_000 } })
    const first = await site.subscribe(healthy.url())
    const second = await site.subscribe(`https://${receiverName}:${(hostile.address() as AddressInfo).port}/`)
    await site.makeOrder()
    let log: WebhookDelivery['log'] = []
    while (log.length === 0) log = (await site.deliveries(second))[0]?.log ?? []
    answer(undefined)
    expect(log).toMatchObject([{ status: null, failure: 'protocol_switched' }])
    const [delivery] = await site.settled(first, 'delivered', 1)
    expect(delivery?.log).toMatchObject([{ status: 200 }])
    for (const socket of sockets) socket.destroy()
    hostile.close()
  })

  it('gets no connection from the thread that handles calls, because a hostile handshake takes a second of CPU time', async () => {
    const ports: (number | undefined)[] = []
    const note = (message: unknown): void => {
      const { socket } = message as { socket: Socket }
      socket.once('connect', () => ports.push(socket.remotePort))
    }
    subscribe('net.client.socket', note)
    const receiver = await site.listen()
    const webhook = await site.subscribe(receiver.url())
    await site.makeOrder()
    await site.settled(webhook, 'delivered', 1)
    unsubscribe('net.client.socket', note)
    expect(receiver.contacts).toBe(1)
    expect(ports).toContain(Number(new URL(site.server.url).port))
    expect(ports).not.toContain(receiver.port)
  })

  it('is not offered a slow kind of TLS handshake (DHE), even if it accepts no other kind', async () => {
    const { server, wasOffered } = createDheServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const webhook = await site.subscribe(`https://receiver.test:${(server.address() as AddressInfo).port}/`)
    await site.restart({ deliveries: { retryMs: 3_600_000 } })
    await site.makeOrder()
    let log: WebhookDelivery['log'] = []
    while (log.length === 0) log = (await site.deliveries(webhook))[0]?.log ?? []
    await new Promise((resolve) => server.close(resolve))
    expect(log).toMatchObject([{ status: null, failure: expect.any(String) as unknown }])
    expect(wasOffered()).toBe(false)
  })

  it('that sends 200 and an endless body has accepted the notification, and its connection is closed', async () => {
    let written = 0
    const closed: Promise<void>[] = []
    const receiver = await site.listen((response) => {
      closed.push(new Promise((resolve) => response.on('close', resolve)))
      response.writeHead(200)
      if (receiver.received.length === 1) {
        const more = (): void => {
          if (response.destroyed) return
          written += endless.length
          response.write(endless, () => setImmediate(more))
        }
        more()
      } else {
        const drip = setInterval(() => response.write('.'), 20)
        response.on('close', () => clearInterval(drip))
      }
    })
    await site.restart({ deliveries: { timeoutMs: 500 } })
    const webhook = await site.subscribe(receiver.url())
    await site.makeOrder()
    await site.settled(webhook, 'delivered', 1)
    await site.makeOrder()
    const both = await site.settled(webhook, 'delivered', 2)
    expect(both.map(({ log }) => log.map(({ status }) => status))).toEqual([[200], [200]])
    await Promise.all(closed)
    // The receiver could write only as many bytes as fit in the buffers of both ends, which is far below a gigabyte.
    expect(written).toBeLessThan(64 * 1024 * 1024)
  })

  it('that responds with a redirect gets the notification again, and the target of the redirect gets no call', async () => {
    const target = await site.listen()
    const receiver = await site.listen((response, received) => {
      const isFirst = receiver.received.length === 1
      response.writeHead(isFirst ? 307 : 200, isFirst ? { location: target.url() } : {}).end()
      void received
    })
    const webhook = await site.subscribe(receiver.url())
    await site.makeOrder()
    const [delivery] = await site.settled(webhook, 'delivered', 1)
    expect(delivery?.log.map(({ status }) => status)).toEqual([307, 200])
    expect(target.contacts).toBe(0)
  })

  it('whose certificate is for a different host name receives no notification', async () => {
    const certificate = makeCertificate('other.receiver.test')
    const receiver = await site.listen(accept, { certificate })
    await site.restart({ webhookCa: certificate.cert })
    const webhook = await site.subscribe(receiver.url())
    await site.makeOrder()
    const [delivery] = await site.settled(webhook, 'given_up', 1)
    expect(new Set(delivery?.log.map(({ failure }) => failure))).toEqual(
      new Set(['ERR_TLS_CERT_ALTNAME_INVALID']),
    )
    expect(receiver.received).toEqual([])
  })
})
