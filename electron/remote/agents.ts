import http from 'node:http'
import https from 'node:https'
import { clientCiphers } from '#kit/client-ciphers.ts'
import { isLoopback } from '#shared/domain/station-fields.ts'

export interface Agents {
  /** Keeps connections: a read that a dying one swallowed is simply read again. */
  forReads(url: URL): http.Agent
  /** A connection for this one write: nothing below us may resend it. */
  forWrite(url: URL): http.Agent
  readonly throughProxy: (url: URL) => boolean
  close(): void
}

/**
 * Most connections for reads to one address. A desk at work has a handful; each takes a file handle here and a place at
 * the service.
 */
export const mostReads = 32

/** `proxy`: the proxy's address as main found it, or null. The loopback never goes through one. */
export function createAgents(proxy: string | null): Agents {
  const proxied = (url: URL): boolean => proxy !== null && !isLoopback(url.hostname)
  const optionsFor = (url: URL, keepAlive: boolean): http.AgentOptions => ({
    keepAlive,
    maxSockets: mostReads,
    ...(proxied(url) && proxy !== null ? { proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } } : {}),
  })
  const make = (url: URL, keepAlive: boolean): http.Agent =>
    url.protocol === 'https:'
      ? new https.Agent({ ...optionsFor(url, keepAlive), ciphers: clientCiphers })
      : new http.Agent(optionsFor(url, keepAlive))
  const readers = new Map<string, http.Agent>()
  return {
    forReads(url) {
      const known = readers.get(url.origin)
      if (known) return known
      const agent = make(url, true)
      readers.set(url.origin, agent)
      return agent
    },
    forWrite: (url) => make(url, false),
    throughProxy: proxied,
    close() {
      for (const agent of readers.values()) agent.destroy()
      readers.clear()
    },
  }
}
