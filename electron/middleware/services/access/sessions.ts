import { createHash, randomBytes } from 'node:crypto'
import type { LoginRequest, Tokens } from '#shared/wire/auth.ts'
import type { Connection } from '../../data/engine/database.ts'
import {
  consumeRefreshToken,
  deleteExpiredRefreshTokens,
  ownerOfRefreshToken,
  storeRefreshToken,
} from '../../data/access/refresh-tokens.ts'
import { findUser, findUserByName, type User } from '../../data/access/users.ts'
import { signAccessToken } from './access-tokens.ts'
import { type ServiceContext, storedNow } from '../context.ts'
import { customerByCode } from './customers.ts'
import { verifyPassword } from './passwords.ts'
import { Refusal } from '../refusal.ts'

/** api.md does not say how long a refresh token lives: a desk that stood still over a holiday still opens. */
const refreshLifetimeMs = 30 * 24 * 3600 * 1000
const refreshBytes = 64

/**
 * Trades name and password for tokens. Unknown user and wrong password are refused alike. A customer code is not
 * needed yet, but one that the user may not act for is refused here already. `address`: the caller's, for the gate.
 */
export async function logIn(
  context: ServiceContext,
  credentials: LoginRequest,
  customerCode: string | null,
  address: string,
): Promise<Tokens> {
  const user = await findUserByName(context.database, credentials.username)
  const known = await context.loginGate.pass({ username: credentials.username, address }, () =>
    verifyPassword(credentials.password, user?.passwordHash ?? null, context.passwordCost),
  )
  if (user === null || !known) throw new Refusal('unauthenticated', 'Invalid credentials.')
  if (customerCode !== null) await customerByCode(context, user.customerIds, customerCode)
  await deleteExpiredRefreshTokens(context.database, storedNow(context))
  const refreshToken = await issueRefreshToken(context, context.database, user)
  return answer(context, user, refreshToken)
}

/** Trades a refresh token for new tokens, once: a simultaneous second caller is refused like an unknown token. */
export async function refreshSession(
  context: ServiceContext,
  refreshToken: string,
  customerCode: string,
): Promise<Tokens> {
  const now = storedNow(context)
  const hash = hashToken(refreshToken)
  const userId = await ownerOfRefreshToken(context.database, hash, now)
  const user = userId === null ? null : await findUser(context.database, userId)
  if (user === null) throw invalidRefreshToken()
  await customerByCode(context, user.customerIds, customerCode)
  const next = await context.database.transaction().execute(async (transaction) => {
    if (!(await consumeRefreshToken(transaction, hash, now))) throw invalidRefreshToken()
    return issueRefreshToken(context, transaction, user)
  })
  return answer(context, user, next)
}

function invalidRefreshToken(): Refusal {
  return new Refusal('unauthenticated', 'Invalid JWT Refresh Token')
}

async function issueRefreshToken(
  context: ServiceContext,
  connection: Connection,
  user: User,
): Promise<string> {
  const token = randomBytes(refreshBytes).toString('hex')
  await storeRefreshToken(connection, {
    hash: hashToken(token),
    userId: user.id,
    expiresAt: new Date(context.clock.now() + refreshLifetimeMs).toISOString(),
  })
  return token
}

async function answer(context: ServiceContext, user: User, refreshToken: string): Promise<Tokens> {
  return { ...(await signAccessToken(context, user)), refresh_token: refreshToken }
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
