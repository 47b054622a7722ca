import http from 'node:http'
import https from 'node:https'
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import { clientTls } from '#kit/client-tls.ts'
import { addressMs, allowedLookup, lookupOption, lookUpService } from '#kit/name-lookups.ts'
import { isDocumentAddress } from '#shared/domain/public-address.ts'
import { isLoopback } from '#shared/domain/station-fields.ts'
import { TunnelAgent } from './tunnel-agent.ts'

export interface Agents {
  /**
   * Returns an agent that keeps its connections open. It is used only for reads, because a read that fails on a stale
   * connection can be repeated.
   */
  forReads(url: URL): http.Agent
  /** Returns an agent whose connection serves only one write, so that no layer below can send the write again. */
  forWrite(url: URL): http.Agent
  /**
   * Returns an agent for one download from a label host. The name of the host may not resolve to an address of this
   * machine, nor to a link-local, multicast or reserved address: the connection fails with the code `addressRefused`.
   * Through a proxy this check is impossible, because the proxy resolves the name.
   */
  forDocument(url: URL): http.Agent
  readonly throughProxy: (url: URL) => boolean
  /**
   * Closes the connections that no read uses, so that the next reads open new ones. A gateway may have forgotten open
   * connections, for example while the PC slept. It then drops their packets without a notice.
   */
  closeIdle(): void
  close(): void
}

/** The code of a failed exchange with a label host none of whose addresses is allowed. */
export const addressRefused = 'ADDRESS_REFUSED'

/**
 * Maximum number of connections for reads to one address. A busy desk uses a few. Each connection takes a file handle
 * here and a connection of the service.
 */
export const mostReads = 32

/** Returns the present address of the proxy for a URL; null: no proxy is needed. */
export type ProxyOf = (url: URL) => string | null

/**
 * Creates the agents. `proxyOf` is called for each exchange: if the proxy of an address has changed, the reads that
 * still use the old one are aborted. It is not called for this machine, because connections to this machine never use a
 * proxy. `lookUp` resolves the host names.
 */
export function createAgents(proxyOf: ProxyOf = () => null, lookUp = lookUpService): Agents {
  // this is set for the whole thread, so that it also applies to the connections to a proxy
  setDefaultAutoSelectFamilyAttemptTimeout(addressMs)
  const proxyFor = (url: URL): string | null => (isLoopback(url.hostname) ? null : proxyOf(url))
  const make = (url: URL, keepAlive: boolean): http.Agent => {
    const proxy = proxyFor(url)
    const options = { keepAlive, maxSockets: mostReads, lookup: lookupOption(lookUp) }
    if (url.protocol !== 'https:')
      return new http.Agent({ ...options, ...(proxy !== null && { proxyEnv: { HTTP_PROXY: proxy } }) })
    const secure = { ...options, ...clientTls }
    return proxy === null ? new https.Agent(secure) : new TunnelAgent(proxy, secure)
  }
  const documentLookup = allowedLookup(isDocumentAddress, addressRefused, lookUp)
  const readers = new Map<string, { readonly agent: http.Agent; readonly proxy: string | null }>()
  return {
    forReads(url) {
      const proxy = proxyFor(url)
      const known = readers.get(url.origin)
      if (known?.proxy === proxy) return known.agent
      known?.agent.destroy()
      const agent = make(url, true)
      readers.set(url.origin, { agent, proxy })
      return agent
    },
    forWrite: (url) => make(url, false),
    forDocument: (url) =>
      proxyFor(url) === null
        ? new https.Agent({ keepAlive: false, lookup: documentLookup, ...clientTls })
        : make(url, false),
    throughProxy: (url) => proxyFor(url) !== null,
    closeIdle() {
      const lists = [...readers.values()].flatMap(({ agent }) => Object.values(agent.freeSockets))
      for (const socket of lists.flatMap((sockets) => sockets ?? [])) socket.destroy()
    },
    close() {
      for (const { agent } of readers.values()) agent.destroy()
      readers.clear()
    },
  }
}
