import { isPublicHost } from './public-address.ts'
import { fail, ok, type Result } from '../errors/result.ts'

/** Rules for the fields of a station, shared by the form, the main process and provisioning files. */

/** Maximum number of characters in each field. */
export const stationLimits = {
  name: 60,
  baseUrl: 300,
  wmsCode: 60,
  customerCode: 60,
  documentHosts: 500,
} as const
export type StationField = keyof typeof stationLimits

/**
 * Why a text is not a valid server address. `other_scheme`: neither https nor http. `insecure`: http to another
 * computer. `login_inside`: it contains a user name. `query`: it has a part that begins with `?` or `#`, which would be
 * lost when a call appends its own path.
 */
export const addressFaults = ['no_address', 'other_scheme', 'insecure', 'login_inside', 'query'] as const
export type AddressFault = (typeof addressFaults)[number]

/**
 * Returns the fault of a server address, or null. `https://` may be left out. A path is allowed, because the service
 * may be below a path, and each call appends its own path to it (`remote/caller.ts`).
 */
export function addressFault(text: string): AddressFault | null {
  const [, scheme = 'https', rest = ''] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/is.exec(text.trim()) ?? []
  if (!/^https?$/i.test(scheme)) return 'other_scheme'
  const [authority = ''] = rest.split(/[/?#]/, 1)
  if (authority.includes('@')) return 'login_inside'
  const [, host, port = '443'] = /^(\[[\da-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i.exec(authority) ?? []
  if (host === undefined || !isHost(host) || !isPort(Number(port)) || /[\s\\]/.test(rest)) return 'no_address'
  if (/[?#]/.test(rest)) return 'query'
  return scheme.toLowerCase() === 'http' && !isLoopback(host.toLowerCase()) ? 'insecure' : null
}

function isHost(host: string): boolean {
  // a name that ends in a number is an IPv4 address or invalid (URL Standard, host parsing)
  if (/(^|\.)\d+$/.test(host))
    return /^\d+(\.\d+){3}$/.test(host) && host.split('.').every((part) => Number(part) <= 255)
  return host.startsWith('[') || /^[\p{L}\p{M}\p{N}_-]+(\.[\p{L}\p{M}\p{N}_-]+)*\.?$/u.test(host)
}

function isPort(port: number): boolean {
  return port >= 1 && port <= 65_535
}

const loopbackV4 = /^127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/

/**
 * Whether a host name of a URL (lower case, IPv6 in brackets) is this machine. A text such as `127.1.1.999` is no
 * address, so systems resolve it as a name, and another machine may have this name.
 */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || loopbackV4.test(hostname)
}

/** Whether a code is valid. Codes are sent in headers (API.md 1.2), which contain only printable ASCII. */
export function isCode(text: string): boolean {
  return /^[\x20-\x7e]+$/.test(text)
}

/**
 * Parses a list of host names separated by commas, semicolons or white space: further hosts from which the label PDFs
 * of a service may be downloaded. A port is kept unless it is the default (`files.example.com:8443`). Error:
 * station.invalid_host, with the first entry that names this machine or is not a host name.
 */
export function parseHosts(text: string): Result<string[]> {
  const hosts = text
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter((host) => host !== '')
    .map((host) => host.replace(/:443$/, ''))
  const wrong = hosts.find((host) => !isDocumentHost(host))
  return wrong === undefined ? ok(hosts) : fail('station.invalid_host', { host: wrong })
}

function isDocumentHost(host: string): boolean {
  const [name = '', port = '443', ...more] = host.split(':')
  const isName = /^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name) && !/^[\d.]+$/.test(name)
  return isName && isPublicHost(name) && more.length === 0 && /^\d{1,5}$/.test(port) && isPort(Number(port))
}
