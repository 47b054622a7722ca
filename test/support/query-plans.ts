import {
  CompiledQuery,
  type KyselyPlugin,
  type PluginTransformQueryArgs,
  type RootOperationNode,
  type UnknownRow,
} from 'kysely'
import { expect } from 'vitest'
import type { Connection, Database } from '#middleware/data/engine/database.ts'

/** A function that sends the statements whose plans are read. */
export type Read = (connection: Connection) => Promise<unknown>

export interface Plan {
  readonly sql: string
  /** The steps of the plan, one line per step. */
  readonly steps: string
}

/**
 * Returns the plans of the queries that `read` sends. If `found` is given, every query returns these rows in place of
 * its result, because later queries depend on the result.
 */
export async function plansOf(
  database: Database,
  read: Read,
  found: readonly UnknownRow[] | null = null,
): Promise<Plan[]> {
  const asked = await queriesOf(database, read, found)
  return Promise.all(
    asked.map(async (query) => {
      const explained = CompiledQuery.raw(`EXPLAIN QUERY PLAN ${query.sql}`, [...query.parameters])
      const { rows } = await database.executeQuery<{ detail: string }>(explained)
      return { sql: query.sql, steps: rows.map(({ detail }) => detail).join('\n') }
    }),
  )
}

/** Runs `read` and returns its queries. If `found` is given, every query returns these rows in place of its result. */
async function queriesOf(
  connection: Connection,
  read: Read,
  found: readonly UnknownRow[] | null,
): Promise<CompiledQuery[]> {
  const asked: CompiledQuery[] = []
  const watch: KyselyPlugin = {
    transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
      asked.push(connection.getExecutor().compileQuery(node, queryId))
      return node
    },
    transformResult: ({ result }) =>
      Promise.resolve(found === null ? result : { ...result, rows: [...found] }),
  }
  await read(connection.withPlugin(watch))
  return asked
}

/** Returns the steps of the plan of the first query that `read` sends. */
export async function planOf(database: Database, read: Read): Promise<string> {
  const [first] = await plansOf(database, read)
  if (first === undefined) throw new Error('Nothing was asked')
  return first.steps
}

/** Returns the steps of the plan of each query that `read` sends. */
export async function stepsOf(database: Database, read: Read): Promise<string[]> {
  return (await plansOf(database, read)).map(({ steps }) => steps)
}

/**
 * Checks a plan of SQLite: it begins with a search in an index by the customer, reads no whole table and sorts nothing.
 */
export const walksAnIndex = (steps: string): void => {
  expect(steps).toMatch(/^SEARCH \w+ USING (COVERING )?INDEX \w+ \(customer_id=\?/)
  expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
}

/** A step of a query plan of PostgreSQL. */
interface PostgresStep {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Plan Rows': number
  readonly Plans?: readonly PostgresStep[]
}

/** Facts about the tables of a database, for the check of its query plans. */
export interface CheckedTables {
  /** The names of the tables that no statement may read as a whole. */
  readonly large: ReadonlySet<string>
  /** The names of the indexes that a statement may read as a whole, because they contain few rows. */
  readonly smallIndexes: ReadonlySet<string>
  /** Maximum number of rows that a statement may sort. */
  readonly mostSorted: number
}

/**
 * Returns the faults of the plans of PostgreSQL for the queries of `read`, each with its query: steps that read a whole
 * large table or a whole index of it, and steps that sort too many rows. The changes of the queries are rolled back.
 * Throws if there was no query.
 */
export async function postgresFaults(
  database: Database,
  tables: CheckedTables,
  read: Read,
  found: readonly UnknownRow[] | null = null,
): Promise<string[]> {
  const plans = await postgresPlans(database, read, found)
  return plans.flatMap(({ root, sql }) => faultsIn(root, tables, false).map((fault) => `${fault}: ${sql}`))
}

/**
 * Returns the names of the indexes of `table` that occur in the PostgreSQL plans for the queries of `read`. A name is
 * '' if a plan reads the table without an index. Each query returns `found` in place of its result. If `found` is
 * empty, a `read` that first finds the ids of a page does not send the query for the rows with these ids. The changes
 * of the queries are rolled back. Throws if there was no query.
 */
export async function postgresIndexes(
  database: Database,
  table: string,
  read: Read,
  found: readonly UnknownRow[] = [],
): Promise<string[]> {
  const names = (step: PostgresStep): string[] => {
    const inner = (step.Plans ?? []).flatMap(names)
    const isIndex = step['Index Name']?.startsWith(`${table}_`) === true
    // a `Bitmap Heap Scan` also reads the table, but it is not counted, because a step inside it names the index
    const isRead = step['Relation Name'] === table && step['Node Type'] !== 'Bitmap Heap Scan'
    return isIndex || isRead ? [step['Index Name'] ?? '', ...inner] : inner
  }
  return (await postgresPlans(database, read, found)).flatMap(({ root }) => names(root))
}

/**
 * Returns the conditions with which the PostgreSQL plans for the queries of `read` search indexes of `table`. The
 * changes of the queries are rolled back. Throws if there was no query.
 */
export async function postgresConditions(database: Database, table: string, read: Read): Promise<string[]> {
  const conditions = (step: PostgresStep): string[] => {
    const inner = (step.Plans ?? []).flatMap(conditions)
    const isIndex = step['Index Name']?.startsWith(`${table}_`) === true
    return isIndex && step['Index Cond'] !== undefined ? [step['Index Cond'], ...inner] : inner
  }
  return (await postgresPlans(database, read, null)).flatMap(({ root }) => conditions(root))
}

/** Returns the plans of PostgreSQL for the queries of `read`, each with its query. */
async function postgresPlans(
  database: Database,
  read: Read,
  found: readonly UnknownRow[] | null,
): Promise<{ readonly sql: string; readonly root: PostgresStep }[]> {
  const transaction = await database.startTransaction().execute()
  try {
    const asked = await queriesOf(transaction, read, found)
    if (asked.length === 0) throw new Error('Nothing was asked')
    const plans: { sql: string; root: PostgresStep }[] = []
    for (const { sql, parameters } of asked) {
      const explained = CompiledQuery.raw(`explain (format json) ${sql}`, [...parameters])
      const { rows } = await transaction.executeQuery<{ 'QUERY PLAN': string }>(explained)
      const [first] = JSON.parse(rows[0]?.['QUERY PLAN'] ?? '[]') as { Plan: PostgresStep }[]
      if (first === undefined) throw new Error(`No plan of ${sql}`)
      plans.push({ sql, root: first.Plan })
    }
    return plans
  } finally {
    await transaction.rollback().execute()
  }
}

/**
 * Returns the faults of a step of a PostgreSQL query plan and of its inner steps: a step reads a whole large table or a
 * whole index of it, or sorts too many rows. `isLimited`: the step ends when it has found a limited number of rows.
 */
function faultsIn(step: PostgresStep, tables: CheckedTables, isLimited: boolean): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', Plans: inner = [] } = step
  const faults: string[] = []
  if (tables.large.has(table)) {
    if (type === 'Seq Scan') faults.push(`scans ${table}`)
    const isWhole = /^Index (Only )?Scan/.test(type) && step['Index Cond'] === undefined && !isLimited
    if (isWhole && !tables.smallIndexes.has(step['Index Name'] ?? ''))
      faults.push(`scans an index of ${table}`)
  }
  const sorted = type === 'Sort' ? (inner[0]?.['Plan Rows'] ?? 0) : 0
  if (sorted > tables.mostSorted) faults.push(`sorts ${sorted} rows`)
  const areLimited = type === 'Limit' || (isLimited && type !== 'Sort')
  return [...faults, ...inner.flatMap((each) => faultsIn(each, tables, areLimited))]
}
