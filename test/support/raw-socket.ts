import { connect, type Socket } from 'node:net'

/** A connection on which a test says exactly what it likes, or nothing. */
export interface RawSocket {
  readonly socket: Socket
  /** What the other side has said so far. */
  readonly heard: () => string
  /** Resolves with all that the other side said, once it has closed the connection. */
  readonly closed: Promise<string>
}

/** Connects to the server; `address` is the address to come from. */
export function openRaw(url: string, says = '', address = '127.0.0.1'): RawSocket {
  const { port, hostname } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, localAddress: address, allowHalfOpen: true })
  let heard = ''
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')))
  // a connection that is cut may end in a reset
  socket.on('error', () => undefined)
  // this side never ends a connection: what ends it is the server
  const closed = new Promise<string>((resolve) => {
    socket.once('end', () => resolve(heard))
    socket.once('close', () => resolve(heard))
  })
  if (says !== '') socket.write(says)
  return { socket, heard: () => heard, closed }
}

/** Sends one request, letter by letter as given (`\n` stands for CRLF), and resolves with status and body of the answer. */
export async function askRaw(url: string, request: string): Promise<{ status: number; body: string }> {
  const { socket, closed } = openRaw(url, request.replaceAll('\n', '\r\n'))
  const answer = await closed
  socket.destroy()
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), body }
}
