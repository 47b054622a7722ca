import { createHash } from 'node:crypto'
import { Socket } from 'node:net'
import {
  CompiledQuery,
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
import { codeOf, isFromReader, runsAlone, TooLongAlone, untilAccepted } from './conflicts.ts'
import { type Allowance, currentAllowance, noteCommit, takeRows } from './reading-limit.ts'

/** Maximum number of connections of this process. Further statements wait until a connection is free. */
const mostConnections = 10
/** Milliseconds for which a statement waits for a connection before it fails. */
const longestWaitMs = 30_000
/** Milliseconds after which the server ends a statement. */
const longestStatementMs = 50_000
/** Default of `silentMs`. It is longer than the longest statement, during which the server may send nothing. */
const usualSilentMs = longestStatementMs + 10_000

/** Limits on the connections to PostgreSQL. */
export interface DatabaseLimits {
  /**
   * Milliseconds without data from or to the server after which a connection is closed. Its statement fails. Default:
   * 60 seconds.
   */
  readonly silentMs?: number
  /** If this signal is aborted, all connections are closed. Statements in progress and later ones fail. */
  readonly ended?: AbortSignal
}

/**
 * Opens a PostgreSQL database by its URL. If the first schema of its search path has no tables, they are created there.
 * If several processes start together, only one of them creates the tables. All values have the form that SQLite
 * returns (schema/table.ts). If the database has another version, throws a readable message and leaves it unchanged.
 * Throws a message too if the texts of the database are not in UTF-8. For any other failure, throws the error of the
 * connection.
 */
export async function openPostgresDatabase(
  url: string,
  onConnectionError: (error: Error) => void,
  limits: DatabaseLimits = {},
): Promise<Kysely<Schema>> {
  const pool = new pg.Pool({
    ...connectionTo(url, 'serializable', limits),
    max: mostConnections,
    connectionTimeoutMillis: longestWaitMs,
    Client: LimitedClient,
  })
  // without a listener for errors, the break of an idle connection would end the process; the next statement uses a new
  // connection
  pool.on('error', onConnectionError)
  // Each connection gets a listener for errors, because the pool listens only to idle connections. Without the
  // listener, a break between two statements of a transaction would end the process. With it, the next statement of the
  // transaction fails.
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
 * Notes commits for the reading limit of a call (reading-limit.ts). Also repeats a single statement outside a
 * transaction if the server refuses the statement because of other transactions. A refused statement has changed
 * nothing. `inTransaction` repeats whole transactions in the same way. A transaction that runs alone (`runsAlone`) for
 * too long fails.
 */
class NotingDriver extends PostgresDriver {
  readonly #inTransaction = new WeakSet<DatabaseConnection>()
  readonly #known = new WeakSet<DatabaseConnection>()
  /** For each connection whose transaction runs alone: the deadline of the transaction (`performance.now`). */
  readonly #aloneUntil = new WeakMap<DatabaseConnection, number>()

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection()
    // the object of a connection is changed only once, because kysely returns the same object each time it uses the
    // connection
    if (this.#known.has(connection)) return connection
    this.#known.add(connection)
    const execute = connection.executeQuery.bind(connection)
    connection.executeQuery = (query) =>
      this.#inTransaction.has(connection)
        ? this.#inTime(connection, () => execute(query))
        : untilAccepted(() => execute(query))
    return connection
  }

  /**
   * Runs a statement of a transaction. If the transaction runs alone, other transactions wait for its end. In this case
   * throws `TooLongAlone` when the transaction or the statement takes too long.
   */
  async #inTime<Result>(connection: DatabaseConnection, statement: () => Promise<Result>): Promise<Result> {
    const until = this.#aloneUntil.get(connection)
    if (until === undefined) return statement()
    if (performance.now() > until) throw new TooLongAlone()
    try {
      return await statement()
    } catch (error) {
      throw codeOf(error) === queryCanceled ? new TooLongAlone() : error
    }
  }

  override async beginTransaction(
    connection: Parameters<PostgresDriver['rollbackTransaction']>[0],
    settings: Parameters<PostgresDriver['beginTransaction']>[1],
  ): Promise<void> {
    this.#inTransaction.add(connection)
    try {
      // The table `versionTable` is locked so that a transaction can run alone (`runsAlone`). A transaction that sets
      // an isolation level does not lock this table: such a transaction sets `read committed`, never runs alone, and
      // does not wait for a transaction that runs alone. The transaction that creates the tables is one of these; it
      // cannot lock `versionTable`, because this table does not exist yet.
      if (settings.isolationLevel !== undefined) await super.beginTransaction(connection, settings)
      else {
        const isAlone = runsAlone()
        await connection.executeQuery(CompiledQuery.raw(beginning(isAlone)))
        if (isAlone) this.#aloneUntil.set(connection, performance.now() + longestAloneMs)
      }
    } catch (error) {
      // ends the transaction here, because it has begun without getting its lock, and kysely does not end such a
      // transaction
      await this.rollbackTransaction(connection)
      throw error
    }
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    this.#aloneUntil.delete(connection)
    await super.commitTransaction(connection)
    this.#inTransaction.delete(connection)
    noteCommit()
  }

  override async rollbackTransaction(
    connection: Parameters<PostgresDriver['rollbackTransaction']>[0],
  ): Promise<void> {
    this.#aloneUntil.delete(connection)
    this.#inTransaction.delete(connection)
    // A rollback fails only if the connection is closed. The server then ends the transaction, and the pool drops the
    // connection. The caller gets the error of its statement, not that of the rollback.
    await super.rollbackTransaction(connection).catch(() => undefined)
  }
}

/**
 * Returns the SQL that begins a transaction and takes a lock. A transaction that runs alone takes the lock exclusively;
 * all others share it. The lock is that of a table, because a transaction takes such a lock before it sees the data. An
 * advisory lock is not suitable: after a wait for it, the transaction would see old data.
 */
function beginning(isAlone: boolean): string {
  return isAlone
    ? `begin; set local lock_timeout = ${longestWaitAloneMs}; lock table ${versionTable} in exclusive mode;
      set local lock_timeout to default; set local statement_timeout = ${longestStatementAloneMs}`
    : `begin; lock table ${versionTable} in row share mode`
}

/**
 * Maximum time in milliseconds for which a transaction that must run alone waits for the end of the transactions that
 * share its lock (`beginning`). It is limited because transactions that begin later wait behind it, and because a
 * transaction of a suspended process possibly does not end. After this time the waiting transaction fails and is tried
 * again.
 */
const longestWaitAloneMs = 3000

/**
 * Two limits, in milliseconds, for a transaction that runs alone: the time until its last statement begins, and the
 * time of each of its statements. They exist because the changes of all processes wait meanwhile.
 */
const longestAloneMs = 3000
const longestStatementAloneMs = 1000
/** The error code (SQLSTATE) of a statement that the server cancelled because it exceeded its time limit. */
const queryCanceled = '57014'

/**
 * Milliseconds after which the PostgreSQL server ends a connection whose open transaction has sent no statement for
 * this time, or whose client has not acknowledged sent data for this time. The locks of the transaction are then
 * released.
 */
const longestSilenceMs = 15_000

const settings = {
  timezone: 'UTC',
  datestyle: 'ISO',
  // `random_page_cost` 1.1 is meant for data on an SSD or in memory; with the default of 4, which is meant for hard
  // disks, PostgreSQL reads and sorts whole tables instead of using an index
  random_page_cost: 1.1,
  // kB of new entries after which PostgreSQL adds them to the index of searched texts; it is the smallest possible
  // number, because each search reads these entries
  gin_pending_list_limit: 64,
  // JIT compilation is off, because compiling a statement would take longer than running it: every statement reads a
  // limited number of rows
  jit: 'off',
  // this timeout releases the locks of a transaction whose process is suspended or whose host has disappeared
  idle_in_transaction_session_timeout: longestSilenceMs,
  statement_timeout: longestStatementMs,
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 5,
  tcp_user_timeout: longestSilenceMs,
}

/**
 * Returns the configuration of a connection that returns values in the forms of SQLite and times in UTC. Options in the
 * URL, such as a schema, remain in effect.
 */
export function connectionTo(
  url: string,
  isolation: 'serializable' | 'read committed',
  limits: DatabaseLimits,
): pg.ClientConfig {
  const plain = new URL(url)
  const own = plain.searchParams.get('options')
  // removes the options from the URL, because pg would use them instead of the options that are set here
  plain.searchParams.delete('options')
  const ours = Object.entries({ ...settings, default_transaction_isolation: isolation })
    // spaces inside an option are escaped, because a space separates two options
    .map(([name, value]) => `-c ${name}=${String(value).replaceAll(' ', String.raw`\ `)}`)
    .join(' ')
  return {
    connectionString: plain.href,
    types: {
      getTypeParser: (oid, format): unknown => parsers.get(oid) ?? pg.types.getTypeParser(oid, format),
    },
    options: own === null ? ours : `${own} ${ours}`,
    application_name: 'scandesk',
    stream: () => limitedSocket(limits),
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
  }
}

/**
 * Creates the socket of a connection. The socket is closed after `silentMs` without data, and when `ended` is aborted.
 * If the host of the database or the network path disappears, the system reports this only after about 15 minutes.
 * Without these two limits, the pool would use the connection again until then, and the process could not end.
 * `silentMs` also ends a read with a cursor if no data arrives for this time.
 */
function limitedSocket({ silentMs = usualSilentMs, ended }: DatabaseLimits): Socket {
  const socket = new Socket()
  const end = (): void => {
    socket.destroy(new Error('Connection terminated because the process stops'))
  }
  ended?.addEventListener('abort', end)
  socket.once('close', () => ended?.removeEventListener('abort', end))
  // `end` runs only in the next tick, because the caller begins to listen to events of the socket when it connects the
  // socket
  if (ended?.aborted === true) process.nextTick(end)
  return socket.setTimeout(silentMs, () => {
    socket.destroy(new Error('Connection terminated because the database did not respond'))
  })
}

const { builtins } = pg.types
const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [builtins.INT8, Number],
  // PostgreSQL returns a sum of whole numbers as NUMERIC, so such values become numbers too
  [builtins.NUMERIC, Number],
  [builtins.BOOL, (text) => (text === 't' ? 1 : 0)],
  [builtins.JSON, (text) => text],
  [builtins.DATE, (text) => text],
  [builtins.TIMESTAMPTZ, (text) => instantOf(text)],
])

/** Converts a time of PostgreSQL: `2026-11-24 05:41:47.12+00` -> `2026-11-24T05:41:47.120Z`. */
function instantOf(text: string): string {
  const [seconds = '', fraction = ''] = text.slice(0, -'+00'.length).split('.')
  return `${seconds.replace(' ', 'T')}.${fraction.padEnd(3, '0')}Z`
}

/** Number of rows that are read at a time for a call with a reading limit. */
const rowsAtOnce = 200

/**
 * A database connection that stops a read at the reading limit of the call (reading-limit.ts), and that closes when a
 * statement shows that its server only reads.
 */
class LimitedClient extends pg.Client {
  override query(...args: unknown[]): never {
    const [text, values, callback] = args
    if (typeof text !== 'string' || callback !== undefined) return super.query(...(args as [string])) as never
    return this.#run(text, values as unknown[]) as never
  }

  /**
   * Runs a statement. If the server of the connection only reads, closes the connection: the pool would use it again
   * for as long as there are calls, also if new connections already reach a server that writes.
   */
  async #run(text: string, values: unknown[]): Promise<object> {
    const allowance = currentAllowance()
    try {
      if (allowance === null || !/^\s*(select|with)\b/.test(text)) return await super.query(text, values)
      return await this.#readInSteps(text, values, allowance)
    } catch (error) {
      if (isFromReader(error)) {
        // the pool drops a client that has ended; the socket is destroyed, so that nothing waits for the server
        void this.end()
        this.connection.stream.destroy()
      }
      throw error
    }
  }

  async #readInSteps(
    text: string,
    values: unknown[],
    allowance: Allowance,
  ): Promise<{ command: string; rowCount: number; rows: unknown[] }> {
    // `ended` rejects when the connection ends, so that the read fails; the cursor alone may wait forever for a
    // response to its read or its close
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

/** The name of the advisory lock that a process holds while it creates the tables. */
const creationLock = 'create tables'

async function createTables(database: Kysely<Schema>): Promise<void> {
  // the isolation level is `read committed`, because a process that has waited for the lock must see the tables that
  // another process created meanwhile
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
      // creates the function `instr`, which the queries call, because it exists in SQLite but not in PostgreSQL
      `create function instr(whole text, part text) returns integer
        language sql immutable strict parallel safe return strpos(whole, part)`,
      ...createStatements(tables, postgresTables),
      ...counterNames.map((name) => `create sequence serial_${name}`),
      `create table ${versionTable} as select ${schemaVersion} as version`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(connection)
  })
}

/** Creates the extension `pg_trgm`, which the index for searches of parts of texts needs. */
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

/**
 * Returns the version of the stored tables. Null: the database has no tables. 0: its tables are not those of the
 * middleware.
 */
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

/**
 * Returns a number for a name, because advisory locks have numbers only. All schemas of a database share these locks.
 */
function lockNumber(name: string): string {
  return createHash('sha256').update(`scandesk ${name}`).digest().readBigInt64BE().toString()
}
