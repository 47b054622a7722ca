import type { Connection } from '../engine/database.ts'

/**
 * Number of old rows that each new row deletes. The number is greater than one, so that the number of old rows falls.
 * It is small, so that no call waits for long.
 */
const deletedAtOnce = 20

/** Returns the times between `after` and `before` at which logins of a key were refused, the oldest first. */
export async function refusedLoginTimes(
  connection: Connection,
  key: string,
  { after, before }: { readonly after: string; readonly before: string },
): Promise<string[]> {
  const rows = await connection
    .selectFrom('refused_logins')
    .select('refused_at')
    .where('key', '=', key)
    .where('refused_at', '>', after)
    .where('refused_at', '<', before)
    .orderBy('refused_at')
    .execute()
  return rows.map(({ refused_at }) => refused_at)
}

/**
 * Stores a refused login and returns its id. Also deletes up to `deletedAtOnce` old rows, whose time is not later than
 * `after`.
 */
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

/**
 * Deletes the refused logins with this `key`. If `id` is given, deletes only the
 * refused login with this id.
 */
export async function deleteRefusedLogins(
  connection: Connection,
  key: string,
  id: number | null = null,
): Promise<void> {
  const all = connection.deleteFrom('refused_logins').where('key', '=', key)
  await (id === null ? all : all.where('id', '=', id)).execute()
}
