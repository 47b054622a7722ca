import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLogger } from '#kit/logger.ts'
import { createMiddleware } from '#middleware/app.ts'
import type { Database } from '#middleware/data/engine/database.ts'
import { insertExport, moveExport, nextWaitingExport } from '#middleware/data/exports/stored-exports.ts'
import type { ExportRow } from '#middleware/data/schema/exports.ts'
import { seedWorld } from '#middleware/data/seeds/seed.ts'
import { exportSources } from '#middleware/data/exports/export-sources.ts'
import { exportRecord } from '#shared/wire/export.ts'
import { type Reply, startTestServer, testClock, type TestServer } from '#support/middleware-server.ts'
import { smallGoods } from '#support/small-goods.ts'
import { makeSmallWorld, smallId, smallIds } from '#support/small-world.ts'
import { openBeside, testPlace } from '#support/test-database.ts'
import { connectWarehouse } from '#support/warehouse-client.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ exportDelayMs: 0 })
})
afterAll(() => server.close())

const paths = {
  standard: '/wms/exports/',
  billing: '/wms/exports/billing/',
  financial: '/wms/exports/financial/',
} as const

const everyType = Object.entries(exportSources).flatMap(([family, sources]) =>
  Object.entries(sources).map(([type, source]) => ({
    path: paths[family as keyof typeof paths],
    family,
    type,
    source,
  })),
)

function ask(body: unknown, path: string = paths.standard, customer = 'ALDER'): Promise<Reply> {
  return server.call(path, { method: 'POST', body, customer })
}

async function download(id: string, customer = 'ALDER'): Promise<Reply> {
  await vi.waitUntil(
    async () => exportRecord.parse((await server.call(`/wms/exports/${id}`, { customer })).body).ready,
    { timeout: 10_000, interval: 5 },
  )
  return server.call(`/wms/exports/${id}/download/`, { customer })
}

async function rows(body: object, path?: string, customer?: string): Promise<Record<string, string>[]> {
  const asked = await ask(body, path, customer)
  const reply = await download(exportRecord.parse(asked.body).id, customer)
  return parse(String(reply.body), { bom: true, columns: true })
}

describe('an export', () => {
  it('can be requested, is prepared, and can then be downloaded as a file', async () => {
    const asked = await ask({
      type: 'shipments',
      filters: { search: null, from: '2026-03-01', to: '2026-03-02 10:00' },
      fields: ['order_external_reference', 'reference'],
    })
    expect(asked).toMatchObject({ status: 201 })
    const { id } = exportRecord.strict().parse(asked.body)
    expect(asked.body).toEqual({
      id,
      status: 'created',
      extension: 'csv',
      subject: 'standard',
      type: 'shipments',
      filters: { search: null, from: '2026-03-01', to: '2026-03-02 10:00' },
      fields: ['order_external_reference', 'reference'],
      ready: false,
    })
    const file = await download(id)
    expect(file).toMatchObject({ status: 200 })
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="shipments-2026-06-01.csv"')
    expect(file.body).toBe(
      'order_external_reference,reference\r\nWEB-1,SHP00000000001\r\nWEB-2,SHP00000000002\r\n',
    )
    expect((await server.call(`/wms/exports/${id}/`)).body).toMatchObject({
      status: 'completed',
      ready: true,
    })
  })

  it.each(everyType)('of $family $type has all its columns by default', async ({ path, type, source }) => {
    for (const fields of [[], undefined, null]) {
      const asked = await ask({ type, fields }, path)
      expect(asked.body).toMatchObject({ type, fields: [], filters: { search: null, from: null, to: null } })
      const { body } = await download(exportRecord.parse(asked.body).id)
      expect(String(body).split('\r\n')[0]).toBe(source.columns.join(','))
    }
  })

  it.each(everyType)(
    'of $family $type has the selected columns in the selected order',
    async ({ path, type, source }) => {
      const fields = source.columns.toReversed()
      const each = await rows({ type, fields }, path)
      expect(each.every((row) => Object.keys(row).join() === fields.join())).toBe(true)
      const asked = await ask({ type, fields }, path)
      expect(asked.body).toMatchObject({ fields })
    },
  )

  it.each(everyType)('of $family $type is empty if no record matches', async ({ path, type }) => {
    expect(await rows({ type, filters: { from: '2031-01-01' } }, path)).toEqual([])
    expect(await rows({ type, filters: { to: '2001-01-01' } }, path)).toEqual([])
    expect(await rows({ type, filters: { search: 'nothing % bears _ this' } }, path)).toEqual([])
  })

  it('is listed in electron/middleware/API.md with its columns', () => {
    const reference = readFileSync(new URL('../../electron/middleware/API.md', import.meta.url), 'utf8')
    const table = reference.replaceAll(/ +/g, ' ')
    for (const { family, type, source } of everyType)
      expect(table).toContain(`| ${family} | ${type} | ${source.columns.join(', ')} |`)
  })

  it('starts with a byte order mark so that a spreadsheet detects its encoding', async () => {
    const { id } = exportRecord.parse((await ask({ type: 'stock' })).body)
    await download(id)
    const headers = {
      'x-wms-code': 'DEV',
      'x-customer-code': 'ALDER',
      authorization: `Bearer ${await server.logIn()}`,
    }
    const file = await fetch(`${server.url}/wms/exports/${id}/download/`, { headers })
    expect([...new Uint8Array(await file.arrayBuffer()).slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  })

  it('contains no record that was created after the export was requested', async () => {
    const slow = await startTestServer({ exportDelayMs: 1000 })
    const body = { type: 'stock', fields: ['article_code'], filters: { search: 'LATE' } }
    const ids: string[] = []
    for (const code of ['LATE-1', 'LATE-2']) {
      const asked = await slow.call(paths.standard, { method: 'POST', body })
      ids.push(exportRecord.parse(asked.body).id)
      slow.clock.advance(1000)
      const article = { name: code, variants: [{ article_code: code, name: code }] }
      await slow.call('/wms/articles/', { method: 'POST', body: article })
    }
    const files: unknown[] = []
    for (const id of ids) {
      const file = (): Promise<Reply> => slow.call(`/wms/exports/${id}/download`)
      await expect.poll(async () => (await file()).status, { timeout: 10_000 }).toBe(200)
      files.push((await file()).body)
    }
    expect(files).toEqual(['article_code\r\n', 'article_code\r\nLATE-1\r\n'])
    await slow.close()
  })

  it('contains each piece of the locations once, although pieces were moved after the request', async () => {
    const slow = await startTestServer({ exportDelayMs: 5000, warehouse: 'external' })
    const login = { url: slow.url, wms: 'DEV', username: 'warehouse', password: 'warehouse-secret-word' }
    const warehouse = await connectWarehouse(login)
    const ids: string[] = []
    for (const type of ['locations', 'fillings'])
      for (const filters of [{}, { to: '2099-12-31' }]) {
        const asked = await slow.call(paths.financial, { method: 'POST', body: { type, filters } })
        ids.push(exportRecord.parse(asked.body).id)
      }
    slow.clock.advance(50)
    const moved = { batch: smallGoods.batches[0], quantity: 5, to_location: smallGoods.backRoom }
    const reply = await warehouse.command('/warehouse/stock/moves/', { method: 'POST', body: moved })
    expect(reply.status).toBe(204)
    for (const id of ids) {
      const file = (): Promise<Reply> => slow.call(`/wms/exports/${id}/download`)
      await expect.poll(async () => (await file()).status, { timeout: 20_000 }).toBe(200)
      const lines: Record<string, string>[] = parse(String((await file()).body), { bom: true, columns: true })
      // the sum is also 12 if the file was written before the move, which may happen on a slow machine
      expect(lines.reduce((sum, { pieces }) => sum + Number(pieces), 0)).toBe(12)
    }
    await slow.close()
  })

  it('contains each column once if the request names a column twice', async () => {
    const asked = await ask({ type: 'stock', fields: ['sku', 'name', 'sku'] })
    expect(asked.body).toMatchObject({ fields: ['sku', 'name'] })
  })
})

describe('the content of an export', () => {
  it('of type stock has one line for each variant of the customer', async () => {
    const all = await rows({ type: 'stock' })
    expect(all.map((row) => row['article_code']).sort()).toEqual(['A-0', 'A-1', 'A-2'])
    expect((await rows({ type: 'stock', filters: { search: 'a-0' } })).length).toBe(1)
  })

  it('of type serial_numbers has one line for each serial number', async () => {
    const numbers = await rows({ type: 'serial_numbers', fields: ['serial_number', 'shipment'] })
    expect(numbers).toContainEqual({ serial_number: 'SN-2', shipment: 'SHP00000000002' })
    expect(numbers).not.toContainEqual(expect.objectContaining({ shipment: 'SHP00000000006' }))
  })

  it('of type exports includes the export itself', async () => {
    const asked = await ask({ type: 'exports' })
    const { id } = exportRecord.parse(asked.body)
    expect(parse(String((await download(id)).body), { bom: true, columns: true })).toContainEqual(
      expect.objectContaining({ id, type: 'exports' }),
    )
  })

  it('never contains a formula that a spreadsheet would run', async () => {
    await server.call('/wms/articles/', {
      method: 'POST',
      body: { name: 'x', variants: [{ article_code: 'F-1', name: '=HYPERLINK("http://evil.example")' }] },
    })
    const asked = await ask({ type: 'stock', fields: ['name'], filters: { search: 'F-1' } })
    const { body } = await download(exportRecord.parse(asked.body).id)
    expect(body).toBe('name\r\n"\'=HYPERLINK(""http://evil.example"")"\r\n')
  })

  it('is complete if the server writes it in several portions', async () => {
    const codes = Array.from({ length: 1203 }, (_, index) => `MANY-${String(index).padStart(4, '0')}`)
    for (let start = 0; start < codes.length; start += 601) {
      const variants = codes.slice(start, start + 601).map((code) => ({ article_code: code, name: code }))
      const reply = await server.call('/wms/articles/', { method: 'POST', body: { name: 'many', variants } })
      expect(reply.status).toBe(201)
    }
    const found = await rows({ type: 'stock', fields: ['article_code'], filters: { search: 'many-' } })
    expect(found.map((row) => row['article_code']).sort()).toEqual(codes)
  })
})

describe('a call of the export API', () => {
  it.each([
    [{}, 'type'],
    [{ type: 'everything' }, 'type'],
    [{ type: 'packings' }, 'type'],
    [{ type: 'stock', fields: ['sku', 'secret'] }, 'fields.1'],
    [{ type: 'stock', fields: ['constructor'] }, 'fields.0'],
    [{ type: 'stock', fields: 'sku' }, 'fields'],
    [{ type: 'stock', filters: { from: 'yesterday' } }, 'filters.from'],
    [{ type: 'stock', filters: { to: '2026-02-30' } }, 'filters.to'],
    [{ type: 'stock', filters: { to: '2026-02-03 25:00' } }, 'filters.to'],
    [{ type: 'stock', filters: { search: 7 } }, 'filters.search'],
  ])('is refused for the body %j', async (body, field) => {
    const reply = await ask(body)
    expect(reply.status).toBe(400)
    expect(Object.keys((reply.body as { errors: object }).errors)).toEqual([field])
  })

  it('accepts empty arrays and empty texts, which PHP clients send', async () => {
    expect((await ask({ type: 'stock', filters: [], fields: [] })).status).toBe(201)
    expect((await ask({ type: 'stock', filters: { search: '', from: '', to: null } })).status).toBe(201)
  })

  it('returns 404 if it reads or downloads an unknown export or an export of another customer', async () => {
    const { id } = exportRecord.parse((await ask({ type: 'stock' })).body)
    await download(id)
    for (const ending of ['', '/download']) {
      expect((await server.call(`/wms/exports/${id}${ending}`, { customer: 'BIRCH' })).status).toBe(404)
      expect((await server.call(`/wms/exports/${smallId(999)}${ending}`)).status).toBe(404)
    }
  })
})

describe('waiting exports', () => {
  it('are limited to 20 for each customer, and do not limit other customers', async () => {
    const slow = await startTestServer({ exportDelayMs: 3_600_000 })
    const asking = (customer: string): Promise<Reply> =>
      slow.call(paths.standard, { method: 'POST', body: { type: 'stock' }, customer })
    const replies = await Promise.all(Array.from({ length: 25 }, () => asking('ALDER')))
    expect(replies.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 20 }, () => 201),
      ...Array.from({ length: 5 }, () => 429),
    ])
    const refused = await asking('ALDER')
    expect(refused.headers.get('retry-after')).toBe('10')
    expect(refused.body).toEqual({ code: 429, message: expect.stringContaining('20 exports') as string })
    expect((await asking('BIRCH')).status).toBe(201)
    await slow.close()
  })

  it('are prepared for each customer in turn, the oldest export of each customer first', async () => {
    const database = await openBeside(':memory:')
    const world = makeSmallWorld()
    await seedWorld(database, world, new Map(world.users.map(({ id }) => [id, 'no hash'])))
    await database.deleteFrom('exports').execute()
    const [alder, birch] = [smallIds.alder, smallIds.birch]
    for (const [at, customer_id] of [alder, alder, alder, birch, birch].entries())
      await insertExport(database, {
        id: `export-${at}`,
        customer_id,
        created_at: `2026-06-01T12:00:0${at}.000Z`,
        modified_at: '2026-06-01T12:00:00.000Z',
        ...{ family: 'standard', type: 'stock', filters: '{}', fields: '[]', status: 'created' },
      })
    const time = '2026-06-01T11:00:00.000Z'
    const order: string[] = []
    for (let last: string | null = null; ;) {
      const next = await nextWaitingExport(database, last, [], { from: time, to: time })
      if (next === null) break
      order.push(next.id)
      last = next.customer_id
      await moveExport(database, next.id, 'processing', next.created_at)
    }
    const turns = ['export-0', 'export-3', 'export-1', 'export-4', 'export-2']
    const otherTurns = ['export-3', 'export-0', 'export-4', 'export-1', 'export-2']
    expect(order).toEqual(alder < birch ? turns : otherTurns)
    await database.destroy()
  })
})

/**
 * Creates modifications with a thousand lines each. An export repeats the note of a modification on each line, so each
 * modification takes 20 MB of the file.
 */
async function makeLargeModifications(target: TestServer, count: number): Promise<void> {
  const line = { variant: smallGoods.shirtRed, location: smallGoods.shelf, quantity: 1 }
  const body = {
    note: 'n'.repeat(20_000),
    reason: 'CORRECTION',
    modification_lines: Array.from({ length: 1000 }, () => line),
  }
  for (let made = 0; made < count; made++)
    expect((await target.call('/wms/modifications/', { method: 'POST', body })).status).toBe(201)
}

/** Returns the longest time in which the event loop did not run during the work, in milliseconds. */
async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let last = performance.now()
  let longest = 0
  const look = (): void => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 5)
  await work()
  clearInterval(timer)
  look()
  return longest
}

describe('exports of several customers', () => {
  it('are prepared in parallel: a small export is completed during a large export and many calls of another customer', async () => {
    const target = await startTestServer({ exportDelayMs: 0 })
    await makeLargeModifications(target, 3)
    const start = async (customer: string, type: string): Promise<string> => {
      const reply = await target.call(paths.standard, { method: 'POST', body: { type }, customer })
      return exportRecord.parse(reply.body).id
    }
    const statusOf = async (customer: string, id: string): Promise<string> =>
      exportRecord.parse((await target.call(`/wms/exports/${id}`, { customer })).body).status
    let isFull = true
    const readers = Array.from({ length: 40 }, async () => {
      while (isFull) await target.call('/wms/orders/')
    })
    const large = await start('ALDER', 'modifications')
    await expect.poll(() => statusOf('ALDER', large), { timeout: 20_000, interval: 5 }).toBe('processing')
    const small = await start('BIRCH', 'stock')
    await expect.poll(() => statusOf('BIRCH', small), { timeout: 20_000, interval: 5 }).toBe('completed')
    expect(await statusOf('ALDER', large)).toBe('processing')
    await expect.poll(() => statusOf('ALDER', large), { timeout: 20_000, interval: 5 }).toBe('completed')
    isFull = false
    await Promise.all(readers)
    await target.close()
  }, 60_000)
})

describe('an export of long texts', () => {
  it('blocks the event loop for less than half a second, and is stored in parts of less than two megabytes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-exports-'))
    const databaseFile = join(folder, 'middleware.db')
    try {
      const target = await startTestServer({ databaseFile, exportDelayMs: 0 })
      await makeLargeModifications(target, 3)
      const ids: string[] = []
      const writeBoth = async (): Promise<void> => {
        for (const filters of [{}, { search: 'nothing has this' }]) {
          const body = { type: 'modifications', filters }
          const { id } = exportRecord.parse(
            (await target.call(paths.standard, { method: 'POST', body })).body,
          )
          await expect
            .poll(async () => (await target.call(`/wms/exports/${id}`)).body, { timeout: 20_000 })
            .toMatchObject({ status: 'completed' })
          ids.push(id)
        }
      }
      // other programs of a busy machine delay the event loop too, so the shortest of three measurements counts
      let hold = Infinity
      for (let turn = 0; turn < 3 && hold >= 500; turn++) {
        ids.length = 0
        hold = await longestHold(writeBoth)
      }
      expect(hold).toBeLessThan(500)
      await target.close()
      const database = await openBeside(databaseFile)
      const parts = await database
        .selectFrom('export_parts')
        .select(['export_id', sql<number>`octet_length(content)`.as('bytes')])
        .execute()
      const bytesOf = (id: string | undefined): number[] =>
        parts.filter((part) => part.export_id === id).map(({ bytes }) => bytes)
      expect(Math.max(...bytesOf(ids[0]))).toBeLessThan(2 * 1024 * 1024)
      expect(bytesOf(ids[0]).reduce((sum, bytes) => sum + bytes)).toBeGreaterThan(3 * 1000 * 20_000)
      expect(bytesOf(ids[1])).toHaveLength(1)
      await database.destroy()
    } finally {
      rmSync(folder, { recursive: true })
    }
  }, 60_000)
})

describe('an export that was not completed when its process ended', () => {
  let folder: string
  let databaseFile: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'scandesk-exports-'))
    databaseFile = join(folder, 'middleware.db')
  })
  afterEach(() => {
    rmSync(folder, { recursive: true })
  })

  async function inDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    const database = await openBeside(databaseFile)
    try {
      return await work(database)
    } finally {
      await database.destroy()
    }
  }
  const never = { exportDelayMs: 3_600_000 }

  it('is written again after the first crash, and fails after the second crash', async () => {
    const first = await startTestServer({ databaseFile, ...never })
    const asked = await first.call(paths.standard, { method: 'POST', body: { type: 'stock' } })
    const { id } = exportRecord.parse(asked.body)
    await first.close()
    for (const status of ['created', 'failed']) {
      expect(
        await inDatabase((database) => moveExport(database, id, 'processing', '2026-06-01T12:00:00.000Z')),
      ).toBe(true)
      const next = await startTestServer({ databaseFile, ...never })
      expect((await next.call(`/wms/exports/${id}`)).body).toMatchObject({ status })
      await next.close()
    }
    const last = await startTestServer({ databaseFile, exportDelayMs: 0 })
    expect(await last.call(`/wms/exports/${id}/download`)).toMatchObject({
      status: 412,
      body: { message: 'This export failed.' },
    })
    await last.close()
  })

  it('is written again after each normal stop of the process', async () => {
    const first = await startTestServer({ databaseFile, exportDelayMs: 0 })
    await makeLargeModifications(first, 2)
    const asked = await first.call(paths.standard, { method: 'POST', body: { type: 'modifications' } })
    const { id } = exportRecord.parse(asked.body)
    let running = first
    for (let stop = 0; stop < 3; stop++) {
      await vi.waitUntil(
        async () =>
          exportRecord.parse((await running.call(`/wms/exports/${id}`)).body).status === 'processing',
        { timeout: 10_000, interval: 1 },
      )
      await running.close()
      const stored = await inDatabase((database) =>
        database.selectFrom('exports').selectAll().where('id', '=', id).executeTakeFirst(),
      )
      expect(stored).toMatchObject({ status: 'created', interruptions: 0 })
      running = await startTestServer({ databaseFile, exportDelayMs: 0 })
    }
    await expect
      .poll(async () => (await running.call(`/wms/exports/${id}`)).body, { timeout: 20_000 })
      .toMatchObject({ status: 'completed' })
    await running.close()
  }, 60_000)

  it('is written again when a process writes another export of the same customer', async () => {
    const server = await startTestServer({ databaseFile, exportDelayMs: 0 })
    const ask = async (): Promise<ExportRow> => {
      const reply = await server.call(paths.standard, { method: 'POST', body: { type: 'stock' } })
      const { id } = exportRecord.parse(reply.body)
      await expect
        .poll(async () => (await server.call(`/wms/exports/${id}`)).body)
        .toMatchObject({ status: 'completed' })
      return inDatabase((database) =>
        database.selectFrom('exports').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
      )
    }
    const like = await ask()
    const left = { ...like, id: randomUUID(), status: 'processing' as const }
    // this export is in progress without a lease, so neither the start of a process nor the end of a lease continues it
    await inDatabase((database) => insertExport(database, left))
    await ask()
    await expect
      .poll(async () => (await server.call(`/wms/exports/${left.id}`)).body)
      .toMatchObject({ status: 'completed' })
    await server.close()
  })

  it('is written only after the server has begun to listen', async () => {
    const first = await startTestServer({ databaseFile, ...never })
    const asked = await first.call(paths.standard, { method: 'POST', body: { type: 'stock' } })
    const { id } = exportRecord.parse(asked.body)
    await first.close()
    const logger = createLogger('test', { destination: { write: () => true } })
    const place = await testPlace(databaseFile)
    const options = { ...place, world: null, sandbox: true, clock: testClock(), logger }
    const app = await createMiddleware({ ...options, exportDelayMs: 0 })
    await new Promise((resolve) => setTimeout(resolve, 100))
    const statusOf = (): Promise<unknown> =>
      inDatabase((database) =>
        database.selectFrom('exports').select('status').where('id', '=', id).executeTakeFirst(),
      )
    expect(await statusOf()).toEqual({ status: 'created' })
    await app.listen({ port: 0, host: '127.0.0.1' })
    await expect.poll(statusOf).toEqual({ status: 'completed' })
    await app.close()
  })
})

describe('an export that is not ready', () => {
  it('cannot be downloaded, and is prepared by the next process if the first process stops', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-exports-'))
    const databaseFile = join(folder, 'middleware.db')
    try {
      const first = await startTestServer({ databaseFile, exportDelayMs: 3_600_000 })
      const asked = await first.call(paths.standard, { method: 'POST', body: { type: 'stock' } })
      const { id } = exportRecord.parse(asked.body)
      const early = await first.call(`/wms/exports/${id}/download`)
      expect(early).toMatchObject({ status: 412, body: { code: 412 } })
      expect(early.headers.get('content-disposition')).toBeNull()
      await first.close()

      const second = await startTestServer({ databaseFile, exportDelayMs: 0 })
      await vi.waitUntil(async () => (await second.call(`/wms/exports/${id}/download`)).status === 200, {
        timeout: 10_000,
        interval: 5,
      })
      await second.close()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('an export after a month', () => {
  it('is expired, and its download returns 412 with a message', async () => {
    const { id } = exportRecord.parse((await ask({ type: 'stock' })).body)
    await download(id)
    const daysLater = async (days: number): Promise<(path: string) => Promise<Reply>> => {
      server.clock.advance(days * 24 * 3600_000)
      const token = await server.logIn('everything', true)
      // A request for a new export also starts the check for expired exports.
      await server.call(paths.standard, { method: 'POST', body: { type: 'stock' }, token })
      return (path) => server.call(`/wms/exports/${id}${path}`, { token })
    }
    const still = await daysLater(29)
    expect((await still('/download')).status).toBe(200)
    const gone = await daysLater(2)
    await expect.poll(async () => (await gone('/')).body).toMatchObject({ status: 'expired', ready: false })
    expect(await gone('/download')).toMatchObject({
      status: 412,
      body: { message: 'The file of this export is no longer stored. Create the export again.' },
    })
  })
})
