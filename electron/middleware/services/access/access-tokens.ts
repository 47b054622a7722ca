import { jwtVerify, SignJWT } from 'jose'
import { type AccessClaims, accessClaims } from '#shared/wire/auth.ts'
import { wireRole } from '#shared/wire/roles.ts'
import type { User } from '../../data/access/users.ts'
import type { ServiceContext } from '../context.ts'
import { Refusal } from '../refusal.ts'

const algorithm = 'HS256'

export interface AccessToken {
  readonly token: string
  /** Seconds since 1970. */
  readonly iat: number
  readonly exp: number
}

export async function signAccessToken(context: ServiceContext, user: User): Promise<AccessToken> {
  const iat = Math.floor(context.clock.now() / 1000)
  const exp = iat + context.tokenLifetimeSeconds
  const claims: AccessClaims = {
    iat,
    exp,
    roles: user.roles.map(wireRole),
    username: user.username,
    user_id: user.id,
    user_type: user.userType,
    customer_ids: [...user.customerIds],
  }
  const token = await new SignJWT({ ...claims })
    .setProtectedHeader({ typ: 'JWT', alg: algorithm })
    .sign(context.jwtSecret)
  return { token, iat, exp }
}

/** Claims of a token we signed and that has not expired; everything else is refused in the same words. */
export async function verifyAccessToken(
  context: ServiceContext,
  token: string | null,
): Promise<AccessClaims> {
  if (token !== null) {
    try {
      const { payload } = await jwtVerify(token, context.jwtSecret, {
        algorithms: [algorithm],
        currentDate: new Date(context.clock.now()),
        requiredClaims: ['iat', 'exp'],
      })
      const claims = accessClaims.safeParse(payload)
      if (claims.success) return claims.data
    } catch {
      // Bad, foreign or expired: the answer below is the same for all.
    }
  }
  throw new Refusal('unauthenticated', 'Invalid JWT Token')
}
