import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Operation, readOperations } from '#support/api-operations.ts'
import { count, seed } from '#support/counts.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { RandomClient } from '#support/random-client.ts'
import { type Wish, wishFor } from '#support/random-requests.ts'

const operations = readOperations()
/** Whether other bodies refer to it: a created record or a delivery of an event. */
const isReferredTo = (name: string): boolean =>
  (name.startsWith('POST ') && !name.includes(':id')) || name === 'GET /webhooks/:id/deliveries/'

let folder: string
let server: TestServer
let client: RandomClient
let tables: { counts(): Record<string, number>; promised(): number; close(): void }

async function begin(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'scandesk-random-'))
  const databaseFile = join(folder, 'middleware.db')
  server = await startTestServer({ databaseFile, exportDelayMs: 0 })
  client = new RandomClient(server)
  tables = rowCounter(databaseFile)
}

async function end(): Promise<void> {
  tables.close()
  await server.close()
  rmSync(folder, { recursive: true })
}

/**
 * Counts the rows of every table, except those written after their response, and those of logins, because a refused
 * second use of a refresh token ends its login and deletes rows.
 */
function rowCounter(file: string): typeof tables {
  const database = new BetterSqlite(file, { readonly: true })
  const names = z
    .array(z.object({ name: z.string() }))
    .parse(
      database
        .prepare(
          "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('export_parts', 'redactions', 'delivery_attempts', 'logins', 'refresh_tokens')",
        )
        .all(),
    )
  const statements = names.map(({ name }) => ({
    name,
    statement: database.prepare(`SELECT COUNT(*) AS n FROM "${name}"`),
  }))
  const promised = database.prepare(
    `SELECT (SELECT COUNT(*) FROM redactions) + (SELECT COUNT(*) FROM event_portions)
       + (SELECT COUNT(*) FROM webhooks WHERE deleted_at IS NOT NULL) AS n`,
  )
  return {
    counts: () =>
      Object.fromEntries(
        statements.map(({ name, statement }) => [name, z.object({ n: z.number() }).parse(statement.get()).n]),
      ),
    promised: () => z.object({ n: z.number() }).parse(promised.get()).n,
    close: () => void database.close(),
  }
}

/** Sends the request and checks everything that holds for every response. */
async function check(operation: Operation, wish: Wish): Promise<number> {
  // Earlier calls started work that ends after their response: notifications of many changes, redactions, deleted
  // webhooks.
  await expect.poll(() => tables.promised(), { timeout: 20_000 }).toBe(0)
  const before = tables.counts()
  const logged = server.logLines.length
  const { reply, complaints, sent } = await client.send(operation, wish)
  expect(complaints, sent).toEqual([])
  expect(
    server.logLines.slice(logged).filter((line) => line.includes('unexpected failure')),
    sent,
  ).toEqual([])
  if (reply.status >= 300) expect(tables.counts(), sent).toEqual(before)
  return reply.status
}

/** Lists everything, so that requests can refer to existing records. */
async function listEverything(): Promise<void> {
  const plain: Wish = { id: null, query: {}, body: undefined, expand: [], harm: null }
  for (const operation of operations)
    if (operation.method === 'GET' && !operation.path.includes(':id')) await check(operation, plain)
}

beforeEach(begin)
afterEach(end)

describe('every operation of the OpenAPI document', () => {
  it('succeeds at least once and matches its schema', async () => {
    const left = new Set(operations.map(({ name }) => name))
    await listEverything()
    const rounds = 60
    for (let round = 0; round < rounds && left.size > 0; round += 1)
      // Operations that create records run again and again, because others remove the records.
      for (const operation of operations.filter(({ name }) => left.has(name) || isReferredTo(name))) {
        for (const wish of fc.sample(wishFor(operation, false), {
          seed: seed + round,
          numRuns: left.has(operation.name) ? 4 : 1,
        }))
          if ((await check(operation, wish)) < 300) left.delete(operation.name)
      }
    expect([...left]).toEqual([])
  }, 120_000)
})

describe('a client that sends random requests', () => {
  const step = fc
    .record({ operation: fc.constantFrom(...operations), broken: fc.boolean() })
    .chain(({ operation, broken }) =>
      wishFor(operation, broken).map((wish) => ({ operation, wish, toString: () => operation.name })),
    )

  it('gets no 5xx and no undocumented field, and its refused calls leave no row', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 150, maxLength: 250, size: 'max' }), async (steps) => {
        await end()
        await begin()
        await listEverything()
        for (const { operation, wish } of steps) await check(operation, wish)
      }),
      { seed, numRuns: count(2, 150), endOnFailure: true },
    )
  }, 3_600_000)
})
