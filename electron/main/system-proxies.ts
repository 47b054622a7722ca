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

/** Minimum milliseconds between two reads, and the time until the next read while the desk is offline. */
const soonMs = 15_000
/** Milliseconds until the next read while the desk is online. */
const laterMs = 5 * 60_000
/** Maximum milliseconds for which the opening of a desk waits for the proxies. A PAC script may be unreachable. */
const openMs = 5_000
/** Maximum milliseconds for the proxies of one origin. After that they count as not found. */
const readMs = 60_000
/** After this number of consecutive reads without the used proxy, another one is used while the desk is online. */
const mostMissed = 2

/** What is known about one origin. */
interface Known {
  /** The proxy that is used. */
  readonly used: string | null
  /** The list of the last read. */
  readonly list: ProxyList
  /** The last list that contained a proxy. */
  readonly named: ProxyList
  /** Number of consecutive reads while the desk was online whose list did not contain the proxy that is used. */
  readonly missed: number
}

/**
 * The system's proxies for the station of the open desk: for the service and for each label host, because a PAC script
 * or a list of exceptions chooses the proxies by host. They are read when the desk opens, every 15 seconds while it is
 * offline, and every five minutes while it is online: a PC that starts before its network is ready cannot read its PAC
 * script, and a PC may be moved to another network. A script that cannot be read also gives `[null]`. Therefore:
 *
 * - While no network path to the service works, each read chooses the next proxy of the list. If the list names none,
 *   this is alternately a proxy of the last list that named one, and a connection without a proxy.
 * - Otherwise the service is reached, so its proxy works, and it stays the same until two consecutive reads name only
 *   other ones. Open connections through a proxy may work although it refuses new ones.
 * - A label host uses the first proxy of its list; if its list is that of the service, the proxy of the service. If the
 *   service is then reached without a proxy, this is tried alternately with the first proxy, because it may not work for
 *   the label host. A label host loses its proxy only after two consecutive reads while the desk is online.
 */
export class SystemProxies {
  readonly #readProxies: ReadProxies
  readonly #listeners = new Set<(proxy: string | null) => void>()
  /** The origins of the service and of the label hosts, in this order. Empty: the desk needs no proxy. */
  #origins: readonly string[] = []
  #known: ReadonlyMap<string, Known> = new Map()
  #line: Pick<DeskStatus['line'], 'state' | 'failure'> = { state: 'unknown', failure: null }
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
    await within(openMs, this.#read(false), undefined)
  }

  /** Call it with each status of the desk. */
  heard({ line }: Pick<DeskStatus, 'line'>): void {
    const { state } = this.#line
    this.#line = line
    if (line.state !== state && line.state !== 'unknown') this.#readIn(line.state === 'offline' ? soonMs : 0)
  }

  /**
   * Calls the listener with the new proxy of the service when it has changed. The returned function removes the
   * listener.
   */
  onChanged(listener: (proxy: string | null) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Ends the reads. The result of a read under way is not used. */
  stop(): void {
    this.#endTimer()
    this.#origins = []
    this.#line = { state: 'unknown', failure: null }
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
    if (this.#origins.length === 0 || this.#isReading || (this.#timer && this.#timer.dueAt <= dueAt)) return
    this.#endTimer()
    const timeout = setTimeout(() => {
      this.#timer = null
      void this.#read(true)
    }, dueAt - now)
    this.#timer = { dueAt, timeout }
  }

  /** Reads the proxies of the service first, because the system may need seconds for each host. */
  async #read(reloads: boolean): Promise<void> {
    const [service, ...labelHosts] = this.#origins
    if (service === undefined) return
    const station = this.#origins
    this.#isReading = true
    this.#readAt = performance.now()
    const wasCutOff = this.#isCutOff
    const list = await this.#listOf(service, reloads)
    // another station may be open after this wait
    if (this.#origins !== station) return
    this.#useForService(service, list, wasCutOff && this.#isCutOff)
    const lists = await Promise.all(
      labelHosts.map(async (origin) => [origin, await this.#listOf(origin, false)] as const),
    )
    if (this.#origins !== station) return
    for (const [origin, ofHost] of lists) this.#note(origin, this.#forLabelHost(origin, ofHost))
    this.#isReading = false
    const isUnsure = [...this.#known.values()].some(({ missed }) => missed > 0)
    this.#readIn(this.#line.state === 'offline' || isUnsure ? soonMs : laterMs)
  }

  #listOf(origin: string, reloads: boolean): Promise<ProxyList> {
    return within(readMs, this.#readProxies(origin, { reloads }), [null])
  }

  #note(origin: string, known: Known): void {
    this.#known = new Map([...this.#known, [origin, known]])
  }

  #useForService(origin: string, list: ProxyList, isCutOff: boolean): void {
    const before = this.#known.get(origin)?.used ?? null
    this.#note(origin, this.#forService(origin, list, isCutOff))
    const used = this.#ofService()?.used ?? null
    if (used !== before) for (const changed of this.#listeners) changed(used)
  }

  /** Whether the desk is offline because no server responds, or another one than the service. */
  get #isCutOff(): boolean {
    return this.#line.state === 'offline' && this.#line.failure?.code.startsWith('network.') === true
  }

  #forService(origin: string, list: ProxyList, isCutOff: boolean): Known {
    const [first = null] = list
    const known = this.#known.get(origin)
    const named = isEmpty(list) ? (known?.named ?? []) : list
    if (!known) return { used: first, list, named, missed: 0 }
    const { used } = known
    if (isCutOff) {
      const candidates = isEmpty(list) ? [...new Set([...named, null])] : list
      return {
        used: candidates[(candidates.indexOf(used) + 1) % candidates.length] ?? null,
        list,
        named,
        missed: 0,
      }
    }
    if (list.includes(used) || isEmpty(list)) return { used, list, named, missed: 0 }
    const missed = known.missed + 1
    return missed < mostMissed ? { used, list, named, missed } : { used: first, list, named, missed: 0 }
  }

  #forLabelHost(origin: string, list: ProxyList): Known {
    const [first = null] = list
    const known = this.#known.get(origin)
    const service = this.#ofService()
    if (isEmpty(list) && known && known.used !== null) {
      // if the service has a proxy that its list does not name, the PAC script could not be read
      const isUnread = service?.used !== null && service?.list.includes(service.used) === false
      const missed = known.missed + (this.#line.state === 'online' && !isUnread ? 1 : 0)
      if (missed < mostMissed) return { ...known, list, missed }
    }
    const ofService = service && !isEmpty(list) && same(service.list, list) ? service.used : first
    const isTried = ofService === null && known?.used === null && this.#line.state === 'online'
    return { used: isTried ? first : ofService, list, named: list, missed: 0 }
  }
}

function isEmpty(list: ProxyList): boolean {
  return list.every((proxy) => proxy === null)
}

function same(a: ProxyList, b: ProxyList): boolean {
  return a.length === b.length && a.every((proxy, at) => proxy === b[at])
}

/** Returns the value of the promise, or `otherwise` after this number of milliseconds. */
async function within<T>(limitMs: number, promise: Promise<T>, otherwise: T): Promise<T> {
  let timeout: NodeJS.Timeout | undefined
  const late = new Promise<T>((resolve) => (timeout = setTimeout(() => resolve(otherwise), limitMs)))
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timeout)
  }
}
