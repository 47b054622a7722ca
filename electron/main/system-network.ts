import * as tls from 'node:tls'
import { powerMonitor, session, type ProxyConfig } from 'electron'
import type { NetworkPort } from '#desk/ports/network.ts'
import type { Logger } from '#kit/logger.ts'

/** Reports when the PC wakes from sleep, because its network connection may have changed. */
export const systemNetwork: NetworkPort = {
  onBack(listener) {
    powerMonitor.on('resume', listener)
    return () => void powerMonitor.off('resume', listener)
  },
}

let config: ProxyConfig = { mode: 'system' }

/** Sets the proxy that `systemProxy` uses instead of the system's settings. */
export function useProxy(given: ProxyConfig): void {
  config = given
}

/**
 * Returns the proxy for an address as `http://host:port` or `https://host:port`; null if no proxy is needed or the
 * proxy cannot be read. The proxy is read from a session of Chromium that no page uses, because the session of the page
 * has a proxy that does not exist (`page-network.ts`). `reloads`: whether the settings, such as a PAC script, are read
 * again. Chromium otherwise tries a script that it could not read only after minutes, later after hours.
 */
export async function systemProxy(url: string, { reloads = false } = {}): Promise<string | null> {
  const asked = session.fromPartition('system-proxy')
  try {
    await asked.setProxy(config)
    if (reloads) await asked.forceReloadProxyConfig()
    return parseProxyWords(await asked.resolveProxy(url))
  } catch {
    return null
  }
}

/**
 * Returns the first proxy in the system's reply as an address: `PROXY host:3128; DIRECT` gives `http://host:3128`.
 * Returns null if there is none, or if `DIRECT` comes before it. The reply comes from Electron's resolveProxy and has
 * the format of PAC scripts. SOCKS is not supported: a SOCKS entry is skipped, and the next entry is used.
 */
export function parseProxyWords(answer: string): string | null {
  for (const part of answer.split(';')) {
    const [word = '', host = ''] = part.trim().split(/\s+/)
    if (word.toUpperCase() === 'DIRECT') return null
    const scheme = { PROXY: 'http', HTTP: 'http', HTTPS: 'https' }[word.toUpperCase()]
    if (scheme && URL.canParse(`${scheme}://${host}`) && host !== '') return `${scheme}://${host}`
  }
  return null
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
