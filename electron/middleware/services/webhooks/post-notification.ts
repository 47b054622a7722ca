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

/** The addresses of a name; throws the resolver's error where it has none. Ends early when it is aborted. */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>

/** How notifications reach their receivers. */
export interface PostRules {
  readonly resolve: ResolveName
  /** Whether a notification may be sent to an IP address. */
  readonly mayReach: (address: string) => boolean
  /** The ciphers that receivers may choose from, and the authorities that their certificates are trusted by. */
  readonly secureContext: SecureContext
  /** For an attempt in all: name, connection, request and answer. */
  readonly timeoutMs: number
}

/** What a receiver returned, or why nothing arrived. */
export type Reply =
  { readonly status: number; readonly failure: null } | { readonly status: null; readonly failure: string }

/**
 * The rules of the service. `webhookCa`: certificate authority (PEM) of listeners beside a sandbox, which then may have any
 * address; null: public addresses only.
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
 * Asks the name servers from this thread. The system's resolver would hold one of four threads that files and passwords
 * need too, for as long as a receiver's name server keeps silent.
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

/** Most connections to the receiver of one webhook. */
export const mostConnections = 8
/** How much of an answer is read, so that its connection can serve again; of one beyond the connection is closed. */
const mostAnswerBytes = 64 * 1024
/** A notification is written in pieces of so many bytes. */
const pieceBytes = 64 * 1024
/** Why nothing was sent. The same for a name that does not exist: the log would otherwise tell which names a private network knows. */
const noPublicAddress = 'no_public_address'
/** Names that are nobody's (RFC 6761). */
const neverNames = /\.(?:example|invalid)\.?$/
/** How many addresses of a name are tried. */
const mostAddresses = 3

/** Sends the notifications of one webhook. */
export class Poster {
  readonly #rules: PostRules
  #agent: Agent | null = null

  constructor(rules: PostRules) {
    this.#rules = rules
  }

  /**
   * Sends one; returns when the receiver's answer ended or was given up. Null: `signal` aborted it. Redirects are not
   * followed. Each attempt resolves the name itself, refuses it where any of its addresses may not be reached, and
   * connects to one of those very addresses: the name is not resolved a second time.
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

  /** Closes kept connections until there are so many at most, with those in use. */
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
    // stored by an earlier version, which judged less
    if (protocol !== 'https:') throw new Refused('not_https')
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
    // the demo's listeners have such names: nobody is asked for what nobody can have
    if (neverNames.test(host)) throw new Refused(noPublicAddress)
    const addresses = isIP(host) > 0 ? [host] : await this.#rules.resolve(host, signal).catch(() => [])
    // a zone (`fe80::1%eth0`) or a name would be resolved again by the connection
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

  /** Once more on a new connection where a kept one was closed by the receiver in the meantime. */
  async #sendTo(address: string, { url, headers, content }: Post, signal: AbortSignal): Promise<number> {
    for (;;) {
      const request = httpsRequest({
        ...this.#target(address, url),
        method: 'POST',
        headers,
        signal,
      })
      // one that comes after the answer has nobody to tell
      request.on('error', () => undefined)
      limitAnswer(request, mostAnswerBytes)
      try {
        // a receiver that does not read would otherwise have all of it in its connection's buffer
        Readable.from(piecesOf(content)).pipe(request)
        const response = await answerTo(request, signal)
        // read to its end by `limitAnswer`; the status stands, whatever becomes of the rest
        await finished(response).catch(() => undefined)
        return response.statusCode ?? 0
      } catch (error) {
        const wasClosed = request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(codeOf(error))
        if (!wasClosed || signal.aborted) throw error
      }
    }
  }

  /**
   * The connection goes to the address; the name is what the certificate must be for. Kept connections are told apart by
   * the address too.
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

/** A notification on its way. */
interface Post {
  readonly url: URL
  readonly headers: Record<string, string | number>
  readonly content: Buffer
}

/**
 * The answer to a request. Throws where the connection fails or ends without one, where the receiver switches protocols,
 * which ends a request without `response` and `error`, and when `signal` is aborted.
 */
function answerTo(request: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request.on('upgrade', (_answer, socket) => {
    socket.destroy()
    reject(new Refused('protocol_switched'))
  })
  request.on('response', resolve)
  request.on('error', reject)
  // behind both, which have settled it then
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

/** A resolver that does not end does not hold the attempt. */
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

/** `ECONNREFUSED`, `CERT_HAS_EXPIRED` …: says what failed and holds nothing of the address or the answer. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'failed'
}
