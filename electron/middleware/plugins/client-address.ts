import { BlockList, isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** Returns the IP address of the client that made a request. */
export type ClientAddress = (request: Pick<FastifyRequest, 'ip' | 'headers'>) => string

/**
 * Returns a function for the addresses of clients. `proxies`: the IP addresses of trusted proxies. On a connection from
 * a trusted proxy, the client is the last address in the header `X-Forwarded-For`, because the proxy adds this address
 * and the client can forge all earlier ones. Some proxies also add the port of the client, which is removed. If the
 * last part of the header is no address, the address of the connection is used. It is also used on every other
 * connection, because there the client can forge the whole header.
 *
 * Fastify's `trustProxy` is not used: it would also take the host of links from a header.
 */
export function clientAddressBehind(proxies: readonly string[]): ClientAddress {
  const trusted = new BlockList()
  for (const proxy of proxies) trusted.addAddress(proxy, familyOf(proxy))
  return ({ ip, headers }) => {
    // `ip` of Fastify is no IP address if the client disconnected before the server read the client's address
    if (isIP(ip) === 0 || !trusted.check(ip, familyOf(ip))) return ip
    const added = [headers['x-forwarded-for'] ?? ''].flat().join().split(',').at(-1)?.trim() ?? ''
    const last = withoutPort(added)
    return isIP(last) === 0 ? ip : last
  }
}

/**
 * Removes the port: `192.0.2.1:4711` -> `192.0.2.1`, `[2001:db8::1]:4711` -> `2001:db8::1`. An IPv6 address has a port
 * only after brackets. Every other text stays unchanged.
 */
function withoutPort(text: string): string {
  const [, v6, v4] = /^(?:\[([\da-f:.]+)\]|(\d+(?:\.\d+){3}))(?::\d{1,5})?$/i.exec(text) ?? []
  return v6 ?? v4 ?? text
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
