import type { FastifyServerOptions } from 'fastify'
import { answerFailure } from './failures.ts'
import type { HostRule } from './hosts.ts'
import { securityHeaders } from './security-headers.ts'

/**
 * For a path that no router can read (`/wms/%zz`, an endless id): Fastify answers it before any hook has run, so the
 * host is judged and the headers are set here once more.
 */
export function answerUnroutable(rule: HostRule): NonNullable<FastifyServerOptions['frameworkErrors']> {
  return (error, request, reply) => {
    void reply.headers(securityHeaders)
    void answerFailure(rule(request) ?? error, request, reply)
  }
}
