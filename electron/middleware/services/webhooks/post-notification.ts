import { lookup, Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { isClosedAddress } from '#shared/domain/public-address.ts'
import { webhookTopic } from '#shared/domain/webhook-topics.ts'
import type { Notification, ToldWebhook } from '../../data/deliveries.ts'
import type { ReceiverNames, NameUser, ResolveName } from './receiver-names.ts'
import { codeOf, Refused, type SendEnd, type SenderThread } from './sender-thread.ts'

/** Rules for sending notifications to their receivers. */
export interface PostRules {
  readonly resolve: ResolveName
  /** Whether a notification may be sent to an IP address. */
  readonly mayReach: (address: string) => boolean
  /** Maximum milliseconds of a whole attempt: name resolution, connection, request and response. */
  readonly timeoutMs: number
}

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
      timeoutMs,
    }
  return {
    resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
    mayReach: () => true,
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

/**
 * Logged reason for an address that is not public. A name that does not exist gets the same reason, because otherwise
 * the log would reveal which names exist in a private network.
 */
const noPublicAddress = 'no_public_address'
/** Reserved names that no host has (RFC 6761). */
const neverNames = /\.(?:example|invalid)\.?$/
/**
 * Maximum number of addresses of a name. A name with more is refused without a check of its addresses. No receiver
 * needs more. A response of a name server can contain thousands, and their check would delay all calls.
 */
const mostAddresses = 50
/** Maximum number of addresses of a name that are tried. */
const mostTried = 3

/** When an attempt may be made. */
export interface PostTurn {
  /** Aborts the attempt. */
  readonly signal: AbortSignal
  /**
   * Called when the time limit of the attempt begins, which may be a minute after the call of `post`. Returns false if
   * the attempt must not be made any more.
   */
  readonly begins: () => boolean
  /**
   * Whether the notification still exists with the address, group and event that were read before the wait for its
   * turn. After a short wait, true without a check.
   */
  readonly isCurrent: () => Promise<boolean>
}

/** Sends the notifications of one webhook. */
export class Poster {
  readonly #webhook: ToldWebhook
  readonly #rules: PostRules
  readonly #thread: SenderThread
  readonly #lookups: ReceiverNames
  /** Whether the thread may have connections of the webhook. It has none before the first notification. */
  #mayHaveConnections = false

  constructor(
    webhook: ToldWebhook,
    { rules, thread, lookups }: { rules: PostRules; thread: SenderThread; lookups: ReceiverNames },
  ) {
    this.#webhook = webhook
    this.#rules = rules
    this.#thread = thread
    this.#lookups = lookups
  }

  /**
   * Sends one notification. Returns when the receiver's response has ended, or after the time limit, which begins with
   * the look-up of the receiver's name. Null: the attempt was not made or was aborted (see PostTurn). Redirects are not
   * followed. Each attempt resolves the name, refuses it if any of its addresses is not allowed, and connects to one of
   * these addresses, so that the name is not resolved a second time.
   */
  async post(
    notification: Notification,
    content: Buffer,
    { signal, begins, isCurrent }: PostTurn,
  ): Promise<SendEnd | null> {
    await this.#thread.ready()
    const attempt = new AbortController()
    const abort = (): void => {
      attempt.abort()
    }
    const time: { limit?: NodeJS.Timeout; isOver?: true; isRefused?: true } = {}
    const begin = (): void => {
      // the look-up of the name may begin after an attempt that was aborted
      if (time.isOver || time.limit) return
      if (begins()) time.limit = setTimeout(abort, this.#rules.timeoutMs)
      else {
        time.isRefused = true
        abort()
      }
    }
    signal.addEventListener('abort', abort)
    try {
      signal.throwIfAborted()
      const url = new URL(notification.url)
      const user = { signal: attempt.signal, onTurn: begin }
      const addresses = await untilAborted(this.#addressesOf(url, user), attempt.signal)
      begin()
      attempt.signal.throwIfAborted()
      if (!(await isCurrent())) return null
      const { webhook_id: webhookId, customer_id: customerId } = this.#webhook
      this.#mayHaveConnections = true
      const headers = headersOf(url, notification, content)
      const request = { url: url.href, headers, secret: notification.hash_secret, content }
      const tried = addresses.slice(0, mostTried)
      return await this.#thread.send({ webhookId, customerId, ...request, addresses: tried }, attempt.signal)
    } catch (error) {
      if (signal.aborted || time.isRefused) return null
      return { status: null, failure: attempt.signal.aborted ? 'timeout' : codeOf(error) }
    } finally {
      time.isOver = true
      clearTimeout(time.limit)
      signal.removeEventListener('abort', abort)
    }
  }

  /**
   * Closes idle connections until at most `count` connections are open. Connections in use are counted too. Must be
   * called after each attempt, because a connection to an earlier address of the receiver may have become idle.
   */
  keepAtMost(count: number): void {
    if (this.#mayHaveConnections) this.#thread.keepAtMost(this.#webhook.webhook_id, count)
  }

  /** Closes the connections that are kept for the next notification. */
  rest(): void {
    if (this.#mayHaveConnections) this.#thread.rest(this.#webhook.webhook_id)
    this.#mayHaveConnections = false
  }

  async #addressesOf({ protocol, hostname }: URL, user: NameUser): Promise<readonly string[]> {
    // the stored address is checked again, because an earlier version may have stored an address that is not allowed
    // now
    if (protocol !== 'https:') throw new Refused('not_https')
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
    // no name server is queried for the reserved names that webhooks of the demo use, because no host can have them
    if (neverNames.test(host)) throw new Refused(noPublicAddress)
    const addresses = isIP(host) > 0 ? [host] : await this.#resolve(host, user)
    if (addresses.length > mostAddresses) throw new Refused(noPublicAddress)
    // only a plain IP address is used, because the connection would resolve a zone (`fe80::1%eth0`) or a name again
    if (!addresses.every((address) => isPlainAddress(address) && this.#rules.mayReach(address)))
      throw new Refused(noPublicAddress)
    if (addresses.length === 0) throw new Refused(noPublicAddress)
    return addresses
  }

  /** Returns no address if the name cannot be resolved. */
  #resolve(host: string, user: NameUser): Promise<readonly string[]> {
    return this.#lookups.find(this.#webhook.customer_id, host, user).catch(() => [])
  }
}

function isPlainAddress(address: string): boolean {
  return isIP(address) > 0 && !address.includes('%')
}

/** Returns all headers except the signature, which the sender thread adds. */
function headersOf(url: URL, notification: Notification, content: Buffer): Record<string, string | number> {
  return {
    host: url.host,
    'content-type': 'application/json',
    'content-length': content.length,
    'user-agent': 'Scandesk-Webhooks',
    'x-webhook-id': notification.event_id,
    'x-webhook-topic': webhookTopic(notification.topic_group, notification.topic_action),
  }
}

/** Rejects when `signal` aborts, even if the resolver does not end. */
async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  work.catch(() => undefined)
  signal.throwIfAborted()
  const aborted = once(signal, 'abort').then(() => Promise.reject(new Refused('timeout')))
  return Promise.race([work, aborted])
}
