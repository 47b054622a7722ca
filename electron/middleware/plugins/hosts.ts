import type { FastifyInstance } from 'fastify'
import { Refusal } from '../services/refusal.ts'

const loopback = ['127.0.0.1', 'localhost', '[::1]']

/**
 * Serves only the host names it is known by. A web page that points its own name at this machine (DNS rebinding)
 * still sends its own name here, so it gets nothing. `allowedHosts`: without port, beside the loopback names.
 */
export function guardHosts(app: FastifyInstance, allowedHosts: readonly string[]): void {
  const allowed = new Set([...loopback, ...allowedHosts].map((host) => host.toLowerCase()))
  app.addHook('onRequest', (request, _reply, done) => {
    const name = hostName(request.headers.host ?? '')
    done(allowed.has(name) ? undefined : new Refusal('forbidden', 'This host name is not served here.'))
  })
}

/** `Example.com:8080` -> `example.com`, `[::1]:80` -> `[::1]`. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '')
}
