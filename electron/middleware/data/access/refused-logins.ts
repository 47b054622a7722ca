import type { Connection } from '../engine/database.ts'

/** Number of old rows that each new one deletes, so that their number falls and no call waits. */
const deletedAtOnce = 20

/** Returns when the logins of a key were refused after `after`, the oldest first. */
export async function refusedLoginTimes(
  connection: Connection,
  key: string,
  after: string,
): Promise<string[]> {
  const rows = await connection
    .selectFrom('refused_logins')
    .select('refused_at')
    .where('key', '=', key)
    .where('refused_at', '>', after)
    .orderBy('refused_at')
    .execute()
  return rows.map(({ refused_at }) => refused_at)
}

/** Adds a refused login, and returns its id. Deletes some rows that are not after `after`. */
export async function addRefusedLogin(
  connection: Connection,
  row: { readonly key: string; readonly refused_at: string },
  after: string,
): Promise<number> {
  await connection
    .deleteFrom('refused_logins')
    .where('id', 'in', (old) =>
      old
        .selectFrom('refused_logins')
        .select('id')
        .where('refused_at', '<=', after)
        .orderBy('refused_at')
        .limit(deletedAtOnce),
    )
    .execute()
  const { id } = await connection
    .insertInto('refused_logins')
    .values(row)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Deletes the refused logins of a key, or only the one with the id. */
export async function deleteRefusedLogins(
  connection: Connection,
  key: string,
  id: number | null = null,
): Promise<void> {
  const all = connection.deleteFrom('refused_logins').where('key', '=', key)
  await (id === null ? all : all.where('id', '=', id)).execute()
}
