import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/**
 * Maximum number of bytes before the response's header, where interim responses (1xx) arrive. Node limits one header to
 * 16 kB.
 */
const mostBytesAhead = 64 * 1024
/** Maximum number of interim responses: a service sends one or two, and each takes Node as long as a whole response. */
const mostInterim = 20
/** Allowance for the header, the trailer and the framing of chunks, in addition to an eighth of the body's bytes. */
const framingBytes = 128 * 1024
/**
 * Limits on the number of pieces, because each takes time, whatever its length: a read from the connection takes ten
 * times as much as a chunk in it. This number of pieces may have any length; each further one must have a minimum
 * number of bytes.
 */
const freeReads = 5_000
const bytesOfRead = 256
const freePieces = 8_000
const bytesOfPiece = 64
/** If only a short body is allowed, fewer pieces of any length are free: one for this number of its bytes. */
const bytesOfFreePiece = 64
/**
 * Maximum number of TLS sessions that a server may offer on one connection for later ones; two are usual. Their bytes
 * are not counted.
 */
const mostSessions = 20

/** Code of the error that ends a request at this limit. */
export const tooLarge = 'TOO_LARGE'

/**
 * Destroys a request, with an error of the code `TOO_LARGE`, when its response takes more time than its bytes justify:
 * interim responses without end, a header or a body without end, pieces of a byte or two (chunks, TLS records, TCP
 * segments), TLS sessions without end. Node limits none of these, and each keeps this thread busy until a timeout of
 * the caller. `largestBytes`: of the body as it is transmitted. The body flows from the `response` event on, so its
 * reader must listen from that event on.
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
    // the remaining bytes are still parsed, so this may be called thousands of times more
    if (isExcess && !request.destroyed) request.destroy(excess())
  }
  const countRead = (bytes: Uint8Array): void => {
    count.bytes += bytes.length
    count.reads++
    judge()
  }
  request.once('socket', (socket) => {
    limitSessions(socket)
    // after Node's own listener, so that a header in these bytes is already parsed
    socket.on('data', countRead)
    // the connection may be reused for the next request
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

/** Limits TLS sessions for the life of the connection, because a server may offer them between two requests too. */
function limitSessions(socket: Socket): void {
  if (!(socket instanceof TLSSocket) || limited.has(socket)) return
  limited.add(socket)
  let sessions = 0
  socket.on('session', () => {
    sessions++
    // destroyed in the next tick, because OpenSSL's own call is still running
    if (sessions === mostSessions + 1) process.nextTick(() => socket.destroy(excess()))
  })
}

function excess(): Error {
  return Object.assign(new Error('The answer is too large'), { code: tooLarge })
}
