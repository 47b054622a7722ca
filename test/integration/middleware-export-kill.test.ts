import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSqlite } from '#kit/open-sqlite.ts'
import { tokens as tokensSchema } from '#shared/wire/auth.ts'
import { exportRecord } from '#shared/wire/export.ts'
import { count, seed } from '#support/counts.ts'
import { exitCode, firstLine, type Invitation, spawnCli } from '#support/middleware-children.ts'
import { type CallOptions, type Reply, send } from '#support/middleware-server.ts'
import { randomFrom } from '#support/random.ts'

/*
 * The test kills the process repeatedly while it writes an export file. No client receives a partial file, and the next
 * process completes the export automatically.
 */
const kills = count(2, 40)
/** Number of variants, so that the export has some dozens of portions. */
const variants = 20_000
const draw = randomFrom(seed)

let folder: string
let child: ChildProcess
let invitation: Invitation
let token: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'middleware-'))
  invitation = await start()
  const { username, password } = invitation
  const body = { username, password: password ?? '' }
  token = tokensSchema.parse((await call('/wms/auth/login/', { method: 'POST', body })).body).token
  const article = { name: 'Goods', variants: [{ article_code: 'one' }] }
  expect((await call('/wms/articles/', { method: 'POST', token, body: article })).status).toBe(201)
  child.kill()
  await exitCode(child)
  multiply()
  invitation = await start()
})
afterAll(() => {
  child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

async function start(): Promise<Invitation> {
  child = spawnCli('--data', folder, '--seed', 'empty')
  return firstLine(child)
}

/** Fills the database with copies of its only variant that have other ids and article codes. */
function multiply(): void {
  const database = openSqlite(join(folder, 'middleware.db'), 'cache')
  const own: Record<string, string> = {
    id: `printf('%08x-0000-4000-8000-000000000000', n)`,
    article_code: `'code-' || n`,
  }
  const columns = database.prepare<[], string>(`SELECT name FROM pragma_table_info('variants')`).pluck().all()
  const values = columns.map((name) => own[name] ?? name)
  database.exec(`
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${variants - 1})
    INSERT INTO variants (${columns.join(', ')}) SELECT ${values.join(', ')} FROM variants, numbers
  `)
  database.close()
}

function call(path: string, options: CallOptions = {}): Promise<Reply> {
  const { url, wms, customer } = invitation
  return send(url, path, { token, ...options, customer, headers: { 'x-wms-code': wms } })
}

it(
  `an export that is ready is complete after ${kills} kills of the middleware during the write of export files`,
  { timeout: 60_000 + kills * 30_000 },
  async () => {
    let whileWriting = 0
    for (let kill = 0; kill < kills; kill += 1) {
      const asked = await call('/wms/exports/', { method: 'POST', body: { type: 'stock' } })
      const { id } = exportRecord.parse(asked.body)
      const status = async (): Promise<string> =>
        exportRecord.parse((await call(`/wms/exports/${id}/`)).body).status
      await expect.poll(status, { interval: 1, timeout: 20_000 }).not.toBe('created')
      await new Promise((resolve) => setTimeout(resolve, draw() * 150))
      const early = await call(`/wms/exports/${id}/download/`)
      if (early.status === 412) whileWriting++
      child.kill('SIGKILL')
      await exitCode(child)
      invitation = await start()
      await expect.poll(status, { interval: 50, timeout: 60_000 }).toBe('completed')
      const file = await call(`/wms/exports/${id}/download/`)
      const rows: { article_code: string }[] = parse(String(file.body), { bom: true, columns: true })
      expect(rows).toHaveLength(variants)
      expect(new Set(rows.map((row) => row.article_code)).size).toBe(variants)
    }
    expect(whileWriting).toBeGreaterThan(0)
  },
)
