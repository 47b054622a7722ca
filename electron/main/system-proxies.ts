import type { ProxyOf } from '#remote/agents.ts'
import type { DeskStatus, StationView } from '#shared/bridge/views.ts'
import { embeddedBaseUrl } from '#shared/domain/scope.ts'
import { parseHosts } from '#shared/domain/station-fields.ts'

/** The proxies for one origin, in the order in which they should be tried; null: a connection without a proxy. */
export type ProxyList = readonly (string | null)[]

/**
 * Returns the system's proxies for a URL; `[null]` if no proxy is needed or can be found. Never rejects. `reloads`:
 * whether the settings of the system, such as a PAC script, are read again.
 */
type ReadProxies = (url: string, options: { readonly reloads: boolean }) => Promise<ProxyList>

/** Minimum milliseconds between two reads, and the time until the next read while a proxy is in doubt. */
const soonMs = 15_000
/** Milliseconds until the next read while the desk is online. */
const laterMs = 5 * 60_000
/** Maximum milliseconds for which the opening of a desk waits for the proxies. A PAC script may be unreachable. */
const openMs = 5_000

/** The proxy that is used for an origin, and the list of the last read. */
interface Known {
  readonly used: string | null
  readonly list: ProxyList
}

/**
 * The system's proxies for the station of the open desk: for the service and for each label host, because a PAC script
 * or a list of exceptions chooses the proxies by host. They are read when the desk opens, and again later, because a PC
 * that starts before its network is ready cannot read its PAC script, and a PC may be moved to another network:
 *
 * - After the desk was offline, all are read every 15 seconds, until a read while the desk is online confirms the proxy
 *   of the service. While the desk is offline, each read that changes nothing chooses the next proxy of the list for the
 *   service. An offline desk may become online for moments, because open connections through the old proxy still work.
 * - After that the proxy of the service stays the same, because it works, and a PAC script may name another one at each
 *   read. Those of the label hosts are read every five minutes: whether they work shows only when a label is downloaded.
 *
 * A PAC script that cannot be read also gives `[null]`. So while the desk is online, a proxy is given up only after two
 * such reads, and the proxy of a label host only then.
 */
export class SystemProxies {
  readonly #readProxies: ReadProxies
  readonly #listeners = new Set<() => void>()
  /** The origins of the service and of the label hosts, in this order. Empty: the desk needs no proxy. */
  #origins: readonly string[] = []
  #known: ReadonlyMap<string, Known> = new Map()
  #state: DeskStatus['line']['state'] = 'unknown'
  /** Whether the desk was offline since a read confirmed the proxy of the service. */
  #isInDoubt = false
  #isReading = false
  /** When the last read began, in milliseconds of `performance.now()`. */
  #readAt = -Infinity
  #timer: { readonly dueAt: number; readonly timeout: NodeJS.Timeout } | null = null

  constructor(readProxies: ReadProxies) {
    this.#readProxies = readProxies
  }

  /** Returns the proxy for a URL of the open desk. An origin that was not read has the proxy of the service. */
  readonly of: ProxyOf = ({ origin }) => (this.#known.get(origin) ?? this.#ofService())?.used ?? null

  /**
   * Reads the proxies for a station before its desk opens, for at most five seconds; a later result is used when it
   * arrives. The embedded middleware needs no proxy.
   */
  async open({ baseUrl, documentHosts }: StationView): Promise<void> {
    this.stop()
    const service = baseUrl === embeddedBaseUrl ? null : URL.parse(baseUrl)
    const hosts = parseHosts(documentHosts)
    const ofHosts = (hosts.ok ? hosts.value : []).map((host) => `https://${host}`)
    this.#origins = service ? [...new Set([service.origin, ...ofHosts])] : []
    this.#known = new Map()
    let timeout: NodeJS.Timeout | undefined
    const late = new Promise((resolve) => (timeout = setTimeout(resolve, openMs)))
    await Promise.race([this.#read(this.#origins, false), late])
    clearTimeout(timeout)
  }

  /** Call it with each status of the desk. */
  heard({ line: { state } }: Pick<DeskStatus, 'line'>): void {
    if (state === this.#state) return
    this.#state = state
    if (state === 'offline') this.#isInDoubt = true
    if (state !== 'unknown') this.#readIn(state === 'offline' ? soonMs : 0)
  }

  /** Calls the listener when the proxy of the service has changed. The returned function removes the listener. */
  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Ends the reads. The result of a read under way is not used. */
  stop(): void {
    this.#endTimer()
    this.#origins = []
    this.#state = 'unknown'
    this.#isInDoubt = false
    this.#isReading = false
    this.#readAt = -Infinity
  }

  #ofService(): Known | undefined {
    return this.#known.get(this.#origins[0] ?? '')
  }

  #endTimer(): void {
    if (this.#timer) clearTimeout(this.#timer.timeout)
    this.#timer = null
  }

  /** Plans the next read, unless an earlier one is planned. A read under way plans the next one when it ends. */
  #readIn(waitMs: number): void {
    const now = performance.now()
    const dueAt = Math.max(now + waitMs, this.#readAt + soonMs)
    if (this.#isReading || (this.#timer && this.#timer.dueAt <= dueAt)) return
    this.#endTimer()
    const timeout = setTimeout(() => {
      this.#timer = null
      const [, ...labelHosts] = this.#origins
      const origins = this.#isInDoubt ? this.#origins : labelHosts
      if (origins.length > 0) void this.#read(origins, true)
    }, dueAt - now)
    this.#timer = { dueAt, timeout }
  }

  async #read(origins: readonly string[], reloads: boolean): Promise<void> {
    const station = this.#origins
    this.#isReading = true
    this.#readAt = performance.now()
    const lists = await Promise.all(
      origins.map(async (origin) => [origin, await this.#readProxies(origin, { reloads })] as const),
    )
    // another station may be open after this wait
    if (this.#origins !== station) return
    this.#isReading = false
    const before = this.#known
    const used = this.#ofService()?.used ?? null
    for (const [origin, list] of lists)
      this.#known = new Map([...this.#known, [origin, this.#judge(origin, list)]])
    const service = this.#ofService()
    if (this.#state === 'online' && service?.list.includes(service.used)) this.#isInDoubt = false
    // a list that is empty for the first time may be that of a PAC script that could not be read
    const isUnsure = lists.some(([origin, list]) => isEmpty(list) && !same(before.get(origin)?.list, list))
    if (this.#state !== 'unknown') this.#readIn(this.#isInDoubt || isUnsure ? soonMs : laterMs)
    if ((service?.used ?? null) !== used) for (const changed of this.#listeners) changed()
  }

  /** Returns the proxy to use for an origin after a read of its list. */
  #judge(origin: string, list: ProxyList): Known {
    const [first = null] = list
    const known = this.#known.get(origin)
    if (!known) return { used: first, list }
    const isSame = same(known.list, list)
    if (origin !== this.#origins[0]) {
      // a proxy that works for the service is used for a label host too, if the list of the label host contains it
      const ofService = this.#ofService()?.used ?? null
      const wanted = list.includes(ofService) ? ofService : first
      const mayBeUnread = isEmpty(list) && (this.#state !== 'online' || !isSame)
      return { used: mayBeUnread ? known.used : wanted, list }
    }
    if (this.#state !== 'online')
      return { used: isSame ? (list[(list.indexOf(known.used) + 1) % list.length] ?? null) : first, list }
    const isKept = list.includes(known.used) || (isEmpty(list) && !isSame)
    return { used: isKept ? known.used : first, list }
  }
}

function isEmpty(list: ProxyList): boolean {
  return list.every((proxy) => proxy === null)
}

function same(a: ProxyList | undefined, b: ProxyList): boolean {
  return a !== undefined && a.length === b.length && a.every((proxy, at) => proxy === b[at])
}
