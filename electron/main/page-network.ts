import type { CommandLine as ChromiumSwitches, ProxyConfig } from 'electron'
import { isAppUrl } from './app-files.ts'

// Takes the network from the page, which needs none: its files are served at app://, its data by the bridge, and main's
// own requests use Node's HTTP client. Several means are combined, because no single one covers every way out of a
// page.

/**
 * A name that never exists (RFC 6761), so that a request through it as proxy or address fails before a packet is sent.
 */
const nowhere = 'nowhere.invalid'

/**
 * Returns Chromium's switches that take the network from its pages, for the time before the app is ready.
 *
 * - Every connection must use a proxy that does not exist, also to this machine: HTTP, WebSocket, QUIC, and TURN over
 *   TCP, which no request handler sees. Chromium's own requests fail there as well.
 * - WebRTC may not use UDP without a proxy. Versions of Chromium differ in the name of that switch.
 * - `<link rel=dns-prefetch>` is disabled: a host name can carry data, and no policy and no handler sees the lookup.
 * - Host names in general are not mapped to nothing (`MAP *`), because that also stops the proxy scripts of the system
 *   (PAC), which Chromium evaluates for main (`system-network.ts`).
 *
 * @param devServer - origin of the server of `npm run dev`, the only address that stays reachable; null in an installed
 * app.
 */
export function networkSwitches(
  devServer: string | null,
): readonly (readonly [name: string, value?: string])[] {
  // '<-loopback>': without it addresses of this machine bypass a proxy
  const bypass = devServer === null ? '<-loopback>' : `<-loopback>;${new URL(devServer).host}`
  return [
    ['proxy-server', `http://${nowhere}:1`],
    ['proxy-bypass-list', bypass],
    ['host-resolver-rules', `MAP ${nowhere} ~NOTFOUND`],
    ['disable-quic'],
    ['webrtc-ip-handling-policy', 'disable_non_proxied_udp'],
    ['force-webrtc-ip-handling-policy', 'disable_non_proxied_udp'],
    ['blink-settings', 'dnsPrefetchingEnabled=false'],
    ['no-pings'],
    // speech recognition sends sound to a server; presentations and remote playback search for devices on the network
    ['disable-speech-api'],
    ['disable-presentation-api'],
    ['disable-remote-playback-api'],
  ]
}

/** Switches that set a proxy and take precedence over `proxy-server`. */
const proxySwitches = ['no-proxy-server', 'proxy-auto-detect', 'proxy-pac-url']

/**
 * Takes the network from Chromium. Must run before the app is ready.
 * @returns the proxy for main's own requests: the one with which the app was started, or the system's.
 */
export function closeNetwork(switches: ChromiumSwitches, devServer: string | null): ProxyConfig {
  const proxy = givenProxy(switches)
  for (const name of proxySwitches) switches.removeSwitch(name)
  for (const [name, value] of networkSwitches(devServer)) switches.appendSwitch(name, value)
  return proxy
}

/** Reads the proxy of the command line in Chromium's own order of precedence. */
function givenProxy(switches: ChromiumSwitches): ProxyConfig {
  if (switches.hasSwitch('no-proxy-server')) return { mode: 'direct' }
  if (switches.hasSwitch('proxy-auto-detect')) return { mode: 'auto_detect' }
  const pacScript = switches.getSwitchValue('proxy-pac-url')
  if (pacScript !== '') return { mode: 'pac_script', pacScript }
  const proxyRules = switches.getSwitchValue('proxy-server')
  if (proxyRules === '') return { mode: 'system' }
  return {
    mode: 'fixed_servers',
    proxyRules,
    proxyBypassRules: switches.getSwitchValue('proxy-bypass-list'),
  }
}

/**
 * Returns the origin of the server of `npm run dev`, which sets it in the environment; null in an installed app. Main
 * calls this in a development build only.
 */
export function devServerOf(isPackaged: boolean, address: string | undefined): string | null {
  return isPackaged || address === undefined || !URL.canParse(address) ? null : new URL(address).origin
}

/**
 * Whether a page may make a request: only for the app's own files, and in development also to the development server,
 * which uses WebSocket too, and for the developer tools' own files.
 */
export function mayRequest(url: string, devServer: string | null): boolean {
  if (isAppUrl(url)) return true
  if (devServer === null || !URL.canParse(url)) return false
  const { protocol, host } = new URL(url)
  if (protocol === 'devtools:') return true
  const allowed = new URL(devServer)
  return (
    host === allowed.host &&
    (protocol === allowed.protocol || protocol === allowed.protocol.replace('http', 'ws'))
  )
}
