import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/** Most bytes ahead of the answer's header, in which interim answers (1xx) arrive. Node limits one header to 16 kB. */
const mostBytesAhead = 64 * 1024
/** Most interim answers: a service sends one or two, and each takes Node as long as a whole answer. */
const mostInterim = 20
/** Allowance for the header, the trailer and the framing of chunks, beside an eighth of the body's bytes. */
const framingBytes = 128 * 1024
/**
 * Each piece takes time, however short it is, and one read from the connection ten times as much as a chunk in it. So many
 * may have any length; each further one needs so many bytes.
 */
const freeReads = 5_000
const bytesOfRead = 256
const freePieces = 8_000
const bytesOfPiece = 64
/** Where only a short body is read, fewer are free: one for so many of its bytes. */
const bytesOfFreePiece = 64
/** Most TLS sessions that a server offers on one connection for later ones; usual are two. Their bytes are not counted. */
const mostSessions = 20

/** Code of the error that ends a request at this limit. */
export const tooLarge = 'TOO_LARGE'

/**
 * Destroys a request, by an error of the code `TOO_LARGE`, when its answer takes more time than its bytes explain: interim
 * answers without end, a header or a body that goes on, pieces of a byte or two (chunks, TLS records, TCP segments), TLS
 * sessions without end. Node limits none of these, and each keeps this thread busy until a timeout of the caller.
 * `largestBytes`: of the body as it is sent. The body flows from the `response` event on, so its reader must listen from
 * there on too.
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
    // what is left of these bytes is still parsed, so this may be called thousands of times more
    if (isExcess && !request.destroyed) request.destroy(excess())
  }
  const countRead = (bytes: Uint8Array): void => {
    count.bytes += bytes.length
    count.reads++
    judge()
  }
  request.once('socket', (socket) => {
    limitSessions(socket)
    // after Node's own listener, so that a header in these bytes is known
    socket.on('data', countRead)
    // the connection may be kept for the next request
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

/** As long as the connection lives: a server may offer sessions between two requests too. */
function limitSessions(socket: Socket): void {
  if (!(socket instanceof TLSSocket) || limited.has(socket)) return
  limited.add(socket)
  let sessions = 0
  socket.on('session', () => {
    sessions++
    // not within OpenSSL's own call
    if (sessions === mostSessions + 1) process.nextTick(() => socket.destroy(excess()))
  })
}

function excess(): Error {
  return Object.assign(new Error('The answer is too large'), { code: tooLarge })
}
