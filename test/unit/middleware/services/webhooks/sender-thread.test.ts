import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type SendEnd, SenderThread, sharedCopy } from '#middleware/services/webhooks/sender-thread.ts'
import { receiverCertificate, receiverName } from '#support/webhook-receiver.ts'

/** More bytes than fit in the buffers of the two sockets, so that a receiver that reads nothing never gets them all. */
const large = 16 * 1024 * 1024

let thread: SenderThread
const closings: (() => unknown)[] = []
beforeEach(async () => {
  thread = new SenderThread({ webhookCa: receiverCertificate.cert, mostConnections: 8 }, (error) => {
    throw error
  })
  closings.push(() => thread.close())
  await thread.ready()
})
afterEach(async () => {
  for (const close of closings.splice(0)) await close()
})

/** A connection of the thread to a receiver. */
interface Contact {
  readonly socket: TLSSocket
  /** Number of bytes that the receiver has read. */
  bytes: number
}

/** Starts a receiver that reads the first bytes of each request, calls `answer`, and reads no more. */
async function listen(
  answer: (socket: TLSSocket) => void,
): Promise<{ port: number; contacts: readonly Contact[] }> {
  const contacts: Contact[] = []
  const server = createServer(receiverCertificate, (socket) => {
    const contact = { socket, bytes: 0 }
    contacts.push(contact)
    socket.on('error', () => undefined)
    socket.on('data', (piece: Buffer) => (contact.bytes += piece.length))
    socket.once('data', () => {
      socket.pause()
      answer(socket)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closings.push(() => {
    for (const { socket } of contacts) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, contacts }
}

function send(port: number, signal: AbortSignal, size = large): Promise<SendEnd> {
  const url = `https://${receiverName}:${port}/`
  const headers = { host: receiverName, 'content-length': size }
  const content = sharedCopy(Buffer.alloc(size))
  const order = { webhookId: 'webhook', customerId: 'customer', url, addresses: ['127.0.0.1'] }
  return thread.send({ ...order, headers, secret: 'secret', content }, signal)
}

const never = new AbortController().signal
const accepted = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

describe('an attempt whose receiver responds before it has read the notification', () => {
  it('fails at its time limit if the receiver reads no more, and its connection is closed', async () => {
    const limit = new AbortController()
    const { port, contacts } = await listen((socket) => {
      socket.write(accepted)
      setTimeout(() => limit.abort(), 300)
    })
    await expect(send(port, limit.signal)).rejects.toThrow('aborted')
    const [contact] = contacts
    contact?.socket.resume()
    await new Promise((resolve) => contact?.socket.once('close', resolve))
    expect(contact?.bytes).toBeLessThan(large)
  })

  it('succeeds when the receiver has read the notification, and its connection is used again', async () => {
    let isRead = false
    const { port, contacts } = await listen((socket) => {
      socket.write(accepted)
      setTimeout(() => {
        isRead = true
        socket.resume()
      }, 300)
    })
    expect(await send(port, never)).toEqual({ status: 200, failure: null })
    expect(isRead).toBe(true)
    const second = send(port, never, 10)
    await expect.poll(() => contacts[0]?.bytes).toBeGreaterThan(large + 10)
    contacts[0]?.socket.write(accepted)
    expect(await second).toEqual({ status: 200, failure: null })
    expect(contacts).toHaveLength(1)
  })

  it('fails if the receiver closes the connection', async () => {
    const { port } = await listen((socket) => void socket.write(accepted, () => socket.destroy()))
    // the reset of the connection may arrive before the thread has read the response
    const failure = expect.stringMatching(/^(?:closed|ECONNRESET)$/) as unknown
    expect(await send(port, never)).toEqual({ status: null, failure })
  })

  it('ends at once with the status of the response if it is an error, and its connection is closed', async () => {
    const tooLarge = 'HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\n\r\n'
    const { port, contacts } = await listen((socket) => void socket.write(tooLarge))
    expect(await send(port, never)).toEqual({ status: 413, failure: null })
    const [contact] = contacts
    contact?.socket.resume()
    await new Promise((resolve) => contact?.socket.once('close', resolve))
    expect(contact?.bytes).toBeLessThan(large)
  })
})
