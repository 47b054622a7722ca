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

/** `sid` is the id of the login: ours alone, clients do not read it. */
const ownClaims = accessClaims.extend({ sid: z.string().min(1) })

/** Which part of the API a user calls: a warehouse's own, or that of the customers' clients. Nobody calls both. */
export type Door = 'client' | 'warehouse'

export function doorOf(userType: User['userType']): Door {
  return userType === 'warehouse' ? 'warehouse' : 'client'
}

interface AccessToken {
  readonly token: string
  /** Seconds since 1970. */
  readonly iat: number
  readonly exp: number
}

/** The database holds only this hash of a login's id: whoever copies it cannot make a token of that login. */
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
 * Claims of a token we signed for this door, that has not expired and whose login goes on; everything else is refused in
 * the same words. What the user has lost since is left out: roles and customers are those of the token that the user still has.
 */
export async function verifyAccessToken(
  context: ServiceContext,
  token: string | null,
  door: Door,
): Promise<AccessClaims> {
  const claims = token === null ? null : await readOwnToken(context, token)
  const holder = claims === null ? null : await findLoggedIn(context.database, hashLoginId(claims.sid))
  if (claims === null || holder?.userId !== claims.user_id || doorOf(claims.user_type) !== door)
    throw new Refusal('unauthenticated', 'Invalid JWT Token')
  return stillHeld(claims, holder)
}

/** Null: bad, foreign or expired. */
async function readOwnToken(
  context: ServiceContext,
  token: string,
): Promise<z.output<typeof ownClaims> | null> {
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
