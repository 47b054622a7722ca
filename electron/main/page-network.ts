import type { CommandLine as ChromiumSwitches, ProxyConfig } from 'electron'
import { isAppUrl } from './app-files.ts'

// Blocks the page's access to the network, which the page does not need: its files come from app://, its data come
// through the bridge, and main's own requests use Node's HTTP client. Several measures are combined, because none of
// them alone blocks all kinds of network access that Chromium gives a page.

/**
 * A host name that never exists (RFC 6761). A request to it, or through it as a proxy, fails before a packet is sent.
 */
const nowhere = 'nowhere.invalid'

/**
 * Returns the Chromium switches that block network access of pages. They must be set before Electron's app is ready.
 *
 * - Every connection, even one to this machine, must use a proxy that does not exist. This covers HTTP, WebSocket,
 *   QUIC, and TURN over TCP, which no request handler sees. Chromium's own requests fail for the same reason.
 * - WebRTC must not use UDP without a proxy. Two switches are set for this, because the name of the switch depends on
 *   the version of Chromium.
 * - `<link rel=dns-prefetch>` is disabled: a host name can carry data, and no policy and no handler sees the DNS
 *   request.
 * - Other requests can still resolve host names. A rule that blocks this (`MAP *`) would also break the system's proxy
 *   scripts (PAC), which Chromium evaluates for main (`system-network.ts`).
 *
 * @param devServer - origin of the server of `npm run dev`, the only address that stays reachable; null in an installed
 * app.
 */
export function networkSwitches(
  devServer: string | null,
): readonly (readonly [name: string, value?: string])[] {
  // `<-loopback>` makes connections to this machine use the proxy too
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
    // these switches disable features that use the network: speech recognition sends sound to a server; presentations
    // and remote playback search the network for devices
    ['disable-speech-api'],
    ['disable-presentation-api'],
    ['disable-remote-playback-api'],
  ]
}

/** Switches of Chromium that also set a proxy. If one of them is set, Chromium ignores `proxy-server`. */
const proxySwitches = ['no-proxy-server', 'proxy-auto-detect', 'proxy-pac-url']

/**
 * Blocks network access of Chromium's pages. Must run before Electron's app is ready.
 * @returns the proxy for main's own requests: the proxy from the app's command line, otherwise the system's.
 */
export function closeNetwork(switches: ChromiumSwitches, devServer: string | null): ProxyConfig {
  const proxy = givenProxy(switches)
  for (const name of proxySwitches) switches.removeSwitch(name)
  for (const [name, value] of networkSwitches(devServer)) switches.appendSwitch(name, value)
  return proxy
}

/**
 * Returns the proxy that the command line sets. If several switches set a proxy, the order of precedence is that of
 * Chromium.
 */
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
 * Returns the origin of the development server; null in an installed app, or if `address` is not a URL. `npm run dev`
 * sets this address in the environment. Main calls this in a development build only.
 */
export function devServerOf(isPackaged: boolean, address: string | undefined): string | null {
  return isPackaged || address === undefined || !URL.canParse(address) ? null : new URL(address).origin
}

/**
 * Whether a page may make a request. The app's own files are always allowed. In development the development server
 * (also over WebSocket) and the files of the developer tools are allowed too.
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
