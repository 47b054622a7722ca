import http from 'node:http'
import https from 'node:https'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { callIpp, ippAddress, type IppReply } from '#printing/ipp-client.ts'
import { encodeIpp } from '#printing/ipp-codec.ts'
import { groupTags, type IppMessage, words } from '#printing/ipp-message.ts'
import { makeCertificate } from '#support/certificate.ts'
import { createDheServer } from '#support/dhe-server.ts'

const patient = { connectMs: 5_000, stallMs: 5_000, sendMs: 20_000, answerMs: 5_000 }
const hasty = { connectMs: 2_000, stallMs: 200, sendMs: 10_000, answerMs: 200 }
const question: IppMessage = {
  code: 2,
  id: 1,
  groups: [{ tag: groupTags.operation, attributes: [words('charset', 'attributes-charset', 'utf-8')] }],
}
const answer: IppMessage = { code: 0, id: 1, groups: [] }
const document = Buffer.alloc(100_000, 'x')
/** A document that is larger than the kernel's buffers of a connection. */
const huge = Buffer.alloc(16_000_000)

const sockets = new Set<Socket>()
let server: Server | null = null
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await new Promise((done) => (server ? server.close(done) : done(null)))
  server = null
})

/** Starts a server of any kind and returns its address. */
async function listen(started: Server, scheme = 'ipp'): Promise<string> {
  server = started
  started.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((done) => started.listen(0, '127.0.0.1', done))
  const address = started.address()
  return `${scheme}://127.0.0.1:${String(typeof address === 'object' ? address?.port : 0)}/ipp/print`
}

function call(uri: string, timeouts = patient, sent: Uint8Array | null = document): Promise<IppReply> {
  const address = ippAddress(uri)
  if (!address) throw new Error(uri)
  return callIpp(address, question, timeouts, sent)
}

const answering = (status: number, type: string, body: Uint8Array | string): Server =>
  http.createServer((incoming, outgoing) => {
    incoming.resume().on('end', () => outgoing.writeHead(status, { 'content-type': type }).end(body))
  })
const failed = (cause: string, documentLeft: boolean): IppReply => ({ kind: 'failed', cause, documentLeft })

describe('the address of an IPP printer', () => {
  it.each([
    ['ipp://label-1/ipp/print', { isSecure: false, host: 'label-1', port: 631, path: '/ipp/print' }],
    ['ipps://label-1:443', { isSecure: true, host: 'label-1', port: 443, path: '/' }],
    ['ipp://[::1]:80/printers/a%20b', { host: '::1', port: 80, path: '/printers/a%20b' }],
  ])('is valid: %s', (uri, parts) => {
    expect(ippAddress(uri)).toMatchObject({ uri, ...parts })
  })

  it.each([
    ...['', 'label-1', 'http://a/', 'ipp:///a', 'ipp://a:0/', 'ipp://a:70000/'],
    ...['ipp://me:secret@a/', 'ipp://:secret@a/'],
  ])('is invalid: %s', (uri) => {
    expect(ippAddress(uri)).toBeNull()
  })
})

describe('a request over IPP', () => {
  it('fails if the response is not complete within the time limit, even if the first bytes of the response have arrived', async () => {
    const uri = await listen(
      http.createServer((incoming, outgoing) => {
        const begin = (): void =>
          outgoing.writeHead(200, { 'content-type': 'application/ipp' }).flushHeaders()
        incoming.resume().on('end', () => setTimeout(begin, 500))
        setTimeout(() => outgoing.end(encodeIpp(answer)), 1_500)
      }),
    )
    expect(await call(uri, { ...patient, answerMs: 1_000 }, null)).toEqual(failed('silent', false))
  })

  it('is sent completely, followed by its document, and receives the response', async () => {
    let arrived = Buffer.alloc(0)
    const headers: http.IncomingHttpHeaders[] = []
    const uri = await listen(
      http.createServer((incoming, outgoing) => {
        headers.push(incoming.headers)
        incoming.on('data', (piece: Buffer) => (arrived = Buffer.concat([arrived, piece])))
        incoming.on('end', () =>
          outgoing.writeHead(200, { 'content-type': 'application/ipp' }).end(encodeIpp(answer)),
        )
      }),
    )
    expect(await call(uri)).toEqual({ kind: 'answered', message: answer })
    expect(arrived.equals(Buffer.concat([encodeIpp(question), document]))).toBe(true)
    expect(headers).toEqual([
      expect.objectContaining({
        'content-type': 'application/ipp',
        'content-length': String(arrived.length),
        connection: 'close',
      }),
    ])
  })

  it('receives a response although the printer did not read the whole document', async () => {
    const uri = await listen(
      http.createServer((incoming, outgoing) => {
        incoming.pause()
        outgoing.writeHead(200, { 'content-type': 'application/ipp' }).end(encodeIpp(answer))
      }),
    )
    expect(await call(uri, patient, huge)).toEqual({ kind: 'answered', message: answer })
  })

  it.each([
    [401, 'not_allowed'],
    [403, 'not_allowed'],
    [404, 'no_queue'],
    [426, 'needs_tls'],
    [503, 'busy'],
    [301, 'not_ipp'],
    [500, 'not_ipp'],
  ])('fails if the response has the HTTP status %i: %s', async (status, cause) => {
    const uri = await listen(answering(status, 'application/ipp', encodeIpp(answer)))
    expect(await call(uri, patient, null)).toEqual(failed(cause, false))
    expect(await call(uri)).toEqual(failed(cause, true))
  })

  it.each([
    ['a web page', 'text/html', '<html>'],
    ['empty', 'application/ipp', ''],
    ['half a message', 'application/ipp', encodeIpp(answer).subarray(0, 8)],
    ['an endless message', 'application/ipp', Buffer.alloc(3_000_000)],
  ])('fails if the response is %s', async (_, type, body) => {
    const uri = await listen(answering(200, type, body))
    expect(await call(uri, patient, null)).toEqual(failed('not_ipp', false))
  })

  it('fails if the server uses another protocol than HTTP', async () => {
    const uri = await listen(createServer((socket) => socket.end('220 mail.example ESMTP\r\n')))
    const reply = await call(uri, patient, null)
    expect(reply).toMatchObject({ kind: 'failed', cause: 'not_ipp' })
  })

  it('fails if no program listens, and reports that its document was not sent', async () => {
    const uri = await listen(createServer())
    await new Promise((done) => server?.close(done))
    expect(await call(uri)).toEqual(failed('ECONNREFUSED', false))
  })

  it('fails if no response arrives, and reports that its document may have arrived', async () => {
    const uri = await listen(createServer((socket) => socket.resume()))
    expect(await call(uri, hasty)).toEqual(failed('silent', true))
    expect(await call(uri, hasty, null)).toEqual(failed('silent', false))
  })

  it('fails if the transfer stalls, and reports that a part of its document may have arrived', async () => {
    const uri = await listen(createServer((socket) => socket.pause()))
    expect(await call(uri, hasty, huge)).toEqual(failed('stalled', true))
  })

  it('fails if the printer reads each piece in time, but not the whole document', async () => {
    const uri = await listen(
      createServer((socket) => {
        socket.on('data', () => {
          socket.pause()
          setTimeout(() => socket.resume(), 100)
        })
      }),
    )
    const from = performance.now()
    expect(await call(uri, { ...patient, stallMs: 30_000, sendMs: 500 }, huge)).toEqual(
      failed('stalled', true),
    )
    expect(performance.now() - from).toBeLessThan(8_000)
  })

  it.each([
    ['endless interim responses', '', 'HTTP/1.1 103 a\r\n\r\n'],
    [
      'an endless response in chunks of one byte',
      'HTTP/1.1 200 OK\r\ncontent-type: application/ipp\r\ntransfer-encoding: chunked\r\n\r\n',
      '1\r\n\u0001\r\n',
    ],
  ])('fails on %s before its time limit is reached', async (_, header, repeated) => {
    const flood = Buffer.from(repeated.repeat(20_000))
    const uri = await listen(
      createServer((socket) => {
        const pour = (): void => {
          while (!socket.destroyed && socket.write(flood));
          socket.once('drain', pour)
        }
        socket.once('data', () => {
          socket.write(header)
          pour()
        })
      }),
    )
    expect(await call(uri, { ...patient, answerMs: 1_000 }, null)).toEqual(failed('not_ipp', false))
  })

  it('fails if the response arrives byte by byte and exceeds the time limit', async () => {
    const uri = await listen(
      http.createServer((incoming, outgoing) => {
        incoming.resume()
        outgoing.writeHead(200, { 'content-type': 'application/ipp' })
        const timer = setInterval(() => outgoing.write(Buffer.of(2)), 20)
        outgoing.on('close', () => clearInterval(timer))
      }),
    )
    expect(await call(uri, hasty, null)).toEqual(failed('silent', false))
  })

  it.each([0, 50_000, 15_000_000])(
    'fails if the printer breaks the connection after %i bytes',
    async (most) => {
      const uri = await listen(
        createServer((socket) => {
          let total = 0
          socket.on('data', (piece) => {
            total += piece.length
            if (total >= most) socket.resetAndDestroy()
          })
        }),
      )
      const reply = await call(uri, patient, huge)
      expect(['ECONNRESET', 'EPIPE']).toContain(reply.kind === 'failed' ? reply.cause : reply)
      if (most > 0) expect(reply).toMatchObject({ documentLeft: true })
    },
  )

  it('over TLS fails at a server that requires finite-field Diffie-Hellman, which the desk does not offer', async () => {
    const { server: printer, wasOffered } = createDheServer()
    expect(await call(await listen(printer, 'ipps'))).toMatchObject({ kind: 'failed', documentLeft: false })
    expect(wasOffered()).toBe(false)
  })

  it('that requires TLS is not sent to a server without a trusted certificate', async () => {
    let requests = 0
    const secure = https.createServer(makeCertificate('label-1'), (incoming, outgoing) => {
      requests++
      incoming.resume()
      outgoing.end()
    })
    const uri = await listen(secure, 'ipps')
    expect(await call(uri)).toEqual(failed('certificate', false))
    expect(requests).toBe(0)
  })

  it('that requires TLS is not sent to a server without TLS', async () => {
    const uri = await listen(answering(200, 'application/ipp', encodeIpp(answer)), 'ipps')
    expect(await call(uri)).toEqual(failed('not_ipp', false))
  })
})
