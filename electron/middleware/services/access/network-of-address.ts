import { isIPv6 } from 'node:net'

/**
 * Returns the network whose addresses one caller can use: of an IPv6 address the first 64 bits, of an IPv4 address the
 * whole address, even if it is written in the form of IPv6.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!isIPv6(address)) return address
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length)
  const whole = [...groups, ...Array.from({ length: zeros }, () => '0'), ...after]
  return whole
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/**
 * Returns the site of a network (`networkOf`): of an IPv6 network the first 48 bits, because a company or a customer of
 * a provider can have up to 65,536 such networks. An IPv4 address is its own site.
 */
export function siteOf(network: string): string {
  return network.includes(':') ? network.split(':').slice(0, 3).join(':') : network
}
