import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/**
 * Maximum number of bytes before the end of the response's header. Interim responses (1xx) are included. Node limits
 * only a single header, to 16 kB.
 */
const mostBytesAhead = 64 * 1024
/**
 * Maximum number of interim responses. A service sends one or two, and Node needs as much time for each as for a
 * complete response.
 */
const mostInterim = 20
/**
 * Number of bytes that a response may have in addition to nine eighths of the maximum size of its body: for the header,
 * the trailer and the framing of chunks.
 */
const framingBytes = 128 * 1024
/**
 * Limits for the reads from the connection, and for the pieces in which Node delivers the body, such as chunks. Each
 * read and each piece takes time, even if it is short. Every response may have `freeReads` reads and `freePieces`
 * pieces. For each further read a response must have `bytesOfRead` bytes, and for each further piece `bytesOfPiece`
 * bytes. A read takes about as long as ten chunks.
 */
const freeReads = 5_000
const bytesOfRead = 256
const freePieces = 8_000
const bytesOfPiece = 64
/**
 * If the maximum size of the body in bytes, divided by this number, is smaller than `freeReads` or `freePieces`, the
 * quotient replaces that limit. A response with a small maximum size may therefore have fewer reads and pieces.
 */
const bytesOfFreePiece = 64
/**
 * Maximum number of TLS sessions that a server may offer on one connection for later connections. Two are usual. The
 * bytes of the messages that contain these sessions are not counted.
 */
const mostSessions = 20

/** The code of the error with which a request ends if its response exceeds a limit of this file. */
export const tooLarge = 'TOO_LARGE'

/**
 * Destroys a request with an error of the code `TOO_LARGE` if its response has too many bytes, interim responses, TLS
 * sessions or short pieces (chunks, TLS records, TCP segments). Node does not limit these numbers, and such a response
 * keeps this thread busy until a timeout of the caller. `largestBytes`: maximum size of the body as it is transmitted.
 * This function reads the body from the `response` event on, so the caller must also listen to the body from this
 * event on.
 */
export function limitAnswer(request: ClientRequest, largestBytes: number): void {
  const mostBytes = largestBytes + largestBytes / 8 + framingBytes
  const mostFree = largestBytes / bytesOfFreePiece
  const count = { bytes: 0, reads: 0, pieces: 0, interim: 0 }
  let hasHeader = false
  const judge = (): void => {
    const isExcess =
      count.interim > mostInterim ||
      count.bytes > (hasHeader ? mostBytes : mostBytesAhead) ||
      count.reads > Math.min(freeReads, mostFree) + count.bytes / bytesOfRead ||
      count.pieces > Math.min(freePieces, mostFree) + count.bytes / bytesOfPiece
    // destroys the request only once: Node still parses the remaining bytes, so this function may run thousands of
    // times more
    if (isExcess && !request.destroyed) request.destroy(excess())
  }
  const countRead = (bytes: Uint8Array): void => {
    count.bytes += bytes.length
    count.reads++
    judge()
  }
  request.once('socket', (socket) => {
    limitSessions(socket)
    // this listener is added after Node's listener, so Node has already parsed these bytes: if they contain the end of
    // the header, `hasHeader` is already true
    socket.on('data', countRead)
    // removes the listener, because the next request may use the same connection
    request.once('close', () => socket.off('data', countRead))
  })
  request.on('information', () => {
    count.interim++
    judge()
  })
  request.once('response', (response) => {
    hasHeader = true
    response.on('data', () => {
      count.pieces++
      judge()
    })
  })
}

const limited = new WeakSet<Socket>()

/**
 * Limits the number of TLS sessions for the whole life of the connection and not for each request, because a server can
 * also send sessions between two requests.
 */
function limitSessions(socket: Socket): void {
  if (!(socket instanceof TLSSocket) || limited.has(socket)) return
  limited.add(socket)
  let sessions = 0
  socket.on('session', () => {
    sessions++
    // destroys the socket after this tick, because OpenSSL is still running the call that reported the session
    if (sessions === mostSessions + 1) process.nextTick(() => socket.destroy(excess()))
  })
}

/**
 * The error with which a request or a connection ends if a limit of this file is exceeded, or the limit of received
 * bytes of a connection to a webhook receiver (guarded-agent.ts).
 */
export function excess(): Error {
  return Object.assign(new Error('The answer is too large'), { code: tooLarge })
}
