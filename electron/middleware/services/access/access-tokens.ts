import { createHash } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { type AccessClaims, accessClaims } from '#shared/wire/auth.ts'
import { wireRole } from '#shared/wire/roles.ts'
import { findLoggedIn, type LoggedIn } from '../../data/access/logins.ts'
import type { User } from '../../data/access/accounts.ts'
import type { ServiceContext } from '../context.ts'
import { Refusal } from '../refusal.ts'

const algorithm = 'HS256'

/** The claims of a token with `sid`, the id of the login. Only this service reads `sid`. */
const ownClaims = accessClaims.extend({ sid: z.string().min(1) })

/**
 * The part of the API that a user calls: the warehouse's part or the clients' part. A user may call only one of these
 * parts.
 */
export type Door = 'client' | 'warehouse'

export function doorOf(userType: User['userType']): Door {
  return userType === 'warehouse' ? 'warehouse' : 'client'
}

interface AccessToken {
  readonly token: string
  /** Time at which the token was signed, in seconds since 1970. */
  readonly iat: number
  readonly exp: number
}

/** The database stores only this hash of a login's id, so a copy of the database is not enough to create a token. */
export function hashLoginId(loginId: string): string {
  return createHash('sha256').update(loginId).digest('hex')
}

export async function signAccessToken(
  context: ServiceContext,
  user: User,
  loginId: string,
): Promise<AccessToken> {
  const iat = Math.floor(context.clock.now() / 1000)
  const exp = iat + context.tokenLifetimeSeconds
  const claims: z.output<typeof ownClaims> = {
    iat,
    exp,
    roles: user.roles.map(wireRole),
    username: user.username,
    user_id: user.id,
    user_type: user.userType,
    customer_ids: [...user.customerIds],
    sid: loginId,
  }
  const token = await new SignJWT({ ...claims })
    .setProtectedHeader({ typ: 'JWT', alg: algorithm })
    .sign(context.jwtSecret)
  return { token, iat, exp }
}

/**
 * Returns the claims of a token without a read of the database. The token must be signed by this service for the part
 * `door` of the API, and must not have expired. Every other token is refused with the message of `requireLogin`.
 */
export async function readAccessToken(
  context: ServiceContext,
  token: string | null,
  door: Door,
): Promise<OwnClaims> {
  const claims = token === null ? null : await readOwnToken(context, token)
  if (claims === null || doorOf(claims.user_type) !== door) throw invalidToken()
  return claims
}

/**
 * Returns the claims of a token, without the roles and customers that its user has lost since the token was signed.
 * Refused if the login of the token has ended.
 */
export async function requireLogin(context: ServiceContext, claims: OwnClaims): Promise<AccessClaims> {
  const holder = await findLoggedIn(context.database, hashLoginId(claims.sid))
  if (holder?.userId !== claims.user_id) throw invalidToken()
  return stillHeld(claims, holder)
}

function invalidToken(): Refusal {
  return new Refusal('unauthenticated', 'Invalid JWT Token')
}

type OwnClaims = z.output<typeof ownClaims>

/**
 * Cache of the claims of verified tokens: one map for each signing secret, ordered by last use, with the most recently
 * used token last. Most calls repeat a token, and verifying a signature takes longer than all other checks of a call.
 */
const verified = new WeakMap<Uint8Array, Map<string, OwnClaims>>()
/** Maximum number of cached tokens, and maximum number of characters of a cached token. */
const mostVerified = 1_000
const longestVerified = 8_000

/** Returns null if the token is malformed, signed by another service or expired. */
async function readOwnToken(context: ServiceContext, token: string): Promise<OwnClaims | null> {
  const known = verified.get(context.jwtSecret)?.get(token)
  const claims = known ?? (await verifyOwnToken(context, token))
  if (claims === null || claims.exp <= Math.floor(context.clock.now() / 1000)) return null
  keepVerified(context.jwtSecret, token, claims)
  return claims
}

function keepVerified(secret: Uint8Array, token: string, claims: OwnClaims): void {
  if (token.length > longestVerified) return
  const tokens = verified.get(secret) ?? new Map<string, OwnClaims>()
  verified.set(secret, tokens)
  tokens.delete(token)
  tokens.set(token, claims)
  const [oldest] = tokens.size > mostVerified ? tokens.keys() : []
  if (oldest !== undefined) tokens.delete(oldest)
}

async function verifyOwnToken(context: ServiceContext, token: string): Promise<OwnClaims | null> {
  try {
    const { payload } = await jwtVerify(token, context.jwtSecret, {
      algorithms: [algorithm],
      currentDate: new Date(context.clock.now()),
      requiredClaims: ['iat', 'exp'],
    })
    return ownClaims.safeParse(payload).data ?? null
  } catch {
    return null
  }
}

function stillHeld(claims: AccessClaims, holder: LoggedIn): AccessClaims {
  const roles = new Set(holder.roles.map(wireRole))
  const customerIds = new Set(holder.customerIds)
  return {
    ...claims,
    roles: claims.roles.filter((role) => roles.has(role)),
    customer_ids: claims.customer_ids.filter((id) => customerIds.has(id)),
  }
}
