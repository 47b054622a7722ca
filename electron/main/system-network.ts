import * as tls from 'node:tls'
import { powerMonitor, session, type ProxyConfig } from 'electron'
import type { NetworkPort } from '#desk/ports/network.ts'
import type { Logger } from '#kit/logger.ts'
import { parseProxyWords } from './proxy-words.ts'

/** A PC that wakes up has a line that nobody has tried since it fell asleep. */
export const systemNetwork: NetworkPort = {
  onBack(listener) {
    powerMonitor.on('resume', listener)
    return () => void powerMonitor.off('resume', listener)
  },
}

let config: ProxyConfig = { mode: 'system' }

/** Sets what `systemProxy` reads instead of the system's settings. */
export function useProxy(given: ProxyConfig): void {
  config = given
}

/**
 * The proxy for an address, as `http://host:port`, or null for none. A session of its own is asked, which no page uses: the
 * page's session has a proxy that does not exist (`page-network.ts`).
 */
export async function systemProxy(url: string): Promise<string | null> {
  const asked = session.fromPartition('system-proxy')
  try {
    await asked.setProxy(config)
    return parseProxyWords(await asked.resolveProxy(url))
  } catch {
    return null
  }
}

/** Adds the certificate authorities that the operating system trusts: companies run middlewares behind their own. */
export function trustSystemCertificates(logger: Logger): void {
  try {
    const authorities = new Set([...tls.getCACertificates('default'), ...tls.getCACertificates('system')])
    tls.setDefaultCACertificates([...authorities])
  } catch (error) {
    logger.warn({ err: error }, 'the system certificates cannot be read; only the bundled ones are trusted')
  }
}
