import type { ProxyOf } from '#remote/agents.ts'
import type { DeskStatus, StationView } from '#shared/bridge/views.ts'
import { embeddedBaseUrl } from '#shared/domain/scope.ts'
import { parseHosts } from '#shared/domain/station-fields.ts'

/**
 * Returns the system's proxy for a URL; null: no proxy is needed or can be found. Never rejects. `reloads`: whether the
 * settings of the system, such as a PAC script, are read again.
 */
type ReadProxy = (url: string, options: { readonly reloads: boolean }) => Promise<string | null>

/** Milliseconds until the next read while the desk is offline, and after the first read while it is online. */
const soonMs = 15_000
/** Milliseconds until the next read while the desk is online. */
const laterMs = 5 * 60_000

/**
 * The system's proxies for the station of the open desk: one for the service and one for each label host, because a
 * PAC script or a list of exceptions chooses the proxy by host. All are read when the desk opens. The proxy of the
 * service is read again while the desk is offline: a PC that starts before its network is ready cannot read its PAC
 * script, and a PC may be moved to another network. While the desk is online this proxy stays the same, because it
 * works, and a PAC script may name another one at each read. The proxies of the label hosts are read again while the
 * desk is online: whether they work shows only when a label is downloaded.
 */
export class SystemProxies {
  readonly #readProxy: ReadProxy
  readonly #listeners = new Set<() => void>()
  /** The origins of the service and of the label hosts, in this order. Empty: the desk needs no proxy. */
  #origins: readonly string[] = []
  /** The proxies that are used, by origin; null: the origin needs none. The first entry is that of the service. */
  #known: ReadonlyMap<string, string | null> = new Map()
  /** The result of the last read; empty: nothing was read since the state of the connection changed. */
  #lastRead: ReadonlyMap<string, string | null> = new Map()
  /** The state of the connection for which the reads were started; null: none were started. */
  #state: 'online' | 'offline' | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(readProxy: ReadProxy) {
    this.#readProxy = readProxy
  }

  /** Returns the proxy for a URL of the open desk. An origin that was not read has the proxy of the service. */
  readonly of: ProxyOf = ({ origin }) => {
    const [ofService = null] = this.#known.values()
    const own = this.#known.get(origin)
    return own === undefined ? ofService : own
  }

  /** Reads the proxies for a station before its desk opens. The embedded middleware needs none. */
  async open({ baseUrl, documentHosts }: StationView): Promise<void> {
    this.stop()
    const service = baseUrl === embeddedBaseUrl ? null : URL.parse(baseUrl)
    const hosts = parseHosts(documentHosts)
    const ofHosts = (hosts.ok ? hosts.value : []).map((host) => `https://${host}`)
    const origins = service ? [...new Set([service.origin, ...ofHosts])] : []
    this.#origins = origins
    this.#known = new Map()
    const read = await this.#read(origins, false)
    if (this.#origins === origins) this.#known = read
  }

  /** Call it with each status of the desk. */
  heard({ line: { state } }: Pick<DeskStatus, 'line'>): void {
    if (state === 'unknown' || state === this.#state) return
    this.#state = state
    this.#lastRead = new Map()
    this.#readAfter(state === 'offline' ? soonMs : 0)
  }

  /** Calls the listener when the proxy of the service has changed. The returned function removes the listener. */
  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Ends the reads. */
  stop(): void {
    this.#endTimer()
    this.#state = null
  }

  #endTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  #readAfter(waitMs: number): void {
    this.#endTimer()
    const [service, ...labelHosts] = this.#origins
    const origins = this.#state === 'offline' && service !== undefined ? [service] : labelHosts
    if (origins.length === 0) return
    const timer = setTimeout(() => void this.#readAgain(timer, origins), waitMs)
    this.#timer = timer
  }

  async #readAgain(timer: NodeJS.Timeout, origins: readonly string[]): Promise<void> {
    const read = await this.#read(origins, true)
    // the state of the connection may be another one, or another station may be open, after this wait
    if (this.#timer !== timer) return
    const before = this.#lastRead
    this.#lastRead = read
    const isOffline = this.#state === 'offline'
    const mayHaveFailed = [...read].some(([origin, proxy]) => proxy === null && before.get(origin) !== null)
    this.#readAfter(isOffline || before.size === 0 || mayHaveFailed ? soonMs : laterMs)
    // a PAC script that cannot be read for a moment also gives null, so a label host loses its proxy only after two
    // such reads
    const isUsed = ([origin, proxy]: readonly [string, string | null]): boolean =>
      isOffline || proxy !== null || before.get(origin) === null
    const service = this.#origins[0] ?? ''
    const ofService = this.#known.get(service)
    this.#known = new Map([...this.#known, ...[...read].filter(isUsed)])
    if (this.#known.get(service) !== ofService) for (const changed of this.#listeners) changed()
  }

  async #read(origins: readonly string[], reloads: boolean): Promise<ReadonlyMap<string, string | null>> {
    const read = origins.map(async (origin) => [origin, await this.#readProxy(origin, { reloads })] as const)
    return new Map(await Promise.all(read))
  }
}
