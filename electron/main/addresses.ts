import { isIPv4, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import { ippAddress } from '#printing/ipp-client.ts'
import type { PrinterSettings } from '#shared/bridge/printer-views.ts'
import { embeddedBaseUrl } from '#shared/domain/scope.ts'
import { isLoopback } from '#shared/domain/station-fields.ts'

/**
 * Addresses to which main sends data: `https://host:443` of a service, `raw://host:9100` or `ipp://host:631` of a
 * printer. The page can choose the host, and main shows it in a question, so the host is ASCII without spaces.
 */

/** The parts of the settings that contain addresses of services and printers. */
interface Places {
  readonly stations: readonly { readonly baseUrl: string }[]
  readonly printers: readonly { readonly settings: PrinterSettings }[]
}

const standardPorts: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' }

/**
 * Returns the address of a service with a normalised base URL. Returns null for the embedded middleware, which is a
 * process of this app, and for a text that is not an address, because main sends nothing to it.
 */
export function serviceAddress(baseUrl: string): string | null {
  const url = baseUrl === embeddedBaseUrl ? null : URL.parse(baseUrl)
  if (!url) return null
  const { protocol, hostname, port } = url
  return `${protocol}//${hostname}:${port === '' ? (standardPorts[protocol] ?? '') : port}`
}

/**
 * Returns the address of a printer on the network. Returns null for a printer of this computer (a folder, a device
 * file, a print queue of the system or a loopback address) and for an IPP address that cannot be read.
 */
export function printerAddress(settings: PrinterSettings): string | null {
  // each kind of printer has its own case, so that the compiler reports a new kind: without a case, the address of such
  // a printer would be used without a confirmation
  switch (settings.kind) {
    case 'ipp': {
      const address = ippAddress(settings.uri)
      return address && onNetwork(address.isSecure ? 'ipps' : 'ipp', address.host, address.port)
    }
    case 'zpl':
    case 'escpos':
      return settings.device === undefined ? onNetwork('raw', settings.host, settings.port) : null
    case 'folder':
    case 'windows':
      return null
  }
}

function onNetwork(scheme: string, host: string, port: number): string | null {
  const name = asciiHost(host)
  return isLoopback(name) ? null : `${scheme}://${name}:${String(port)}`
}

/**
 * Characters at which `domainToASCII` cuts off the rest of a host name, and characters of an IPv6 zone. If they were
 * allowed, the page could choose a part of the shown host freely.
 */
const notInNames = /[\s/?#\\@:%[\]]/u

function asciiHost(host: string): string {
  if (isIPv6(host) && !host.includes('%')) return `[${host.toLowerCase()}]`
  const name = notInNames.test(host) ? '' : domainToASCII(host)
  // Systems read unusual forms of IPv4 addresses, such as 0177.0.0.1, in different ways, so such an address is shown as
  // it was typed. A text that is not a host name is shown encoded; no connection to it is possible.
  const isOtherForm = isIPv4(name) && name !== host
  return name === '' || isOtherForm ? encodeURIComponent(host.toWellFormed()) : name
}

/** Returns the host and port of an address, as the question shows them. */
export function hostOf(address: string): string {
  return address.slice(address.indexOf('://') + 3)
}

export function addressesOf({ stations, printers }: Places): string[] {
  const all = [
    ...stations.map(({ baseUrl }) => serviceAddress(baseUrl)),
    ...printers.map(({ settings }) => printerAddress(settings)),
  ]
  return [...new Set(all.filter((address) => address !== null))]
}
