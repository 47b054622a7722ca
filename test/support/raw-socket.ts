import { connect, type Socket } from 'node:net'

/** A connection on which a test sends arbitrary bytes, or nothing. */
export interface RawSocket {
  readonly socket: Socket
  /** Returns everything that the other side has sent until now. */
  readonly heard: () => string
  /** Resolves with everything that the other side sent, once it has closed the connection. */
  readonly closed: Promise<string>
}

/** Connects to the server from the local address `address`. */
export function openRaw(url: string, says = '', address = '127.0.0.1'): RawSocket {
  const { port, hostname } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, localAddress: address, allowHalfOpen: true })
  let heard = ''
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')))
  // Ignores the error, because a connection that the server cuts may end with a reset.
  socket.on('error', () => undefined)
  // This side never ends a connection, so an end comes from the server.
  const closed = new Promise<string>((resolve) => {
    socket.once('end', () => resolve(heard))
    socket.once('close', () => resolve(heard))
  })
  if (says !== '') socket.write(says)
  return { socket, heard: () => heard, closed }
}

/** Sends one request unchanged (`\n` stands for CRLF), and resolves with status and body of the response. */
export async function askRaw(url: string, request: string): Promise<{ status: number; body: string }> {
  const { socket, closed } = openRaw(url, request.replaceAll('\n', '\r\n'))
  const answer = await closed
  socket.destroy()
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), body }
}
