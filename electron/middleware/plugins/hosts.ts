import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../services/refusal.ts'

const loopback = ['127.0.0.1', 'localhost', '[::1]']

/** What is wrong with the host that a request is for; null: it is served here. */
export type HostRule = (request: Pick<FastifyRequest, 'headers'>) => Refusal | null

/**
 * Serves only the host names it is known by. A web page that points its own name at this machine (DNS rebinding)
 * still sends its own name here, so it gets nothing. `allowedHosts`: without port, beside the loopback names.
 */
export function hostRule(allowedHosts: readonly string[]): HostRule {
  const allowed = new Set([...loopback, ...allowedHosts].map((host) => host.toLowerCase()))
  return ({ headers }) =>
    allowed.has(hostName(headers.host ?? ''))
      ? null
      : new Refusal('forbidden', 'This host name is not served here.')
}

export function guardHosts(app: FastifyInstance, rule: HostRule): void {
  app.addHook('onRequest', (request, _reply, done) => done(rule(request) ?? undefined))
}

/** `Example.com:8080` -> `example.com`, `[::1]:80` -> `[::1]`. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '')
}
