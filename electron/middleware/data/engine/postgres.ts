import { createHash } from 'node:crypto'
import {
  type DatabaseConnection,
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  replaceWithNoncontingentExpression,
  sql,
  type Transaction,
} from 'kysely'
import pg from 'pg'
import Cursor from 'pg-cursor'
import { createStatements, postgresTables } from '../schema/create-statements.ts'
import { counterNames } from '../schema/access.ts'
import { type Schema, schemaVersion, tables } from '../schema/schema.ts'
import { untilAccepted } from './conflicts.ts'
import { type Allowance, currentAllowance, noteCommit, takeRows } from './reading-limit.ts'

/** Statements of this process that run at the same time. Others wait for a connection. */
const mostConnections = 10
/** Milliseconds for which a statement waits for a connection before it fails. */
const longestWaitMs = 30_000

/**
 * Opens a PostgreSQL database by its URL and creates the tables in the first schema of its search path if it has none.
 * Processes that start together create them once. All values have the form that SQLite returns (schema/table.ts).
 * Throws a readable message for a database of another version, which stays unchanged, and for one whose texts are not
 * in UTF-8; otherwise the error of the connection.
 */
export async function openPostgresDatabase(
  url: string,
  onConnectionError: (error: Error) => void,
): Promise<Kysely<Schema>> {
  const pool = new pg.Pool({
    ...connectionTo(url, 'serializable'),
    max: mostConnections,
    connectionTimeoutMillis: longestWaitMs,
    Client: LimitedClient,
  })
  // an idle connection that breaks is replaced at the next statement; without a listener it would end the process
  pool.on('error', onConnectionError)
  // the pool does not listen to a connection in use: one that breaks between two statements of a transaction would end
  // the process too; the next statement of the transaction fails
  pool.on('connect', (client) => client.on('error', () => undefined))
  const database = new Kysely<Schema>({
    dialect: {
      createDriver: () => new NotingDriver({ pool }),
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (each) => new PostgresIntrospector(each),
    },
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  })
  try {
    await createTables(database)
  } catch (error) {
    await database.destroy()
    throw error
  }
  return database
}

/**
 * Notes commits for the limit of reads. A statement outside a transaction that the server refuses because of other
 * transactions has changed nothing, so it runs again, as `inTransaction` runs whole transactions again.
 */
class NotingDriver extends PostgresDriver {
  readonly #inTransaction = new WeakSet<DatabaseConnection>()
  readonly #known = new WeakSet<DatabaseConnection>()

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection()
    // kysely has one object for each connection of the pool
    if (this.#known.has(connection)) return connection
    this.#known.add(connection)
    const execute = connection.executeQuery.bind(connection)
    connection.executeQuery = (query) =>
      this.#inTransaction.has(connection) ? execute(query) : untilAccepted(() => execute(query))
    return connection
  }

  override async beginTransaction(
    ...[connection, settings]: Parameters<PostgresDriver['beginTransaction']>
  ): Promise<void> {
    this.#inTransaction.add(connection)
    try {
      await super.beginTransaction(connection, settings)
    } catch (error) {
      this.#inTransaction.delete(connection)
      throw error
    }
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection)
    this.#inTransaction.delete(connection)
    noteCommit()
  }

  override async rollbackTransaction(
    connection: Parameters<PostgresDriver['rollbackTransaction']>[0],
  ): Promise<void> {
    this.#inTransaction.delete(connection)
    await super.rollbackTransaction(connection)
  }
}

/** Milliseconds without a sign of life after which the server ends a connection, so that its locks do not remain. */
const longestSilenceMs = 15_000
/** Milliseconds after which a statement without a response counts as failed. */
const longestStatementMs = 60_000

const settings = {
  timezone: 'UTC',
  datestyle: 'ISO',
  // as on an SSD or in memory: with the standard 4, for disks, PostgreSQL reads and sorts whole tables in place of
  // walking an index
  random_page_cost: 1.1,
  // a process that stands still, or a host that is gone, must not keep the locks of its transaction
  idle_in_transaction_session_timeout: longestSilenceMs,
  statement_timeout: longestStatementMs - 10_000,
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 5,
  tcp_user_timeout: longestSilenceMs,
}

/** Connects with values in the forms of SQLite, and times in UTC. Options in the URL, such as a schema, stay. */
export function connectionTo(url: string, isolation: 'serializable' | 'read committed'): pg.ClientConfig {
  const plain = new URL(url)
  const own = plain.searchParams.get('options')
  // pg would use those of the URL in place of ours
  plain.searchParams.delete('options')
  const ours = Object.entries({ ...settings, default_transaction_isolation: isolation })
    // a space separates options
    .map(([name, value]) => `-c ${name}=${String(value).replaceAll(' ', String.raw`\ `)}`)
    .join(' ')
  return {
    connectionString: plain.href,
    types: {
      getTypeParser: (oid, format): unknown => parsers.get(oid) ?? pg.types.getTypeParser(oid, format),
    },
    options: own === null ? ours : `${own} ${ours}`,
    application_name: 'scandesk',
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
  }
}

const { builtins } = pg.types
const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [builtins.INT8, Number],
  // a sum of whole numbers
  [builtins.NUMERIC, Number],
  [builtins.BOOL, (text) => (text === 't' ? 1 : 0)],
  [builtins.JSON, (text) => text],
  [builtins.DATE, (text) => text],
  [builtins.TIMESTAMPTZ, (text) => instantOf(text)],
])

/** `2026-11-24 05:41:47.12+00` -> `2026-11-24T05:41:47.120Z` */
function instantOf(text: string): string {
  const [seconds = '', fraction = ''] = text.slice(0, -'+00'.length).split('.')
  return `${seconds.replace(' ', 'T')}.${fraction.padEnd(3, '0')}Z`
}

/** Number of rows that are read at a time while a call has a limit. */
const rowsAtOnce = 200

/**
 * Adds the time limit of a statement. Not as an option of the connection, whose timer a cursor would leave running: it
 * would delay the end of the process.
 */
function timed([text, values, ...rest]: readonly unknown[]): unknown[] {
  return typeof text === 'string'
    ? [{ text, values, query_timeout: longestStatementMs }, ...rest]
    : [text, values, ...rest]
}

/** A connection whose reads stop at the limit of their call (reading-limit.ts). */
class LimitedClient extends pg.Client {
  override query(...args: unknown[]): never {
    const [text, values, callback] = args
    const allowance = currentAllowance()
    if (
      allowance === null ||
      typeof text !== 'string' ||
      callback !== undefined ||
      !/^\s*(select|with)\b/.test(text)
    )
      return super.query(...(timed(args) as [string])) as never
    return this.#readInSteps(text, values as unknown[], allowance) as never
  }

  async #readInSteps(
    text: string,
    values: unknown[],
    allowance: Allowance,
  ): Promise<{ command: string; rowCount: number; rows: unknown[] }> {
    // a cursor whose connection ends may wait forever for the response to a read or to its close
    const ended = Promise.withResolvers<never>()
    ended.promise.catch(() => undefined)
    const end = (): void => {
      ended.reject(new Error('Connection terminated unexpectedly'))
    }
    this.once('end', end)
    const cursor = super.query(new Cursor<unknown>(text, values))
    const rows: unknown[] = []
    try {
      for (;;) {
        const read = await Promise.race([cursor.read(rowsAtOnce), ended.promise])
        rows.push(...takeRows(read, allowance))
        if (read.length < rowsAtOnce) return { command: 'SELECT', rowCount: rows.length, rows }
      }
    } finally {
      try {
        await Promise.race([cursor.close(), ended.promise])
      } finally {
        this.off('end', end)
      }
    }
  }
}

/** The lock that a process holds while it creates the tables. */
const creationLock = 'create tables'

async function createTables(database: Kysely<Schema>): Promise<void> {
  // read committed: the process that waited for the lock must see the tables that the other one created
  const transaction = database.transaction().setIsolationLevel('read committed')
  await transaction.execute(async (connection) => {
    await sql`select pg_advisory_xact_lock(${lockNumber(creationLock)})`.execute(connection)
    const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(connection)
    if (rows[0]?.server_encoding !== 'UTF8')
      throw new Error('The PostgreSQL database does not store texts in UTF-8: create it with encoding UTF8.')
    const version = await storedVersion(connection)
    if (version === schemaVersion) return
    if (version !== null)
      throw new Error(
        'The PostgreSQL database was made by another version of the middleware, and stays unchanged: use that version, or a new database.',
      )
    await createExtension(connection)
    const statements = [
      // SQLite has this function too
      `create function instr(whole text, part text) returns integer
        language sql immutable strict parallel safe return strpos(whole, part)`,
      ...createStatements(tables, postgresTables),
      ...counterNames.map((name) => `create sequence serial_${name}`),
      `create table ${versionTable} as select ${schemaVersion} as version`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(connection)
  })
}

/** Creates the extension for the index of parts of texts. */
async function createExtension(connection: Transaction<Schema>): Promise<void> {
  try {
    await sql`create extension if not exists pg_trgm`.execute(connection)
  } catch (error) {
    throw new Error(
      'The PostgreSQL database needs the extension pg_trgm, which could not be created: run "create extension pg_trgm" in it as an administrator.',
      { cause: error },
    )
  }
}

const versionTable = 'schema_version'

/** Returns null for a database without tables, 0 for tables that are not of the middleware. */
async function storedVersion(connection: Transaction<Schema>): Promise<number | null> {
  const { rows } = await sql<{
    name: string
  }>`select tablename as name from pg_tables where schemaname = current_schema()`.execute(connection)
  if (rows.length === 0) return null
  if (!rows.some(({ name }) => name === versionTable)) return 0
  const stored = await sql<{ version: number }>`select version from ${sql.table(versionTable)}`.execute(
    connection,
  )
  return stored.rows[0]?.version ?? 0
}

/** A number for an advisory lock, which has no names. All schemas of a database share the locks. */
function lockNumber(name: string): string {
  return createHash('sha256').update(`scandesk ${name}`).digest().readBigInt64BE().toString()
}
