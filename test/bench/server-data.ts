import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import pg from 'pg'
import { z } from 'zod'
import { createLogger } from '#kit/logger.ts'
import { openDatabase } from '#middleware/data/engine/database.ts'
import { createStatements, sqliteTables } from '#middleware/data/schema/create-statements.ts'
import { tables as allTables } from '#middleware/data/schema/schema.ts'
import type { Table } from '#middleware/data/schema/table.ts'
import { counterNames } from '#middleware/data/schema/access.ts'
import { sandbox } from '#shared/domain/sandbox.ts'
import { bulkVariant } from '#support/bulk-goods.ts'
import { firstLine, spawnCli } from '#support/middleware-children.ts'
import { shareOf } from './bench-share.ts'
import { say } from './progress.ts'

const tables: Readonly<Record<string, Table>> = allTables

/** Number of variants that are added to the demo's customer. */
export const variantCount = shareOf(1_000_000, 5_000)
const variantsOfArticle = 10
const lotCount = shareOf(100_000, 1_000)
export const shipmentCount = shareOf(100_000, 2_000)

const folder = resolve(import.meta.dirname, '../../out/bench-server')

/**
 * Returns a new folder with a database of the middleware (SQLite) that has `variantCount` variants. The database is
 * created in out/ at the first run, and later runs copy it. The caller removes the folder.
 */
export async function copyOfSqliteData(): Promise<string> {
  const source = await sqliteData()
  const copy = mkdtempSync(join(tmpdir(), 'scandesk-bench-server-'))
  cpSync(source, join(copy, 'middleware.db'), { mode: constants.COPYFILE_FICLONE })
  return copy
}

/** Returns the path of the database in out/, which the benches never change. */
async function sqliteData(): Promise<string> {
  const schema = createStatements(tables, sqliteTables).join('\n')
  const counts = [variantCount, lotCount, shipmentCount].join(' ')
  const version = createHash('sha256').update(`1 ${counts} ${schema}`).digest('hex').slice(0, 12)
  const file = join(folder, `${version}.db`)
  if (existsSync(file)) return file
  say(`storing ${variantCount} variants in out/bench-server, once …`)
  mkdirSync(folder, { recursive: true })
  const made = mkdtempSync(join(folder, 'made-'))
  const child = spawnCli('--data', made, '--seed', 'demo')
  await firstLine(child)
  child.kill()
  if (child.exitCode === null) await once(child, 'exit')
  const database = new BetterSqlite(join(made, 'middleware.db'))
  try {
    addGoods(database)
  } finally {
    database.close()
  }
  renameSync(join(made, 'middleware.db'), file)
  rmSync(made, { recursive: true })
  return file
}

/** Adds variants with their articles, lots and shipments to the customer of the demo. */
function addGoods(database: BetterSqlite.Database): void {
  database.pragma('journal_mode = delete')
  database.pragma('synchronous = off')
  const indexes = database
    .prepare<[], { name: string; sql: string }>(
      `select name, sql from sqlite_master where type = 'index' and sql is not null
       and tbl_name in ('articles', 'variants', 'batches', 'shipments')`,
    )
    .all()
  const customer = database
    .prepare<[string], { id: string }>('select id from customers where code = ?')
    .get(sandbox.customerCode)
  if (customer === undefined) throw new Error('the demo has no customer')
  database.transaction(() => {
    // deletes the waiting exports of the demo, because the server would write them during the measurements
    database.exec(`delete from exports where status in ('created', 'processing')`)
    for (const { name } of indexes) database.exec(`drop index ${name}`)
    const ids = addVariants(database, customer.id)
    addLots(database, customer.id, ids)
    addShipments(database, customer.id)
    for (const { sql } of indexes) database.exec(sql)
  })()
  database.pragma('journal_mode = wal')
}

function addVariants(database: BetterSqlite.Database, customerId: string): string[] {
  const addArticle = inserter(database, 'articles')
  const addVariant = inserter(database, 'variants')
  const ids: string[] = []
  let articleId = ''
  for (let number = 0; number < variantCount; number++) {
    const { expirable, using_serial_numbers: usesSerials, ...variant } = bulkVariant(number)
    const times = { created_at: variant.created_at, modified_at: variant.modified_at, deleted_at: null }
    if (number % variantsOfArticle === 0) {
      articleId = uuid('a', number)
      addArticle({ id: articleId, customer_id: customerId, name: variant.name, ...times })
    }
    addVariant({
      ...variant,
      ...times,
      article_id: articleId,
      customer_id: customerId,
      expirable: Number(expirable),
      using_serial_numbers: Number(usesSerials),
      stock_modified_at: times.modified_at,
    })
    ids.push(variant.id)
  }
  return ids
}

function addLots(database: BetterSqlite.Database, customerId: string, variants: readonly string[]): void {
  const add = inserter(database, 'batches')
  const locations = database
    .prepare<[], string>(`select id from locations where pickable = 1 order by code`)
    .pluck()
    .all()
  for (let number = 0; number < lotCount; number++)
    add({
      id: uuid('b', number),
      customer_id: customerId,
      variant_id: variants[(number * 7) % variants.length],
      location_id: locations[number % locations.length],
      quantity: 1 + (number % 50),
      expiration_date: null,
      inbound_id: null,
      created_at: new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString(),
    })
}

/**
 * Adds shipments with one line each, as copies of a shipment of the demo. Their times are evenly distributed over the
 * last half year.
 */
function addShipments(database: BetterSqlite.Database, customerId: string): void {
  const add = inserter(database, 'shipments')
  const addLine = inserter(database, 'shipment_lines')
  const like = database
    .prepare<[string], Record<string, unknown>>(
      `select * from shipments where customer_id = ? and labels <> '[]' order by reference limit 1`,
    )
    .get(customerId)
  const halfAYearMs = 183 * 24 * 3600_000
  for (let number = 0; number < shipmentCount; number++) {
    const id = shipmentId(number)
    const at = new Date(Date.now() - Math.floor((halfAYearMs * number) / shipmentCount)).toISOString()
    const names = {
      reference: `SHP9${String(number).padStart(10, '0')}`,
      order_external_reference: shipmentOrder(number),
    }
    add({ ...like, id, ...names, order_id: null, created_at: at, modified_at: at })
    const { id: variantId, article_code, ean, sku } = bulkVariant((number * 13) % variantCount)
    const line = { shipment_id: id, position: 0, variant_id: variantId, quantity: 1, serial_numbers: '[]' }
    addLine({ ...line, article_code, ean, sku })
  }
}

export function shipmentId(number: number): string {
  return uuid('5', number)
}

/** The order reference with which a desk asks the service for a shipment that the desk has not stored. */
export function shipmentOrder(number: number): string {
  return `BENCH-${String(number).padStart(7, '0')}`
}

function uuid(kind: string, number: number): string {
  const digest = createHash('sha256').update(`${kind} ${number}`).digest('hex')
  return [digest.slice(0, 8), digest.slice(8, 12), `4${digest.slice(13, 16)}`, `a${digest.slice(17, 20)}`]
    .concat(digest.slice(20, 32))
    .join('-')
}

/** The columns of a table that are stored, not computed. */
function storedColumns(table: string): string[] {
  return Object.entries(tables[table]?.columns ?? {}).flatMap(([name, { facts }]) =>
    facts.computedFrom === undefined ? [name] : [],
  )
}

function inserter(
  database: BetterSqlite.Database,
  table: string,
): (row: Readonly<Record<string, unknown>>) => void {
  const columns = storedColumns(table)
  const statement = database.prepare(
    `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  )
  return (row) => void statement.run(columns.map((column) => row[column]))
}

/**
 * Copies the rows of the SQLite database to an empty PostgreSQL database, so that both engines serve the same rows. The
 * rows are passed in files that the PostgreSQL server reads.
 */
export async function copyToPostgres(databaseUrl: string): Promise<void> {
  const source = await sqliteData()
  say(`copying ${variantCount} variants to PostgreSQL …`)
  const made = await openDatabase({ databaseFile: '', databaseUrl }, createLogger('bench'))
  await made.destroy()
  const client = new pg.Client({ connectionString: databaseUrl })
  const sqlite = new BetterSqlite(source, { readonly: true })
  const files = mkdtempSync(join(tmpdir(), 'scandesk-bench-copy-'))
  chmodSync(files, 0o755)
  await client.connect()
  try {
    // foreign keys and triggers are off, because SQLite has already checked the rows; only the trigger of the search
    // index is on
    await client.query('set session_replication_role = replica')
    await client.query('alter table variants enable always trigger searched_texts_stored')
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `select indexname as name, indexdef as definition from pg_indexes where schemaname = 'public'
       and tablename in ('articles', 'variants', 'batches', 'shipments', 'searched_texts') and indexname not in
       (select conname from pg_constraint)`,
    )
    for (const { name } of indexes) await client.query(`drop index "${name}"`)
    for (const table of Object.keys(tables)) {
      const file = join(files, `${table}.csv`)
      await writeCsv(sqlite, table, file)
      await client.query(`copy ${table} (${storedColumns(table).join(', ')}) from '${file}' (format csv)`)
      rmSync(file)
      await continueNumbers(client, table)
    }
    await client.query('alter table variants enable trigger searched_texts_stored')
    for (const { definition } of indexes) await client.query(definition)
    // sets the sequences from which PostgreSQL takes the numbers of references; SQLite takes these numbers from rows of
    // `counters`
    for (const name of counterNames)
      await client.query(
        `select setval('serial_${name}', (select coalesce(max(value), 0) + 1 from counters where name = '${name}'))`,
      )
    await client.query('vacuum analyze')
  } finally {
    sqlite.close()
    await client.end()
    rmSync(files, { recursive: true })
  }
}

async function continueNumbers(client: pg.Client, table: string): Promise<void> {
  const [column] =
    Object.entries(tables[table]?.columns ?? {}).find(([, { facts }]) => facts.type === 'sequence') ?? []
  if (column === undefined) return
  await client.query(
    `select setval(pg_get_serial_sequence('${table}', '${column}'), (select coalesce(max(${column}), 0) + 1 from ${table}))`,
  )
}

const rowsAtOnce = 5_000

async function writeCsv(database: BetterSqlite.Database, table: string, path: string): Promise<void> {
  writeFileSync(path, '', { mode: 0o644 })
  const file = await open(path, 'a')
  let lines: string[] = []
  const flush = async (): Promise<void> => {
    await file.writeFile(lines.join(''))
    lines = []
  }
  const rows = database.prepare<[], unknown[]>(`select ${storedColumns(table).join(', ')} from ${table}`)
  for (const row of rows.raw().iterate()) {
    lines.push(`${row.map(csvValue).join(',')}\n`)
    if (lines.length === rowsAtOnce) await flush()
  }
  await flush()
  await file.close()
}

function csvValue(value: unknown): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text =
    value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : z.string().parse(value)
  return `"${text.replaceAll('"', '""')}"`
}
