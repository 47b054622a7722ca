import { randomBytes } from 'node:crypto'
import BetterSqlite from 'better-sqlite3'
import { sql } from 'kysely'
import type { CounterName } from '../schema/access.ts'
import { type Connection, continueSequence, nextOfSequence } from './database.ts'

const wmsCodeKey = 'wms_code'

/** Returns the code of the WMS of this database. Null: the database was not seeded yet. */
export async function readWmsCode(connection: Connection): Promise<string | null> {
  const row = await connection
    .selectFrom('meta')
    .select('value')
    .where('key', '=', wmsCodeKey)
    .executeTakeFirst()
  return row?.value ?? null
}

export async function writeWmsCode(connection: Connection, code: string): Promise<void> {
  await connection.insertInto('meta').values({ key: wmsCodeKey, value: code }).execute()
}

type SecretName = 'jwt_secret' | 'signing_secret'

/**
 * Removes a secret from the database, because the secret is now stored elsewhere. The caller must also remove the old
 * values from the files (services/old-values.ts).
 */
export async function removeSecret(database: Connection, name: SecretName): Promise<void> {
  const kept = await database.selectFrom('meta').select('key').where('key', '=', name).executeTakeFirst()
  if (kept === undefined) return
  await database.deleteFrom('meta').where('key', '=', name).execute()
}

/**
 * Deletes both secrets of a database that is not open yet, so that the next start creates new ones. Returns false if
 * the database had no secrets. Throws SQLite's error if the file is no database or cannot be written.
 */
export function forgetSecrets(databaseFile: string): boolean {
  const database = new BetterSqlite(databaseFile, { fileMustExist: true })
  try {
    const hasMeta = database
      .prepare("select 1 from sqlite_master where type = 'table' and name = 'meta'")
      .get()
    if (hasMeta === undefined) return false
    const names: readonly SecretName[] = ['jwt_secret', 'signing_secret']
    return database.prepare('delete from meta where key in (?, ?)').run(...names).changes > 0
  } finally {
    database.close()
  }
}

/**
 * Returns a secret of 256 bits in hex. It is created at the first use and stored, so that tokens and links stay valid
 * after a restart.
 */
export async function persistentSecret(connection: Connection, name: SecretName): Promise<string> {
  await connection
    .insertInto('meta')
    .values({ key: name, value: randomBytes(32).toString('hex') })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  const row = await connection
    .selectFrom('meta')
    .select('value')
    .where('key', '=', name)
    .executeTakeFirstOrThrow()
  return row.value
}

/**
 * Returns the next number of a sequence for references. All customers of the WMS share the sequence. Two committed
 * transactions never get the same number. The number of a transaction that is not committed stays unused with
 * PostgreSQL, and is returned again with SQLite.
 */
export async function nextSerial(connection: Connection, name: CounterName): Promise<number> {
  const next = await nextOfSequence(connection, name)
  if (next !== null) return next
  const row = await connection
    .insertInto('counters')
    .values({ name, value: 1 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: sql<number>`counters.value + 1` }))
    .returning('value')
    .executeTakeFirstOrThrow()
  return row.value
}

/** Makes a sequence continue after `value`, which is the last number in the initial data. */
export async function startSerialAfter(
  connection: Connection,
  name: CounterName,
  value: number,
): Promise<void> {
  await continueSequence(connection, name, value)
  await connection.insertInto('counters').values({ name, value }).execute()
}
