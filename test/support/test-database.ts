import { createHash, randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import BetterSqlite from 'better-sqlite3'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, vi } from 'vitest'
import { createLogger } from '#kit/logger.ts'
import { type Database, type DatabasePlace, openDatabase } from '#middleware/data/engine/database.ts'

/**
 * The databases of tests. SCANDESK_TEST_POSTGRES is the URL of a PostgreSQL server on which tests may create databases.
 * If it is set, each database file that a test names is a database on that server, so that the same test runs on both
 * engines (`npm run test:postgres`).
 */
const server = process.env['SCANDESK_TEST_POSTGRES'] ?? null

/** Whether the tests run on PostgreSQL. */
export const isOnPostgres = server !== null

/**
 * Matches the next reference of a sequence. On PostgreSQL it also matches a later reference, because a refused
 * transaction leaves a gap in the sequence.
 */
export function orLater(reference: string): unknown {
  const [kind] = /^[A-Z]+/.exec(reference) ?? ['']
  return isOnPostgres
    ? expect.toSatisfy((text: string) => text.startsWith(kind) && text >= reference)
    : reference
}

const silent = createLogger('test', { level: 'silent' })
/** The databases that this process has created. */
const created = new Map<string, Promise<string>>()

/**
 * Returns the file of a test's database, and on PostgreSQL also its URL. The database is created at the first use.
 * `:memory:`: a new database at each call.
 */
export async function testPlace(databaseFile: string): Promise<DatabasePlace> {
  if (server === null) return { databaseFile }
  const key = databaseFile === ':memory:' ? randomUUID() : databaseFile
  const name = `test_${createHash('sha256').update(key).digest('hex').slice(0, 24)}`
  const known = created.get(name) ?? createDatabase(server, name)
  created.set(name, known)
  return { databaseFile, databaseUrl: await known }
}

/** Opens the database of a test while a server uses it. */
export async function openBeside(databaseFile: string): Promise<Database> {
  return openDatabase(await testPlace(databaseFile), silent)
}

/** Reads or changes the database of a test while a server uses it. The statement has a `?` for each value. */
export async function queryBeside<Row>(
  databaseFile: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const database = await openBeside(databaseFile)
  try {
    const parts = text
      .split('?')
      .map((part, index) => sql`${sql.raw(part)}${index < values.length ? sql.val(values[index]) : sql``}`)
    const { rows } = await sql<Row>`${sql.join(parts, sql``)}`.execute(database)
    return rows
  } finally {
    await database.destroy()
  }
}

/**
 * Deletes a PostgreSQL database of a test. Does nothing on SQLite, where the test deletes the folder of the file
 * itself.
 */
export async function dropTestDatabase({ databaseUrl = null }: DatabasePlace): Promise<void> {
  if (server === null || databaseUrl === null) return
  const name = new URL(databaseUrl).pathname.slice(1)
  created.delete(name)
  await onServer(server, (client) => client.query(`drop database if exists ${name} with (force)`))
}

/** Creates a database on the PostgreSQL server, and returns its URL. Adds the function that deletes it to `ends`. */
export async function freshUrl(ends: (() => unknown)[]): Promise<string> {
  const place = await testPlace(':memory:')
  ends.push(() => dropTestDatabase(place))
  return place.databaseUrl ?? ''
}

/**
 * Creates a database as a copy of the template database, which has the tables, unless it already exists. Returns its
 * URL. Every test begins with such a copy.
 */
async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const template = await templateOf(serverUrl)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  await onServer(serverUrl, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    while (rowCount === 0 && !(await copyTemplate(client, template, name))) await setTimeout(20)
  })
  return url.href
}

/**
 * Copies the database `template`. Returns false if another connection still uses `template`, for example a connection
 * that is about to end.
 */
async function copyTemplate(client: pg.Client, template: string, name: string): Promise<boolean> {
  try {
    await client.query(`create database ${name} template ${template}`)
    return true
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === objectInUse) return false
    throw error
  }
}

const objectInUse = '55006'

let template: Promise<string> | null = null

function templateOf(serverUrl: string): Promise<string> {
  template ??= makeTemplate(serverUrl)
  return template
}

const templateName = 'scandesk_template'

async function makeTemplate(serverUrl: string): Promise<string> {
  await onServer(serverUrl, async (client) => {
    // several test processes run at the same time, and only one of them creates the template database
    await client.query('select pg_advisory_lock(1)')
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [templateName])
    if (rowCount !== 0) return
    await client.query(`create database ${templateName}`)
    const url = new URL(serverUrl)
    url.pathname = `/${templateName}`
    const database = await openDatabase({ databaseFile: ':memory:', databaseUrl: url.href }, silent)
    await database.destroy()
  })
  return templateName
}

async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Makes deletions or updates of rows of a table fail until the returned function is called. `when`: SQL condition on
 * the row `old`.
 */
export async function failBefore(
  databaseFile: string,
  act: 'delete' | 'update',
  table: string,
  when = 'true',
): Promise<() => Promise<void>> {
  const database = await openBeside(databaseFile)
  const run = (text: string): Promise<unknown> => sql.raw(text).execute(database)
  if (isOnPostgres) {
    await run(`create function stop() returns trigger language plpgsql as $$ begin
      if ${when} then raise exception 'stopped'; end if;
      return case when tg_op = 'DELETE' then old else new end;
    end $$`)
    await run(`create trigger stop before ${act} on ${table} for each row execute function stop()`)
  } else
    await run(`create trigger stop before ${act} on ${table} when ${when}
      begin select raise(abort, 'stopped'); end`)
  return async () => {
    await run(isOnPostgres ? `drop trigger stop on ${table}` : 'drop trigger stop')
    await database.destroy()
  }
}

/** Records the statements that servers of this process run. */
export function watchStatements(): { texts(): string[]; end(): void } {
  if (isOnPostgres) {
    const watched = vi.spyOn(pg.Client.prototype, 'query')
    return {
      // a cursor is recorded too: a statement whose rows are read in steps
      texts: () =>
        watched.mock.calls.map(([sent]: unknown[]) => (typeof sent === 'string' ? sent : textOf(sent))),
      end: () => {
        watched.mockRestore()
      },
    }
  }
  // `prepare` is not replaced, because prepared statements are reused
  const watched = (['all', 'iterate', 'run'] as const).map((method) => vi.spyOn(statementClass, method))
  return {
    texts: () =>
      watched.flatMap((method) => method.mock.contexts.map((statement) => (statement as Statement).source)),
    end: () => {
      for (const method of watched) method.mockRestore()
    },
  }
}

type Statement = BetterSqlite.Statement
const statementClass = Object.getPrototypeOf(new BetterSqlite(':memory:').prepare('select 1')) as Pick<
  Statement,
  'all' | 'iterate' | 'run'
>

function textOf(cursor: unknown): string {
  return cursor instanceof Object && 'text' in cursor ? String(cursor.text) : ''
}
