import {
  CompiledQuery,
  type KyselyPlugin,
  type PluginTransformQueryArgs,
  type RootOperationNode,
  type UnknownRow,
} from 'kysely'
import { expect } from 'vitest'
import type { Database } from '#middleware/data/engine/database.ts'

type Read = (connection: Database) => Promise<unknown>

export interface Plan {
  readonly sql: string
  /** The steps of the engine, one line per step. */
  readonly steps: string
}

/** The plans of the queries of `read`. Each query finds the rows of `found` if given, which decide on later queries. */
export async function plansOf(
  database: Database,
  read: Read,
  found: readonly UnknownRow[] | null = null,
): Promise<Plan[]> {
  const asked: CompiledQuery[] = []
  const watch: KyselyPlugin = {
    transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
      asked.push(database.getExecutor().compileQuery(node, queryId))
      return node
    },
    transformResult: ({ result }) =>
      Promise.resolve(found === null ? result : { ...result, rows: [...found] }),
  }
  await read(database.withPlugin(watch))
  return Promise.all(
    asked.map(async (query) => {
      const explained = CompiledQuery.raw(`EXPLAIN QUERY PLAN ${query.sql}`, [...query.parameters])
      const { rows } = await database.executeQuery<{ detail: string }>(explained)
      return { sql: query.sql, steps: rows.map(({ detail }) => detail).join('\n') }
    }),
  )
}

/** The steps of the first query. */
export async function planOf(database: Database, read: Read): Promise<string> {
  const [first] = await plansOf(database, read)
  if (first === undefined) throw new Error('Nothing was asked')
  return first.steps
}

/** The steps of all queries. */
export async function stepsOf(database: Database, read: Read): Promise<string[]> {
  return (await plansOf(database, read)).map(({ steps }) => steps)
}

/** Checks that a plan neither reads a whole table nor sorts its result. */
export const walksAnIndex = (steps: string): void => {
  expect(steps).toMatch(/^SEARCH \w+ USING (COVERING )?INDEX \w+ \(customer_id=\?/)
  expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
}
