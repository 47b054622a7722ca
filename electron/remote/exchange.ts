import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { limitAnswer } from '#kit/limit-answer.ts'
import { nameMs } from '#kit/name-lookups.ts'

/** Timeouts in milliseconds for the phases of one exchange. */
export interface Timeouts {
  /** Maximum time from the look-up of the host name (`nameMs`) to the end of the request. */
  readonly connectMs: number
  /** Maximum time from the end of the request to the header of the response. */
  readonly headersMs: number
  /** Maximum time between two pieces of the body. */
  readonly idleMs: number
  readonly totalMs: number
}

export const standardTimeouts: Timeouts = {
  connectMs: 5_000,
  headersMs: 20_000,
  idleMs: 10_000,
  totalMs: 60_000,
}

/**
 * Returns short timeouts for a call that only checks whether the service responds. If the network loses all packets,
 * the next attempt then begins soon. They allow the look-up of a name and three addresses that do not respond, as other
 * calls do: otherwise the desk would stay offline although these calls succeed.
 */
export function greetingTimeouts({ connectMs, headersMs, idleMs, totalMs }: Timeouts): Timeouts {
  return {
    connectMs: Math.min(connectMs, 5_000),
    headersMs: Math.min(headersMs, 5_000),
    idleMs: Math.min(idleMs, 5_000),
    totalMs: Math.min(totalMs, nameMs + 10_000),
  }
}

export interface ExchangeRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly agent: http.Agent
  /**
   * Whether the connection uses a proxy. If so, the steps in which the service is reached (`Milestone`) are unknown.
   */
  readonly throughProxy: boolean
  readonly timeouts: Timeouts
  /** Maximum size of the body in bytes, both as transmitted and decompressed. */
  readonly largestBytes: number
  /**
   * Called at each milestone of a new connection. Not called if a proxy is used or an open connection is used again.
   */
  readonly onReached?: (milestone: Milestone) => void
}

/**
 * The last step that a connection has reached. `name`: the host name is resolved; `port`: the port has accepted the
 * connection; `tls`: TLS works with a valid certificate.
 */
export type Milestone = 'name' | 'port' | 'tls'

/**
 * The result of an exchange, which `judge.ts` translates into an outcome. `sent` is false if no byte of the request can
 * have reached the other side. `code`: the system's error code, or a code of this module (TIMEOUT, TRUNCATED,
 * TOO_LARGE). TOO_LARGE without a status means that the header did not end, or that too many interim responses (1xx)
 * came before it.
 */
export type Exchange =
  | {
      readonly kind: 'response'
      readonly status: number
      readonly headers: http.IncomingHttpHeaders
      readonly body: Uint8Array
    }
  | { readonly kind: 'broken'; readonly status: number; readonly code: string }
  | { readonly kind: 'failed'; readonly sent: boolean; readonly code: string; readonly reusedSocket: boolean }

/**
 * Error codes that are reported only before any byte of the request was sent (ARCHITECTURE.md, decision 5). Through a
 * proxy, other errors may occur after that.
 */
const neverSent = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_PROXY_TUNNEL',
])

/**
 * Whether an error code is about a certificate or another failure of TLS. If so, TLS was not established, and no
 * request was sent.
 */
export function isCertificateCode(code: string): boolean {
  return /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT|ERR_SSL_|CRL_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO$)/.test(
    code,
  )
}

/** Whether an error code is reported only before any byte of the request was sent. */
export function isBeforeSending(code: string): boolean {
  return neverSent.has(code) || isCertificateCode(code)
}

/**
 * Makes one HTTP exchange with a timeout for each phase. Never rejects, never repeats the request, and follows no
 * redirect.
 */
export function exchange(request: ExchangeRequest): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>()
  const transport = request.url.protocol === 'https:' ? https : http
  const headers = { ...request.headers, ...lengthOf(request.body) }
  let outgoing: http.ClientRequest
  try {
    outgoing = transport.request(request.url, { method: request.method, headers, agent: request.agent })
  } catch (error) {
    return Promise.resolve({ kind: 'failed', sent: false, code: codeOf(error), reusedSocket: false })
  }
  const watch = watchPhases(outgoing, request, resolve)
  limitAnswer(outgoing, request.largestBytes)
  if (request.onReached && !request.throughProxy) watchMilestones(outgoing, request.onReached)
  outgoing.on('response', (incoming) => {
    watch.headersArrived(incoming.statusCode ?? 0)
    void readBody(incoming, { largestBytes: request.largestBytes, idleMs: request.timeouts.idleMs }).then(
      (body) => {
        watch.stop()
        const status = incoming.statusCode ?? 0
        if (body.ok) resolve({ kind: 'response', status, headers: incoming.headers, body: body.bytes })
        else resolve({ kind: 'broken', status, code: body.code })
        if (!body.ok) outgoing.destroy()
      },
    )
  })
  outgoing.end(request.body ?? undefined)
  return promise
}

function watchMilestones(outgoing: http.ClientRequest, onReached: (milestone: Milestone) => void): void {
  outgoing.once('socket', (socket) => {
    socket.on('lookup', (error: Error | null) => {
      if (error === null) onReached('name')
    })
    socket.once('connect', () => onReached('port'))
    socket.once('secureConnect', () => onReached('tls'))
  })
}

interface PhaseWatch {
  headersArrived(status: number): void
  stop(): void
}

function watchPhases(
  outgoing: http.ClientRequest,
  request: ExchangeRequest,
  resolve: (value: Exchange) => void,
): PhaseWatch {
  const { timeouts, throughProxy } = request
  let finished = false
  let isOver = false
  let status: number | null = null
  // Without a proxy, nothing is sent before the connection is open: for https, before the handshake is complete. With a
  // proxy this is unknown.
  let isOpen = throughProxy
  const fail = (code: string, sent: boolean): void => {
    stop()
    if (status === null) resolve({ kind: 'failed', sent, code, reusedSocket: outgoing.reusedSocket })
    else resolve({ kind: 'broken', status, code })
    outgoing.destroy()
  }
  const timedOut = (): void => fail('TIMEOUT', isOpen)
  const total = setTimeout(timedOut, timeouts.totalMs)
  const hasName = !throughProxy && isIP(request.url.hostname.replaceAll(/[[\]]/g, '')) === 0
  let phase = setTimeout(timedOut, hasName ? nameMs : timeouts.connectMs)
  const connecting = (): void => {
    clearTimeout(phase)
    if (!isOver) phase = setTimeout(timedOut, timeouts.connectMs)
  }
  const stop = (): void => {
    isOver = true
    clearTimeout(total)
    clearTimeout(phase)
  }
  outgoing.once('socket', (socket) => {
    if (throughProxy) return
    if (socket.connecting) {
      socket.once('lookup', connecting)
      socket.once(request.url.protocol === 'https:' ? 'secureConnect' : 'connect', () => (isOpen = true))
    } else {
      isOpen = true
      connecting()
    }
  })
  outgoing.on('finish', () => {
    finished = true
    clearTimeout(phase)
    if (status === null) phase = setTimeout(timedOut, timeouts.headersMs)
  })
  outgoing.on('error', (error) => {
    const code = codeOf(error)
    fail(code, isOpen && (finished || !isBeforeSending(code)))
  })
  return {
    stop,
    headersArrived(arrived) {
      status = arrived
      clearTimeout(phase)
    },
  }
}

function lengthOf(body: string | null): Record<string, string> {
  return body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return 'UNKNOWN'
  // Node does not always set a code for OpenSSL's reason, so it is read from the message: `EPROTO … SSL
  // routines:function:wrong version number:…`
  const [, reason] = error.code === 'EPROTO' ? (/SSL routines:[^:]*:([^:]+):/.exec(error.message) ?? []) : []
  return reason === undefined ? error.code : `ERR_SSL_${reason.toUpperCase().replaceAll(/[^A-Z\d]+/g, '_')}`
}

type Body =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly code: 'TRUNCATED' | 'TOO_LARGE' | 'TIMEOUT' }

interface BodyLimits {
  /** Maximum size of the body in bytes, checked while it arrives and again after decompression. */
  readonly largestBytes: number
  /** Maximum time until the next piece of the body arrives, in milliseconds. */
  readonly idleMs: number
}

/**
 * Maximum ratio of decompressed to compressed size. JSON of the service has a ratio of ten to twenty; only a body that
 * is made to be large exceeds this maximum.
 */
const largestRatio = 100
/** Up to this decompressed size in bytes, the ratio of decompressed to compressed size is not checked. */
const unaskedBytes = 1024 * 1024

/**
 * Reads a complete response and decompresses it. Never rejects. Stops reading when a limit is exceeded: for example, a
 * decompression bomb results in TOO_LARGE.
 */
async function readBody(incoming: IncomingMessage, limits: BodyLimits): Promise<Body> {
  const decoder = decoderOf(incoming)
  const body = await gather(incoming, limits)
  return body.ok && decoder ? decompress(body.bytes, decoder(), limits.largestBytes) : body
}

/**
 * Reads the body as it is transmitted. It uses events, because for short pieces an iterator, or a decoder that gets
 * each piece, takes many times as long.
 */
function gather(incoming: IncomingMessage, { largestBytes, idleMs }: BodyLimits): Promise<Body> {
  const { promise, resolve } = Promise.withResolvers<Body>()
  const pieces: Uint8Array[] = []
  let total = 0
  const stop = (code: 'TRUNCATED' | 'TOO_LARGE' | 'TIMEOUT'): void => {
    clearTimeout(idle)
    resolve({ ok: false, code })
    incoming.destroy()
  }
  const idle = setTimeout(stop, idleMs, 'TIMEOUT')
  incoming.on('data', (piece: Uint8Array) => {
    idle.refresh()
    total += piece.length
    if (total > largestBytes) stop('TOO_LARGE')
    else pieces.push(piece)
  })
  incoming.on('end', () => {
    clearTimeout(idle)
    resolve(incoming.complete ? { ok: true, bytes: Buffer.concat(pieces) } : { ok: false, code: 'TRUNCATED' })
  })
  incoming.on('error', () => stop('TRUNCATED'))
  incoming.on('close', () => stop('TRUNCATED'))
  return promise
}

type Decoder = ReturnType<typeof createGunzip | typeof createInflate | typeof createBrotliDecompress>

async function decompress(bytes: Uint8Array, decoder: Decoder, largestBytes: number): Promise<Body> {
  const pieces: Uint8Array[] = []
  let total = 0
  decoder.end(bytes)
  try {
    for await (const piece of decoder) {
      if (!(piece instanceof Uint8Array)) return { ok: false, code: 'TRUNCATED' }
      total += piece.length
      if (total > largestBytes || isBomb(decoder, total)) return { ok: false, code: 'TOO_LARGE' }
      pieces.push(piece)
    }
  } catch {
    return { ok: false, code: 'TRUNCATED' }
  }
  return { ok: true, bytes: Buffer.concat(pieces) }
}

/** Whether a decompressed size is too large for the compressed bytes that were read. */
function isBomb(decoder: Decoder, total: number): boolean {
  return total > unaskedBytes && total > largestRatio * decoder.bytesWritten
}

/** Returns a function that creates the decoder for the response's encoding; null if the response is not compressed. */
function decoderOf(incoming: IncomingMessage): (() => Decoder) | null {
  // does not decompress an empty body: some proxies declare gzip for it, but it is not valid gzip
  const isEmpty = incoming.statusCode === 204 || incoming.headers['content-length'] === '0'
  if (isEmpty) return null
  switch (incoming.headers['content-encoding']?.trim().toLowerCase()) {
    case 'gzip':
      return createGunzip
    case 'deflate':
      return createInflate
    case 'br':
      return createBrotliDecompress
    default:
      return null
  }
}
