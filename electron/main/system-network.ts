import * as tls from 'node:tls'
import { powerMonitor, session, type ProxyConfig } from 'electron'
import type { NetworkPort } from '#desk/ports/network.ts'
import type { Logger } from '#kit/logger.ts'
import type { ProxyList } from './system-proxies.ts'

/** Reports when the PC wakes from sleep, because its network connection may have changed. */
export const systemNetwork: NetworkPort = {
  onBack(listener) {
    powerMonitor.on('resume', listener)
    return () => void powerMonitor.off('resume', listener)
  },
}

let config: ProxyConfig = { mode: 'system' }

/** Sets the proxy that `systemProxies` uses instead of the system's settings. */
export function useProxy(given: ProxyConfig): void {
  config = given
}

/**
 * Returns the proxies for an address as `http://host:port` or `https://host:port`, and null for a connection without a
 * proxy, in the order of the system; `[null]` if they cannot be read. They are read from a session of Chromium that no
 * page uses, because the session of the page has a proxy that does not exist (`page-network.ts`). `reloads`: whether the
 * settings, such as a PAC script, are read again. Chromium otherwise tries a script that it could not read only after
 * minutes, later after hours.
 */
export async function systemProxies(url: string, { reloads = false } = {}): Promise<ProxyList> {
  try {
    const asked = session.fromPartition('system-proxy')
    await asked.setProxy(config)
    if (reloads) await asked.forceReloadProxyConfig()
    return parseProxyWords(await asked.resolveProxy(url))
  } catch {
    return [null]
  }
}

/**
 * Returns the entries of the system's reply: `PROXY host:3128; DIRECT` gives `['http://host:3128', null]`. The reply
 * comes from Electron's resolveProxy and has the format of PAC scripts. SOCKS is not supported: such entries are left
 * out. Returns `[null]` if no entry remains.
 */
export function parseProxyWords(answer: string): ProxyList {
  const entries = answer.split(';').flatMap((part): ProxyList => {
    const [word = '', host = ''] = part.trim().split(/\s+/)
    if (word.toUpperCase() === 'DIRECT') return [null]
    const scheme = { PROXY: 'http', HTTP: 'http', HTTPS: 'https' }[word.toUpperCase()]
    return scheme && host !== '' && URL.canParse(`${scheme}://${host}`) ? [`${scheme}://${host}`] : []
  })
  return entries.length > 0 ? [...new Set(entries)] : [null]
}

/**
 * Trusts the certificate authorities of the operating system in addition to Node's own, because companies sign the
 * certificates of their servers with their own authorities.
 */
export function trustSystemCertificates(logger: Logger): void {
  try {
    const authorities = new Set([...tls.getCACertificates('default'), ...tls.getCACertificates('system')])
    tls.setDefaultCACertificates([...authorities])
  } catch (error) {
    logger.warn({ err: error }, 'the system certificates cannot be read; only the bundled ones are trusted')
  }
}
