import { createHash, randomBytes } from 'node:crypto'
import type { LoginRequest, Tokens } from '#shared/wire/auth.ts'
import { type Connection, inWritingTransaction } from '../../data/engine/database.ts'
import {
  consumeRefreshToken,
  deleteExpiredLogins,
  endOldestLogins,
  endLogin,
  extendLogin,
  findLoggedIn,
  findRefreshToken,
  forgetEarlierTokens,
  type RefreshToken,
  storeLogin,
  storeRefreshToken,
} from '../../data/access/logins.ts'
import { findUser, findUserByName, type User } from '../../data/access/accounts.ts'
import { type Door, doorOf, hashLoginId, signAccessToken } from './access-tokens.ts'
import { type ServiceContext, storedNow } from '../context.ts'
import { customerByCode } from './customers.ts'
import { networkOf } from './network-of-address.ts'
import { verifyPassword } from './passwords.ts'
import { Refusal } from '../refusal.ts'

/**
 * Lifetime of a refresh token, which API.md 1.2 does not define. With 30 days, a desk that was switched off over a
 * holiday stays logged in.
 */
const refreshLifetimeMs = 30 * 24 * 3600 * 1000

/**
 * A refresh token is the id of its login and 48 random bytes, in hex: 128 characters. The database has at most two
 * tokens of a login: the unused token and the last used token. An older token is not stored, but the login id in it
 * identifies its login.
 */
const loginIdBytes = 16
const refreshBytes = 48

/**
 * Milliseconds after the use of a refresh token in which sending the token again does not end its login. Within this
 * time, two calls of the client were simultaneous, or the client repeats a call whose response was lost. The token is
 * refused, but the login stays, because the first caller may have the new tokens. If the token is sent later, it was
 * copied, or its client has lost the new tokens. In both cases the login ends.
 */
const raceMs = 10_000

/**
 * Maximum number of logins of one user, far more than the number of clients that a user has. Without a limit, a client
 * that logs in for each call would fill the disk.
 */
const mostLoginsOfUser = 200

interface LoginCall {
  readonly door: Door
  readonly customerCode: string | null
  /** The caller's IP address, by which refused logins are counted. */
  readonly address: string
  /** Returns whether the client has disconnected. */
  readonly hasLeft: () => boolean
}

/**
 * Returns tokens for a user name and a password. Unknown user and wrong password are refused with the same message. A
 * customer code is optional, but a code that the user may not act for is refused here. Null: the client disconnected
 * before the turn of the login, so no login was stored.
 */
export async function logIn(
  context: ServiceContext,
  credentials: LoginRequest,
  { door, customerCode, address, hasLeft }: LoginCall,
): Promise<Tokens | null> {
  const found = await context.turns.lookUp(networkOf(address), () =>
    findUserByName(context.database, credentials.username),
  )
  // users of the warehouse API log in at another path than users of the other API; at the wrong path a user is treated
  // as unknown
  const user = found !== null && doorOf(found.userType) === door ? found : null
  const known = await context.loginGate.pass({ username: credentials.username, address }, () =>
    verifyPassword(credentials.password, user?.passwordHash ?? null, context.passwordCost),
  )
  if (user === null || !known) throw new Refusal('unauthenticated', 'Invalid credentials.')
  if (customerCode !== null) await customerByCode(context, user.customerIds, customerCode)
  const loginId = randomBytes(loginIdBytes).toString('hex')
  const refreshToken = await inTurnOf(context, user, hasLeft, () =>
    inWritingTransaction(context.database, async (transaction) => {
      await deleteExpiredLogins(transaction, storedNow(context))
      await endOldestLogins(transaction, user.id, mostLoginsOfUser - 1)
      await storeLogin(transaction, {
        hash: hashLoginId(loginId),
        userId: user.id,
        expiresAt: refreshEnd(context),
      })
      return issueRefreshToken(context, transaction, user, loginId)
    }),
  )
  return refreshToken === null ? null : answer(context, user, loginId, refreshToken)
}

/**
 * Returns new tokens for a refresh token, which works once. A simultaneous second call with the same token is refused
 * like an unknown token. If a used token is sent again later, its login ends, with every token of that login. Null: the
 * client disconnected before the turn of the refresh, so the refresh token stays unused.
 */
export async function refreshSession(
  context: ServiceContext,
  refreshToken: string,
  call: LoginCall,
): Promise<Tokens | null> {
  const loginId = refreshToken.slice(0, 2 * loginIdBytes)
  const { found, user } = await context.turns.lookUp(networkOf(call.address), () =>
    findRefresh(context, refreshToken, call),
  )
  context.loginGate.passRefresh(found.login)
  const next = await inTurnOf(context, user, call.hasLeft, () =>
    inWritingTransaction(context.database, async (transaction) => {
      const token = { hash: hashToken(refreshToken), now: storedNow(context) }
      // This transaction and the deletion of a login both change the row of the login first, so they cannot deadlock.
      // From this change until the commit no other transaction can end the login or use its tokens.
      if (!(await extendLogin(transaction, found.login, refreshEnd(context)))) throw invalidRefreshToken()
      if (!(await consumeRefreshToken(transaction, token))) throw invalidRefreshToken()
      await forgetEarlierTokens(transaction, { hash: token.hash, login: found.login })
      return issueRefreshToken(context, transaction, user, loginId)
    }),
  )
  return next === null ? null : answer(context, user, loginId, next)
}

/**
 * Returns an unused refresh token and its user. Refused if there is none, or if the user may not act for the customer.
 * Ends the login of a token that was used more than `raceMs` milliseconds ago, and of a token that is not stored
 * although it contains the id of a login.
 */
async function findRefresh(
  context: ServiceContext,
  refreshToken: string,
  { door, customerCode }: LoginCall,
): Promise<{ found: RefreshToken; user: User }> {
  const found = await findRefreshToken(context.database, hashToken(refreshToken), storedNow(context))
  if (found === null) {
    // the token is an old one of this login, or a caller made it up from the login id in an access token
    await endReused(context, hashLoginId(refreshToken.slice(0, 2 * loginIdBytes)))
    throw invalidRefreshToken()
  }
  const user = await findUser(context.database, found.userId)
  if (user === null || doorOf(user.userType) !== door) throw invalidRefreshToken()
  if (found.usedAt !== null) return refuseReuse(context, found, found.usedAt)
  if (customerCode !== null) await customerByCode(context, user.customerIds, customerCode)
  return { found, user }
}

/**
 * Runs a transaction of a login. The transactions of all logins of one user run one at a time (`Turns`). Otherwise many
 * desks of a user that log in or refresh at the same time would use all connections to the database, and the calls of
 * other customers would wait. Returns null, without running the transaction, if the client disconnected before the
 * turn. Otherwise the client's refresh token would be used although the client does not receive the new tokens, and the
 * next refresh of the client would end the login.
 */
function inTurnOf<Result>(
  { turns }: Pick<ServiceContext, 'turns'>,
  user: User,
  hasLeft: LoginCall['hasLeft'],
  work: () => Promise<Result>,
): Promise<Result | null> {
  return turns.runFor(`logins of ${user.id}`, async () => (hasLeft() ? null : work()))
}

async function refuseReuse(context: ServiceContext, token: RefreshToken, usedAt: string): Promise<never> {
  if (context.clock.now() - Date.parse(usedAt) > raceMs) await endReused(context, token.login)
  throw invalidRefreshToken()
}

async function endReused(context: ServiceContext, login: string): Promise<void> {
  const loggedIn = await findLoggedIn(context.database, login)
  if (loggedIn === null) return
  if (await endLogin(context.database, login))
    context.logger.warn(
      { user: loggedIn.userId },
      'a used or unknown refresh token of a login was received; the login is ended',
    )
}

function invalidRefreshToken(): Refusal {
  return new Refusal('unauthenticated', 'Invalid JWT Refresh Token')
}

function refreshEnd(context: ServiceContext): string {
  return new Date(context.clock.now() + refreshLifetimeMs).toISOString()
}

async function issueRefreshToken(
  context: ServiceContext,
  connection: Connection,
  user: User,
  loginId: string,
): Promise<string> {
  const token = loginId + randomBytes(refreshBytes).toString('hex')
  await storeRefreshToken(connection, {
    hash: hashToken(token),
    login: hashLoginId(loginId),
    userId: user.id,
    expiresAt: refreshEnd(context),
  })
  return token
}

async function answer(
  context: ServiceContext,
  user: User,
  loginId: string,
  refreshToken: string,
): Promise<Tokens> {
  return { ...(await signAccessToken(context, user, loginId)), refresh_token: refreshToken }
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
