import { BlockList, isIP } from 'node:net'
import { isLoopback } from '#shared/domain/station-fields.ts'

/** Networks that a label's address has no business in: this machine, its neighbours, cloud metadata. */
const privateNetworks = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  privateNetworks.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  privateNetworks.addSubnet(network, prefix, 'ipv6')

/** Whether an IP address (no brackets) lies in a private, local or reserved network; v4-mapped ones are seen through. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 0) return false
  return privateNetworks.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/**
 * Whether a label's PDF may be fetched from here: https at the service's own host or a configured one; plain http only
 * at a service that itself is on this machine. Addresses written as private IPs never pass, unless they are the
 * service's own.
 */
export function mayFetchDocument(url: URL, serviceUrl: URL, documentHosts: readonly string[]): boolean {
  if (url.username !== '' || url.password !== '') return false
  if (url.host === serviceUrl.host && url.protocol === serviceUrl.protocol)
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
  if (url.protocol !== 'https:' || isLoopback(url.hostname)) return false
  if (isPrivateAddress(url.hostname.replaceAll(/[[\]]/g, ''))) return false
  return documentHosts.includes(url.hostname) || url.hostname === serviceUrl.hostname
}
