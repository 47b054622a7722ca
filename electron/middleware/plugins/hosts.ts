import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../services/refusal.ts'

const loopback = ['127.0.0.1', 'localhost', '[::1]']

/** Returns the refusal of a request with a wrong host. Null: the host of the request is correct. */
export type HostRule = (request: Pick<FastifyRequest, 'raw'>) => Refusal | null

/**
 * Serves only the configured host names, and the address to which the client has connected, because a machine may get
 * new addresses while the server runs. A web page that points its own name at this machine (DNS rebinding) still sends
 * its own name, so it receives no data. `allowedHosts`: without port, in addition to the loopback names.
 *
 * The request must have one Host header with a name and an optional port. Letter case does not matter. A user, a
 * trailing dot or another spelling of an address is refused. The target must already be a path (`pathOfTarget`),
 * because any other target names another host.
 */
export function hostRule(allowedHosts: readonly string[]): HostRule {
  const allowed = new Set([...loopback, ...allowedHosts].map((host) => host.toLowerCase()))
  return ({ raw }) => {
    const [host = '', ...others] = hostsOf(raw)
    const name = hostName(host)
    const isServed = name !== null && (allowed.has(name) || name === ownAddress(raw.socket))
    return isServed && others.length === 0 && /^[/*]/.test(raw.url ?? '')
      ? null
      : new Refusal('forbidden', 'This host name is not served here.')
  }
}

export function guardHosts(app: FastifyInstance, rule: HostRule): void {
  app.addHook('onRequest', (request, _reply, done) => done(rule(request) ?? undefined))
}

/**
 * Returns the path of a request's target. A client may send `http://name/path` if the Host header has the same name
 * (RFC 9112, 3.2.2). Every other target stays unchanged; `hostRule` refuses it if it is not a path.
 */
export function pathOfTarget(request: IncomingMessage): string {
  const target = request.url ?? ''
  const [host] = hostsOf(request)
  const [start = ''] = /^http:\/\//i.exec(target) ?? []
  if (start === '' || host === undefined) return target
  const [authority = ''] = /^[^/?#]*/.exec(target.slice(start.length)) ?? []
  if (authority.toLowerCase() !== host.toLowerCase()) return target
  const path = target.slice(start.length + authority.length)
  return path.startsWith('/') ? path : `/${path}`
}

/** Returns the values of all Host headers, because Node's `headers.host` contains only the first one. */
function hostsOf({ rawHeaders }: IncomingMessage): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host')
}

/**
 * Returns the address of this machine to which the client has connected, as a Host header has it. Null: the connection
 * has ended.
 */
function ownAddress({ localAddress }: Pick<IncomingMessage['socket'], 'localAddress'>): string | null {
  if (localAddress === undefined) return null
  // a socket of IPv6 that also accepts IPv4 reports the address in this form
  const plain = localAddress.replace(/^::ffff:(?=\d+\.)/i, '')
  // clients leave out the zone of a link-local address (`fe80::1%eth0`)
  const [address = plain] = plain.split('%', 1)
  return isIPv6(address) ? `[${address}]` : address
}

/**
 * Returns the name in a Host header: `Example.com:8080` -> `example.com`, `[::1]:80` -> `[::1]`. Null if the part after
 * a colon is not a port number.
 */
function hostName(host: string): string | null {
  const [, name, port] = /^([^:[\]]+|\[[^[\]]*\])(?::(\d{1,5}))?$/.exec(host) ?? []
  if (name === undefined || Number(port ?? 0) > 65_535) return null
  return name.toLowerCase()
}
