import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { AccessClaims } from '#shared/wire/auth.ts'
import type { WarehouseRole } from '#shared/wire/roles.ts'
import type { Route } from '#shared/wire/routes.ts'
import { identifyWarehouse, requireIdempotencyKey, requireWms } from '../plugins/callers.ts'
import { runOnce } from '../services/warehouse/calls.ts'
import type { WarehousePort } from '../services/warehouse/port.ts'
import {
  type Answer,
  answerInTurn,
  configOf,
  guardedFailures,
  type Inputs,
  inputs,
  kindOf,
  type RouteHost,
  schemaOf,
} from './register.ts'

type WarehouseRoute = Route<WarehouseRole>

/**
 * The inputs of the handler of a command by a warehouse user: the inputs of the call, and `port`, which has all
 * commands of a warehouse. The handler must not call the port more than once, because the port runs only one command
 * for an idempotency key.
 */
interface Write<R extends WarehouseRoute> extends Inputs<R> {
  readonly port: WarehousePort
}

/** Adds a route on which a warehouse user reads data of all customers. */
export function registerWarehouseRead<R extends WarehouseRoute>(
  host: RouteHost,
  route: R,
  handler: (call: Inputs<R>) => Answer<R>,
): void {
  serve(host, route, (request) => handler(inputs<R>(request)))
}

/** Adds a route on which a warehouse user sends a command with an idempotency key. */
export function registerWarehouseWrite<R extends WarehouseRoute>(
  host: RouteHost,
  route: R,
  handler: (call: Write<R>) => Answer<R>,
): void {
  serve(host, route, (request, claims) => {
    const call = inputs<R>(request)
    const run = runOnce(host.context, {
      userId: claims.user_id,
      key: requireIdempotencyKey(request),
      fingerprint: fingerprintOf(route, call),
    })
    return handler({ ...call, port: host.warehouse.port(run) })
  })
}

function serve<R extends WarehouseRoute>(
  host: RouteHost,
  route: R,
  answer: (request: FastifyRequest, claims: AccessClaims) => Answer<R>,
): void {
  const isKeyed = route.method !== 'GET'
  const callers = new WeakMap<FastifyRequest, AccessClaims>()
  host.app.route({
    method: route.method,
    url: route.path,
    schema: schemaOf(route, guardedFailures, ['token', 'wms']),
    config: configOf(route, { isKeyed, needsToken: true }),
    onRequest: async (request) => {
      requireWms(request, host.wmsCode)
      const { claims } = await identifyWarehouse(host.context, request, route.role)
      request.owner = claims.user_id
      host.turns.requireRoom({ owner: request.owner, kind: kindOf(route) })
      if (isKeyed) requireIdempotencyKey(request)
      callers.set(request, claims)
    },
    handler: async (request, reply) => {
      const claims = callers.get(request)
      if (claims === undefined) throw new Error('A handler ran before the caller was authenticated')
      await answerInTurn(host, route, { owner: claims.user_id, reply }, () => answer(request, claims))
      return reply
    },
  })
}

/** Matches an id, which a client may send in capitals. */
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * Computes the fingerprint of a call from its parsed inputs, so that the order of fields, null in place of a missing
 * field, and the case of ids do not change the fingerprint.
 */
function fingerprintOf(route: WarehouseRoute, { params, body }: Inputs<WarehouseRoute>): string {
  const text = JSON.stringify([route.method, route.path, params, body], (_, value: unknown) =>
    typeof value === 'string' && uuid.test(value) ? value.toLowerCase() : (value ?? undefined),
  )
  return createHash('sha256').update(text).digest('hex')
}
