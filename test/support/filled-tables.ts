import { sql } from 'kysely'
import type { Database } from '#middleware/data/engine/database.ts'
import { tables } from '#middleware/data/schema/schema.ts'
import type { ColumnFacts, Table } from '#middleware/data/schema/table.ts'
import type { CheckedTables } from './query-plans.ts'

type TableName = keyof typeof tables

/** The tables with few rows in any warehouse. All other tables grow with the work of the warehouse. */
const smallTables: Partial<Record<TableName, number>> = {
  meta: 2,
  counters: 6,
  customers: 5,
  users: 20,
  user_customers: 40,
  locations: 500,
  location_types: 10,
  shipping_methods: 10,
  webhooks: 10,
  event_storage: 5,
  document_storage: 5,
  redactions: 10,
}

const rowsOfLargeTable = 10_000

/** The filled tables by their size, for checks of query plans. */
export const filledTables: CheckedTables = {
  large: new Set([...Object.keys(tables).filter((name) => !(name in smallTables)), 'searched_texts']),
  smallIndexes: new Set(
    Object.entries<Table>(tables).flatMap(([table, { rules }]) =>
      Object.entries(rules.indexes ?? {}).flatMap(([name, index]) =>
        // indexes with a condition are small, except the indexes `living…`, which contain nearly all records
        'on' in index && !name.startsWith('living') ? [`${table}_${name}`] : [],
      ),
    ),
  ),
  // Maximum number of rows that a query may sort. A query whose filter leaves only a few rows sorts fewer rows. A query
  // that sorts all rows of the first customer in a large table sorts more.
  mostSorted: rowsOfLargeTable / 4,
}

/**
 * SQL expressions for the values of columns, computed from the number `n` of the row. Only a few records have the
 * values of waiting work, because most records of a warehouse are done. A column without an expression gets a generated
 * value of its type.
 */
const values: Readonly<Record<string, string>> = {
  'orders.status': oneOf('shipped', 30, 'created', 'plannable', 'backorder', 'invalid', 'planned'),
  'orders.address_invalid': 'case when n % 200 = 0 then 1 else 0 end',
  'inbounds.status': oneOf('completed', 30, 'announced', 'transfer', 'processing'),
  'inbounds.type': oneOf('import', 3, 'return'),
  'inbounds.is_return': 'case when n % 4 = 0 then 1 else 0 end',
  'modifications.status': oneOf('approved', 30, 'created'),
  'modifications.reason': `'damaged'`,
  'transfers.status': oneOf('accepted', 30, 'requested', 'processing'),
  'return_labels.state': oneOf('requested', 10, 'cancelled'),
  'shipments.labels': oneOf('[{}]', 50, '[]'),
  'batches.quantity': 'case when n % 3 = 0 then 5 else 0 end',
  'stock_entries.order_id': 'case when n % 2 = 0 then null else orders_id end',
  'stock_entries.batch_id': 'case when n % 2 = 0 then batches_id else null end',
  'exports.family': `'standard'`,
  'exports.type': oneOf('stock', 3, 'orders', 'shipments'),
  'exports.status': oneOf('expired', 20, 'created', 'processing', 'completed', 'failed'),
  'exports.bytes': 'case when n % 20 = 0 then 1000 else 0 end',
  // Each row belongs to an export that has a file. Every 20th export has one.
  'export_parts.export_id': `'exports-' || (20 * (1 + n % 500))`,
  'deliveries.state': oneOf('delivered', 30, 'pending', 'given_up'),
  'webhooks.deleted_at': 'null',
}

/** Returns SQL for a column in which most rows have the usual value. One of `each` rows has one of the other values. */
function oneOf(usual: string, each: number, ...others: readonly string[]): string {
  const cases = others.map((other, at) => `when ${at} then '${other}'`).join(' ')
  return `case when n % ${each} = 0 then case n / ${each} % ${others.length} ${cases} end else '${usual}' end`
}

/**
 * Fills all tables of an empty PostgreSQL database with rows like those of years of work, and runs ANALYZE for the
 * query planner. Records refer to existing records; the first record of a table has the id `table-1`. Most records
 * belong to one customer.
 */
export async function fillTables(database: Database): Promise<void> {
  await database.connection().execute(async (connection) => {
    // turns off triggers and checks of references, because they take longer than the inserts
    await sql`set session_replication_role = replica`.execute(connection)
    for (const name of Object.keys(tables) as TableName[])
      await sql.raw(insertionOf(name)).execute(connection)
    await sql`reset session_replication_role`.execute(connection)
    // runs the trigger that stores the texts for searches, because it was turned off during the inserts
    await sql`update variants set name = name`.execute(connection)
    // also runs VACUUM, which marks rows as visible, as a server in use does from time to time
    await sql`vacuum analyze`.execute(connection)
  })
}

function rowsOf(name: string): number {
  return smallTables[name as TableName] ?? rowsOfLargeTable
}

function insertionOf(name: TableName): string {
  const columns: readonly [string, { facts: ColumnFacts }][] = Object.entries(tables[name].columns)
  const stored = columns.filter(([, { facts }]) => facts.computedFrom === undefined)
  const selected = stored.map(([column, { facts }]) => valueOf(name, column, facts))
  return `insert into ${name} (${stored.map(([column]) => column).join(', ')})
    select ${selected.join(', ')} from generate_series(1, ${rowsOf(name)}) as n on conflict do nothing`
}

function valueOf(table: string, column: string, facts: ColumnFacts): string {
  const chosen = values[`${table}.${column}`]
  if (chosen !== undefined)
    return chosen.replaceAll(/\b(orders|batches)_id\b(?! end as)/g, (_, named: string) => idOf(named, 'n'))
  if (facts.isPrimaryKey && facts.type === 'text')
    return facts.references ? idOf(facts.references, 'n') : idOf(table, 'n')
  if (facts.references !== undefined) return referenceTo(facts.references, column)
  if (facts.isNullable && facts.type !== 'text')
    return `case when n % 50 = 0 then ${plainValue(table, column, facts)} end`
  return plainValue(table, column, facts)
}

function idOf(table: string, number: string): string {
  return `'${table}-' || (${number})`
}

/**
 * Returns SQL for a reference to a record of another table. Each column distributes its references in a different way.
 */
function referenceTo(table: string, column: string): string {
  const rows = rowsOf(table)
  if (table === 'customers') return idOf(table, `case when n % 5 < 4 then 1 else 2 + n % ${rows - 1} end`)
  // `step` and the number of records have no common divisor, so two rows refer to the same record only if the table has
  // more rows than there are records
  const step =
    Array.from(column).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1009, 7) * 10 + 1
  const isNumber = table === 'deliveries'
  const number = `1 + (n * ${step}) % ${rows}`
  return isNumber ? number : idOf(table, number)
}

function plainValue(table: string, column: string, facts: ColumnFacts): string {
  const texts = { json: `'{}'`, bytes: `'\\x255044462d'`, flag: 'n % 2', real: 'n % 97' } as const
  if (facts.type === 'instant') return `timestamptz '2026-01-01Z' + n * interval '2 minutes'`
  if (facts.type === 'date') return `date '2026-01-01' + n % 90`
  if (facts.type === 'sequence' || facts.type === 'integer') return 'n'
  if (facts.type === 'text') return `'${table} ${column} ' || n`
  return texts[facts.type]
}
