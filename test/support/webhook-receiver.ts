import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Socket } from 'node:net'
import { z } from 'zod'
import { type Certificate, makeCertificate } from './certificate.ts'

/** The host name of all receivers. Only the resolvers of the tests can resolve it. */
export const receiverName = 'hooks.receiver.test'

/** The certificate of all receivers. It is also its own certificate authority. */
export const receiverCertificate: Certificate = makeCertificate(receiverName)

/** A received notification. */
export interface Received {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly raw: Buffer
  /** Time at which the whole body had arrived, by `performance.now()`. */
  readonly at: number
}

export const notificationBody = z.object({
  body: z.record(z.string(), z.unknown()).nullable(),
  group: z.string(),
  action: z.string(),
  entity: z.string(),
  customer: z.string(),
  entityId: z.string(),
})

/** The reaction of a receiver to a complete notification. */
export type Behaviour = (response: ServerResponse, received: Received) => void

/** Accepts the notification with the response 200. */
export const accept: Behaviour = (response) => void response.end('ok')

export function refuseWith(status: number): Behaviour {
  return (response) => void response.writeHead(status).end()
}

/** A listener for notifications on an address of this machine. It stores everything that it receives. */
export class WebhookReceiver {
  readonly received: Received[] = []
  /** Number of connections that were opened, with or without a notification. */
  contacts = 0
  behaviour: Behaviour = accept
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #waiting: { isDone: () => boolean; resolve: () => void }[] = []

  static async start(
    behaviour: Behaviour = accept,
    { address = '127.0.0.1', certificate = receiverCertificate, port = 0 } = {},
  ): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(certificate)
    receiver.behaviour = behaviour
    await new Promise<void>((resolve, reject) => {
      receiver.#server.once('error', reject).listen(port, address, resolve)
    })
    return receiver
  }

  private constructor(certificate: Certificate) {
    this.#server = createServer(certificate, (request, response) => {
      const chunks: Buffer[] = []
      request.on('error', () => undefined)
      request.on('data', (chunk: Buffer) => void chunks.push(chunk))
      request.on('end', () => {
        const { url = '', headers } = request
        const received = { path: url, headers, raw: Buffer.concat(chunks), at: performance.now() }
        this.received.push(received)
        this.behaviour(response, received)
        this.#look()
      })
    })
    this.#server.on('connection', (socket: Socket) => {
      this.contacts += 1
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
      socket.on('error', () => undefined)
      this.#look()
    })
    this.#server.on('tlsClientError', () => undefined)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  url(path = '/', host = receiverName): string {
    return `https://${host}:${this.port}${path}`
  }

  /** Resolves when this number of notifications arrived. */
  async until(count: number): Promise<readonly Received[]> {
    await this.untilTrue(() => this.received.length >= count)
    return this.received
  }

  /**
   * Resolves when `isDone` returns true. Calls it at once, and again after each new connection and each notification.
   */
  untilTrue(isDone: () => boolean): Promise<void> {
    if (isDone()) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ isDone, resolve }))
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #look(): void {
    const done = this.#waiting.filter(({ isDone }) => isDone())
    this.#waiting = this.#waiting.filter((each) => !done.includes(each))
    for (const { resolve } of done) resolve()
  }
}

/** Returns the content of a notification, read from the signed bytes. Throws if the signature is wrong. */
export function readSigned({ raw, headers }: Received, secret: string): z.output<typeof notificationBody> {
  const signature = createHmac('sha256', secret).update(raw).digest('base64')
  if (headers['x-hmac-sha256'] !== signature) throw new Error('The signature is wrong')
  return notificationBody.parse(JSON.parse(raw.toString('utf8')))
}
