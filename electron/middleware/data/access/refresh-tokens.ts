import type { Connection } from '../engine/database.ts'

export async function storeRefreshToken(
  connection: Connection,
  token: { hash: string; userId: string; expiresAt: string },
): Promise<void> {
  await connection
    .insertInto('refresh_tokens')
    .values({ hash: token.hash, user_id: token.userId, expires_at: token.expiresAt })
    .execute()
}

/** Whose token it is while it can still be used; null when unknown, used or expired. */
export async function ownerOfRefreshToken(
  connection: Connection,
  hash: string,
  now: string,
): Promise<string | null> {
  const row = await connection
    .selectFrom('refresh_tokens')
    .select('user_id')
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row?.user_id ?? null
}

/** Uses the token up in one statement: of any number of simultaneous callers exactly one is told true. */
export async function consumeRefreshToken(
  connection: Connection,
  hash: string,
  now: string,
): Promise<boolean> {
  const result = await connection
    .deleteFrom('refresh_tokens')
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return result.numDeletedRows === 1n
}

export async function deleteExpiredRefreshTokens(connection: Connection, now: string): Promise<void> {
  await connection.deleteFrom('refresh_tokens').where('expires_at', '<=', now).execute()
}
