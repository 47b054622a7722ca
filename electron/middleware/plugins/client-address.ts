import { BlockList, isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** Returns the IP address of the client that made a request. */
export type ClientAddress = (request: Pick<FastifyRequest, 'ip' | 'headers'>) => string

/**
 * Returns a function for the addresses of clients. `proxies`: the IP addresses of trusted proxies. On a connection from
 * one of them, the client is the last address in the header `X-Forwarded-For`, because the proxy adds this address and
 * the client can forge all earlier ones. On every other connection the client can forge the whole header, so the
 * address is that of the connection, as it is if the last part of the header is no address.
 *
 * Fastify's `trustProxy` is not used: it would also take the host of links from a header.
 */
export function clientAddressBehind(proxies: readonly string[]): ClientAddress {
  const trusted = new BlockList()
  for (const proxy of proxies) trusted.addAddress(proxy, familyOf(proxy))
  return ({ ip, headers }) => {
    // `ip` is no address if the client disconnected before its address was read
    if (isIP(ip) === 0 || !trusted.check(ip, familyOf(ip))) return ip
    const last = [headers['x-forwarded-for'] ?? ''].flat().join().split(',').at(-1)?.trim() ?? ''
    return isIP(last) === 0 ? ip : last
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
