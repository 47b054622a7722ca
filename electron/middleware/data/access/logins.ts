import { sql } from 'kysely'
import type { Role, WarehouseRole } from '#shared/wire/roles.ts'
import type { Connection } from '../engine/database.ts'
import { readRoles } from '../engine/stored-json.ts'

/** The current rights of the user of a login. */
export interface LoggedIn {
  readonly userId: string
  readonly roles: readonly (Role | WarehouseRole)[]
  readonly customerIds: readonly string[]
}

export async function storeLogin(
  connection: Connection,
  login: { hash: string; userId: string; expiresAt: string },
): Promise<void> {
  await connection
    .insertInto('logins')
    .values({ hash: login.hash, user_id: login.userId, expires_at: login.expiresAt })
    .execute()
}

/** Sets the end of a login. Returns false if the login does not exist or has already ended. */
export async function extendLogin(connection: Connection, hash: string, expiresAt: string): Promise<boolean> {
  const result = await connection
    .updateTable('logins')
    .set({ expires_at: expiresAt })
    .where('hash', '=', hash)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Ends a login with all its refresh tokens. Returns false if the login does not exist or has already ended. */
export async function endLogin(connection: Connection, hash: string): Promise<boolean> {
  const result = await connection.deleteFrom('logins').where('hash', '=', hash).executeTakeFirst()
  return result.numDeletedRows > 0n
}

/** Returns the user of a login. Null: the login is unknown or has ended, or its user was deleted. */
export async function findLoggedIn(connection: Connection, hash: string): Promise<LoggedIn | null> {
  // the query is written as SQL, because every call runs it, and kysely takes longer to build a query than SQLite takes
  // to run it
  const { rows } = await sql<{ id: string; roles: string; customer_id: string | null }>`
    select users.id, users.roles, user_customers.customer_id
    from logins
    join users on users.id = logins.user_id
    left join user_customers on user_customers.user_id = users.id
    where logins.hash = ${hash}`.execute(connection)
  const [row] = rows
  if (row === undefined) return null
  return {
    userId: row.id,
    roles: readRoles(row.roles),
    customerIds: rows.flatMap(({ customer_id }) => customer_id ?? []),
  }
}

/** A refresh token that has not expired. */
export interface RefreshToken {
  readonly userId: string
  /** Hash of the login's id. */
  readonly login: string
  readonly usedAt: string | null
}

export async function storeRefreshToken(
  connection: Connection,
  token: { hash: string; login: string; userId: string; expiresAt: string },
): Promise<void> {
  await connection
    .insertInto('refresh_tokens')
    .values({
      hash: token.hash,
      login: token.login,
      user_id: token.userId,
      expires_at: token.expiresAt,
      used_at: null,
    })
    .execute()
}

/**
 * Returns a refresh token if it was not used yet, or if it is the last used token of its login. Null: the token is
 * unknown, has expired, or belongs to a login that has ended.
 */
export async function findRefreshToken(
  connection: Connection,
  hash: string,
  now: string,
): Promise<RefreshToken | null> {
  const row = await connection
    .selectFrom('refresh_tokens')
    .select(['user_id', 'login', 'used_at'])
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row === undefined ? null : { userId: row.user_id, login: row.login, usedAt: row.used_at }
}

/**
 * Marks a refresh token as used. One statement does this, so that only one of several simultaneous callers receives
 * true.
 */
export async function consumeRefreshToken(
  connection: Connection,
  token: { hash: string; now: string },
): Promise<boolean> {
  const result = await connection
    .updateTable('refresh_tokens')
    .set({ used_at: token.now })
    .where('hash', '=', token.hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', token.now)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Deletes all refresh tokens of a login except the given one. */
export async function forgetEarlierTokens(
  connection: Connection,
  token: { hash: string; login: string },
): Promise<void> {
  await connection
    .deleteFrom('refresh_tokens')
    .where('login', '=', token.login)
    .where('hash', '!=', token.hash)
    .execute()
}

/**
 * Maximum number of logins that each of the two functions below deletes in one call. Each new login calls both. The
 * number is greater than one, so that the number of a user's logins falls until it reaches the limit.
 */
const mostDeletedLogins = 100

/**
 * Ends the logins of a user and their refresh tokens, except the `kept` logins that were used last. A refresh counts as
 * a use. One call ends a limited number of logins, so that no other call waits for long.
 */
export async function endOldestLogins(connection: Connection, userId: string, kept: number): Promise<void> {
  await connection
    .deleteFrom('logins')
    .where('hash', 'in', (logins) =>
      logins
        .selectFrom('logins')
        .select('hash')
        .where('user_id', '=', userId)
        .orderBy('expires_at', 'desc')
        .orderBy('hash', 'desc')
        .limit(mostDeletedLogins)
        .offset(kept),
    )
    .execute()
}

/**
 * Deletes the oldest expired logins with their refresh tokens. One call deletes a limited number, so that no other call
 * waits for long.
 */
export async function deleteExpiredLogins(connection: Connection, now: string): Promise<void> {
  await connection
    .deleteFrom('logins')
    // repeats the condition of the inner query, because another transaction may meanwhile have extended a login that
    // the inner query found
    .where('expires_at', '<=', now)
    .where('hash', 'in', (logins) =>
      logins
        .selectFrom('logins')
        .select('hash')
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(mostDeletedLogins),
    )
    .execute()
}
