import type { FastifyRequest } from 'fastify'
import { sandbox } from '#shared/domain/sandbox.ts'
import type { AccessClaims } from '#shared/wire/auth.ts'
import { type Role, type WarehouseRole, wireRole } from '#shared/wire/roles.ts'
import { readAccessToken, requireLogin } from '../services/access/access-tokens.ts'
import type { Customer, ServiceContext } from '../services/context.ts'
import { customerByCode } from '../services/access/customers.ts'
import { Refusal } from '../services/refusal.ts'

/** The user who calls, and the customer for which the user acts (API.md 1.2). */
export interface Caller {
  readonly claims: AccessClaims
  readonly customer: Customer
}

/** Code of the development environment of the service (API.md 1.2). The demo accepts it too. */
const developmentCode = 'DEV'

/** Refuses a call that does not name this WMS. The case of letters in codes does not matter. */
export function requireWms(request: FastifyRequest, wmsCode: string | null): void {
  const given = header(request, 'x-wms-code')
  if (given === null) throw new Refusal('invalid', "Missing 'X-Wms-Code' header.")
  const codes = wmsCode === sandbox.wmsCode ? [wmsCode, developmentCode] : [wmsCode]
  if (!codes.some((code) => code?.toLowerCase() === given.toLowerCase()))
    throw new Refusal('invalid', 'Invalid WMS.')
}

/**
 * Returns the code in the header `X-Customer-Code`, which every call of a client except a login needs. Refused with 400
 * if the header is missing.
 */
export function requireCustomerCode(request: FastifyRequest): string {
  const code = customerCode(request)
  if (code === null) throw new Refusal('invalid', "Missing 'X-Customer-Code' header.")
  return code
}

export function customerCode(request: FastifyRequest): string | null {
  return header(request, 'x-customer-code')
}

/**
 * Checks, in this order, the token (401), the customer (400 or 403), the role (403) and `admit`, which throws if the
 * caller may not make the call.
 */
export async function identifyCaller(
  context: ServiceContext,
  request: FastifyRequest,
  role: Role | null,
  admit: (caller: Caller) => Promise<void> = () => Promise.resolve(),
): Promise<Caller> {
  const signed = await readAccessToken(context, bearerToken(request), 'client')
  // the look-up counts towards the limit of the user, not of the network, because behind a proxy all clients have the
  // same network
  return context.turns.identify(signed.user_id, async () => {
    const claims = await requireLogin(context, signed)
    const customer = await customerByCode(context, claims.customer_ids, requireCustomerCode(request))
    const caller = { claims, customer }
    if (role !== null) requireRole(caller, role)
    await admit(caller)
    return caller
  })
}

/** Checks the token (401) and the role (403) of a warehouse user, who acts for no customer. */
export async function identifyWarehouse(
  context: ServiceContext,
  request: FastifyRequest,
  role: WarehouseRole | null,
): Promise<Pick<Caller, 'claims'>> {
  const signed = await readAccessToken(context, bearerToken(request), 'warehouse')
  const caller = {
    claims: await context.turns.identify(signed.user_id, () => requireLogin(context, signed)),
  }
  if (role !== null) requireRole(caller, role)
  return caller
}

/**
 * Returns the idempotency key of a write, under which its response is stored. A key has 1 to 255 visible ASCII
 * characters.
 */
export function requireIdempotencyKey(request: FastifyRequest): string {
  const key = header(request, 'idempotency-key')
  if (key === null) throw new Refusal('invalid', "Missing 'Idempotency-Key' header.")
  if (!/^[!-~]{1,255}$/.test(key))
    throw new Refusal('invalid', "The 'Idempotency-Key' header should be 1 to 255 visible characters.")
  return key
}

/**
 * Refuses with 403 a caller who does not have the role. Used for calls that need a role in addition to that of the
 * route.
 */
export function requireRole(caller: Pick<Caller, 'claims'>, role: Role | WarehouseRole): void {
  if (!holdsRole(caller, role)) throw new Refusal('forbidden', `Missing role ${wireRole(role)}.`)
}

export function holdsRole({ claims }: Pick<Caller, 'claims'>, role: Role | WarehouseRole): boolean {
  return claims.roles.includes(wireRole(role))
}

function bearerToken(request: FastifyRequest): string | null {
  const match = /^Bearer +(\S+)$/i.exec(request.headers.authorization?.trim() ?? '')
  return match?.[1] ?? null
}

/**
 * Returns a header by its lower-case name, without blanks at both ends. Null: it is missing or empty. Node converts
 * header names to lower case.
 */
function header(
  request: FastifyRequest,
  name: 'x-wms-code' | 'x-customer-code' | 'idempotency-key',
): string | null {
  const value = request.headers[name]
  const text = (typeof value === 'string' ? value : (value?.[0] ?? '')).trim()
  return text === '' ? null : text
}
