import { createHmac } from 'node:crypto'
import { lookup, Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { clientCiphers } from '#kit/client-ciphers.ts'
import { limitAnswer } from '#kit/limit-answer.ts'
import { isClosedAddress } from '#shared/domain/public-address.ts'
import { webhookTopic } from '#shared/domain/webhook-topics.ts'
import type { Notification } from '../../data/deliveries.ts'

/**
 * Returns the IP addresses of a host name. Throws the resolver's error if the name has no address. Ends early when
 * `signal` aborts.
 */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>

/** Rules for sending notifications to their receivers. */
export interface PostRules {
  readonly resolve: ResolveName
  /** Whether a notification may be sent to an IP address. */
  readonly mayReach: (address: string) => boolean
  /** The ciphers that receivers may choose from, and the certificate authorities that are trusted. */
  readonly secureContext: SecureContext
  /** Maximum milliseconds of a whole attempt: name resolution, connection, request and response. */
  readonly timeoutMs: number
}

/** The response of a receiver, or the reason why there is none. */
export type Reply =
  { readonly status: number; readonly failure: null } | { readonly status: null; readonly failure: string }

/**
 * Returns the rules of the service. `webhookCa`: certificate authority (PEM) of receivers in the network of a sandbox;
 * with it, receivers may have any address. Null: public addresses only.
 */
export function usualPostRules(webhookCa: string | null): PostRules {
  const timeoutMs = 10_000
  if (webhookCa === null)
    return {
      resolve: resolveByDns,
      mayReach: (address) => !isClosedAddress(address),
      secureContext: createSecureContext({ ciphers: clientCiphers }),
      timeoutMs,
    }
  return {
    resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
    mayReach: () => true,
    secureContext: createSecureContext({ ciphers: clientCiphers, ca: [...rootCertificates, webhookCa] }),
    timeoutMs,
  }
}

/**
 * Queries the name servers from this thread. While a receiver's name server does not respond, the system's resolver
 * would occupy one of the four threads that files and passwords also need.
 */
async function resolveByDns(name: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver({ timeout: 3000, tries: 2 })
  const cancel = (): void => {
    resolver.cancel()
  }
  signal.addEventListener('abort', cancel)
  try {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason
    return [ipv4, ipv6].flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** Maximum number of connections to the receiver of one webhook. */
export const mostConnections = 8
/**
 * The size of a response body from which `limitAnswer` derives its limits. A response within these limits (about 200 kB
 * in all) is read to its end, so that its connection can be reused. At a larger one the connection is closed.
 */
const mostAnswerBytes = 64 * 1024
/** Size in bytes of the pieces in which a notification is written. */
const pieceBytes = 64 * 1024
/**
 * Logged reason for an address that is not public. A name that does not exist gets the same reason, because otherwise
 * the log would reveal which names exist in a private network.
 */
const noPublicAddress = 'no_public_address'
/** Reserved names that no host has (RFC 6761). */
const neverNames = /\.(?:example|invalid)\.?$/
/** Maximum number of addresses of a name that are tried. */
const mostAddresses = 3

/** Sends the notifications of one webhook. */
export class Poster {
  readonly #rules: PostRules
  #agent: Agent | null = null

  constructor(rules: PostRules) {
    this.#rules = rules
  }

  /**
   * Sends one notification. Returns when the receiver's response has ended, or after the time limit. Null: `signal`
   * aborted the attempt. Redirects are not followed. Each attempt resolves the name, refuses it if any of its addresses
   * is not allowed, and connects to one of these addresses, so that the name is not resolved a second time.
   */
  async post(notification: Notification, content: Buffer, signal: AbortSignal): Promise<Reply | null> {
    const attempt = new AbortController()
    const abort = (): void => {
      attempt.abort()
    }
    const timer = setTimeout(abort, this.#rules.timeoutMs)
    signal.addEventListener('abort', abort)
    try {
      const url = new URL(notification.url)
      const addresses = await untilAborted(this.#addressesOf(url, attempt.signal), attempt.signal)
      const request = { url, content, headers: headersOf(url, notification, content) }
      return { status: await this.#send(request, addresses, attempt.signal), failure: null }
    } catch (error) {
      if (signal.aborted) return null
      return { status: null, failure: attempt.signal.aborted ? 'timeout' : codeOf(error) }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }

  /** Closes idle connections until at most `count` connections are open. Connections in use are counted too. */
  keepAtMost(count: number): void {
    const free = Object.values(this.#agent?.freeSockets ?? {}).flatMap((sockets) => sockets ?? [])
    const used = Object.values(this.#agent?.sockets ?? {}).flatMap((sockets) => sockets ?? [])
    for (const socket of free.slice(Math.max(0, count - used.length))) socket.destroy()
  }

  /** Closes the connections that are kept for the next notification. */
  rest(): void {
    this.#agent?.destroy()
    this.#agent = null
  }

  async #addressesOf({ protocol, hostname }: URL, signal: AbortSignal): Promise<readonly string[]> {
    // an earlier version may have stored an address that is not allowed now
    if (protocol !== 'https:') throw new Refused('not_https')
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
    // no name server is queried for the reserved names that webhooks of the demo use, because no host can have them
    if (neverNames.test(host)) throw new Refused(noPublicAddress)
    const addresses = isIP(host) > 0 ? [host] : await this.#rules.resolve(host, signal).catch(() => [])
    // only a plain IP address is used, because the connection would resolve a zone (`fe80::1%eth0`) or a name again
    if (!addresses.every((address) => isPlainAddress(address) && this.#rules.mayReach(address)))
      throw new Refused(noPublicAddress)
    if (addresses.length === 0) throw new Refused(noPublicAddress)
    return addresses
  }

  async #send(request: Post, addresses: readonly string[], signal: AbortSignal): Promise<number> {
    const tried = addresses.slice(0, mostAddresses)
    for (const [index, address] of tried.entries()) {
      try {
        return await this.#sendTo(address, request, signal)
      } catch (error) {
        const isLast = index === tried.length - 1
        if (isLast || signal.aborted || !neverConnected.has(codeOf(error))) throw error
      }
    }
    throw new Refused(noPublicAddress)
  }

  /** Repeats a request on a new connection if the receiver has closed the reused connection. */
  async #sendTo(address: string, { url, headers, content }: Post, signal: AbortSignal): Promise<number> {
    for (;;) {
      const request = httpsRequest({
        ...this.#target(address, url),
        method: 'POST',
        headers,
        signal,
      })
      // ignores errors after the response, because its status is already known
      request.on('error', () => undefined)
      limitAnswer(request, mostAnswerBytes)
      try {
        // the notification is written in pieces: otherwise the whole notification would be in the connection's buffer
        // while the receiver does not read
        Readable.from(piecesOf(content)).pipe(request)
        const response = await answerTo(request, signal)
        // `limitAnswer` reads the response to its end; its status is valid even if the rest of the response fails
        await finished(response).catch(() => undefined)
        const status = response.statusCode ?? 0
        // after a status below 200 the connection is closed, because the rest of the response would delay the next
        // response
        if (status < 200) request.socket?.destroy()
        return status
      } catch (error) {
        const wasClosed = request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(codeOf(error))
        if (!wasClosed || signal.aborted) throw error
      }
    }
  }

  /**
   * Connects to the address but requires a certificate for the name. A connection is reused only for the same address
   * and name.
   */
  #target(address: string, { hostname, port, pathname, search }: URL): object {
    this.#agent ??= new Agent({
      keepAlive: true,
      maxSockets: mostConnections,
      maxFreeSockets: mostConnections,
    })
    return {
      agent: this.#agent,
      host: address,
      port: port === '' ? 443 : Number(port),
      path: pathname + search,
      servername: isIP(hostname) > 0 || hostname.startsWith('[') ? '' : hostname.replace(/\.$/, ''),
      secureContext: this.#rules.secureContext,
    }
  }
}

/** A notification that is being sent. */
interface Post {
  readonly url: URL
  readonly headers: Record<string, string | number>
  readonly content: Buffer
}

/**
 * Returns the response to a request. Throws if the connection fails or ends without a response, if `signal` aborts, and
 * if the receiver switches protocols, which ends a request without `response` and `error`.
 */
function answerTo(request: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request.on('upgrade', (_answer, socket) => {
    socket.destroy()
    reject(new Refused('protocol_switched'))
  })
  request.on('response', resolve)
  request.on('error', reject)
  // `close` comes after `response` and `error`: if one of them occurred, the promise is already settled
  request.on('close', () => {
    reject(new Refused('closed'))
  })
  return untilAborted(promise, signal)
}

function* piecesOf(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += pieceBytes) yield content.subarray(at, at + pieceBytes)
}

const neverConnected: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
])

function isPlainAddress(address: string): boolean {
  return isIP(address) > 0 && !address.includes('%')
}

function headersOf(url: URL, notification: Notification, content: Buffer): Record<string, string | number> {
  const { hash_secret: secret } = notification
  return {
    host: url.host,
    'content-type': 'application/json',
    'content-length': content.length,
    'user-agent': 'Scandesk-Webhooks',
    'x-webhook-id': notification.event_id,
    'x-webhook-topic': webhookTopic(notification.topic_group, notification.topic_action),
    'x-hmac-sha256': createHmac('sha256', secret).update(content).digest('base64'),
  }
}

/** Rejects when `signal` aborts, even if the resolver does not end. */
async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  work.catch(() => undefined)
  signal.throwIfAborted()
  const aborted = once(signal, 'abort').then(() => Promise.reject(new Refused('timeout')))
  return Promise.race([work, aborted])
}

class Refused extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/**
 * Returns a code like `ECONNREFUSED` or `CERT_HAS_EXPIRED`. It names the failure and contains nothing of the address or
 * the response.
 */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'failed'
}
