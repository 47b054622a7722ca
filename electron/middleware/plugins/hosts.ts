import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../services/refusal.ts'

const loopback = ['127.0.0.1', 'localhost', '[::1]']

/** What is wrong with the host that a request is for; null: it is served here. */
export type HostRule = (request: Pick<FastifyRequest, 'raw'>) => Refusal | null

/**
 * Serves only the host names it is known by. A web page that points its own name at this machine (DNS rebinding)
 * still sends its own name here, so it gets nothing. `allowedHosts`: without port, beside the loopback names.
 *
 * The host is named once, by one Host header, as name and perhaps port, letter case aside, without user, trailing dot
 * or another spelling of an address. The target is a path by then (`pathOfTarget`): another target names another host.
 */
export function hostRule(allowedHosts: readonly string[]): HostRule {
  const allowed = new Set([...loopback, ...allowedHosts].map((host) => host.toLowerCase()))
  return ({ raw }) => {
    const [host, ...others] = hostsOf(raw)
    const isServed = host !== undefined && allowed.has(hostName(host) ?? '')
    return isServed && others.length === 0 && /^[/*]/.test(raw.url ?? '')
      ? null
      : new Refusal('forbidden', 'This host name is not served here.')
  }
}

export function guardHosts(app: FastifyInstance, rule: HostRule): void {
  app.addHook('onRequest', (request, _reply, done) => done(rule(request) ?? undefined))
}

/**
 * The target of a request as the path that it asks for: a client may send `http://name/path` where the Host header says
 * the same name (RFC 9112, 3.2.2). Every other target stays as it is, and `hostRule` refuses it.
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

/** Every Host header: Node's `headers.host` is the first alone. */
function hostsOf({ rawHeaders }: IncomingMessage): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host')
}

/** `Example.com:8080` -> `example.com`, `[::1]:80` -> `[::1]`; null where there is no port of a number after a colon. */
function hostName(host: string): string | null {
  const [, name, port] = /^([^:[\]]+|\[[^[\]]*\])(?::(\d{1,5}))?$/.exec(host) ?? []
  if (name === undefined || Number(port ?? 0) > 65_535) return null
  return name.toLowerCase()
}
