import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createLogger } from '#kit/logger.ts'
import { insertExport, measureExportFiles, moveExport } from '#middleware/data/exports/stored-exports.ts'
import { seedWorld } from '#middleware/data/seeds/seed.ts'
import { openExport } from '#middleware/services/exports/exports.ts'
import { Turns, usualWaitingLimits } from '#middleware/services/turns.ts'
import { SingleProcess } from '#middleware/data/engine/open-coordination.ts'
import { createExportRunner, usualExportLimits } from '#middleware/services/exports/runner.ts'
import type { ExportStatus } from '#shared/domain/exports.ts'
import { exportRecord } from '#shared/wire/export.ts'
import { startTestServer, testClock, type TestServer } from '#support/middleware-server.ts'
import { makeSmallWorld, smallIds } from '#support/small-world.ts'
import { openBeside } from '#support/test-database.ts'

describe('the stored export files', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  const statusOf = async (target: TestServer, id: string, customer = 'ALDER'): Promise<string> =>
    exportRecord.parse((await target.call(`/wms/exports/${id}`, { customer })).body).status
  const made = async (target: TestServer, customer = 'ALDER'): Promise<string> => {
    const body = { type: 'stock' }
    const reply = await target.call('/wms/exports/', { method: 'POST', body, customer })
    const { id } = exportRecord.parse(reply.body)
    await expect.poll(() => statusOf(target, id, customer)).toMatch(/completed|failed/)
    // Moves the clock, so that the next export completes later than this export.
    target.clock.advance(1000)
    return id
  }
  const bytesOfStock = async (): Promise<number> => {
    const fresh = await startTestServer({ exportDelayMs: 0 })
    const id = await made(fresh)
    const { body } = await fresh.call(`/wms/exports/${id}/download`)
    await fresh.close()
    // `fetch` removes the byte order mark from a text, so the bytes of the mark are added here
    return Buffer.byteLength(String(body)) + 3
  }

  it('of a customer are limited in total bytes: its oldest file expires, and other customers keep their files', async () => {
    const one = await bytesOfStock()
    const exportLimits = { ...usualExportLimits, mostStoredBytes: 2 * one + 10 }
    const limited = await startTestServer({ exportDelayMs: 0, exportLimits })
    const others = await made(limited, 'BIRCH')
    const ids = [await made(limited), await made(limited)]
    const statuses = (): Promise<string[]> => Promise.all(ids.map((id) => statusOf(limited, id)))
    expect(await statuses()).toEqual(['completed', 'completed'])
    ids.push(await made(limited))
    expect(await statuses()).toEqual(['expired', 'completed', 'completed'])
    ids.push(await made(limited))
    expect(await statuses()).toEqual(['expired', 'expired', 'completed', 'completed'])
    expect(await statusOf(limited, others, 'BIRCH')).toBe('completed')
    expect(await limited.call(`/wms/exports/${ids[0] ?? ''}/download`)).toMatchObject({ status: 412 })
    expect(await limited.call(`/wms/exports/${ids[3] ?? ''}/download`)).toMatchObject({ status: 200 })
    await limited.close()
  })

  it('of a customer are limited in number: a further file makes the oldest file expire', async () => {
    const exportLimits = { ...usualExportLimits, mostFiles: 2 }
    const limited = await startTestServer({ exportDelayMs: 0, exportLimits })
    const ids = [await made(limited), await made(limited), await made(limited)]
    expect(await Promise.all(ids.map((id) => statusOf(limited, id)))).toEqual([
      'expired',
      'completed',
      'completed',
    ])
    await limited.close()
  })

  it('are limited in size: an export whose file would be larger fails with a message', async () => {
    const exportLimits = { ...usualExportLimits, mostBytes: (await bytesOfStock()) - 1 }
    const limited = await startTestServer({ exportDelayMs: 0, exportLimits })
    const id = await made(limited)
    expect(await limited.call(`/wms/exports/${id}/download`)).toMatchObject({
      status: 412,
      body: {
        message: 'This export failed: its file would be larger than 256 MiB. Choose fewer days or columns.',
      },
    })
    await limited.close()
  })

  it('are completely deleted by the next process if a process died while it deleted them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-exports-'))
    const databaseFile = join(folder, 'middleware.db')
    try {
      const first = await startTestServer({ databaseFile, exportDelayMs: 0 })
      const id = await made(first)
      await first.close()
      const database = await openBeside(databaseFile)
      const files = (): Promise<unknown> => measureExportFiles(database, smallIds.alder)
      for (let position = 2; position < 40; position++)
        await database
          .insertInto('export_parts')
          .values({ export_id: id, position, content: 'a further part' })
          .execute()
      await moveExport(database, id, 'expired', '2026-06-01T12:00:00.000Z')
      expect(await files()).toMatchObject({ files: 1 })
      const second = await startTestServer({ databaseFile, exportDelayMs: 0 })
      await expect.poll(files).toEqual({ files: 0, bytes: 0 })
      await second.close()
      await database.destroy()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('expire after 30 days, even while the server continuously writes other exports', async () => {
    const database = await openBeside(':memory:')
    const world = makeSmallWorld()
    await seedWorld(database, world, new Map(world.users.map(({ id }) => [id, 'no hash'])))
    const clock = testClock()
    const add = (id: string, customer_id: string, status: ExportStatus, days: number): Promise<unknown> => {
      const time = new Date(clock.now() - days * 86_400_000).toISOString()
      const filters = JSON.stringify({ search: null, from: null, to: null })
      const content = { family: 'standard' as const, type: 'stock', filters, fields: '[]' }
      return insertExport(database, {
        id,
        customer_id,
        status,
        created_at: time,
        modified_at: time,
        ...content,
      })
    }
    for (const [id, days] of Object.entries({ old: 31, young: 29 })) {
      await add(id, smallIds.birch, 'completed', days)
      await database
        .insertInto('export_parts')
        .values({ export_id: id, position: 0, content: 'a part' })
        .execute()
    }
    for (const id of ['written', 'waiting']) await add(id, smallIds.alder, 'created', 0)
    const written = Promise.withResolvers<undefined>()
    const turns = new Turns(usualWaitingLimits)
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const runner = createExportRunner({
      ...{ database, clock, limits: usualExportLimits, delayMs: 0, leases: new SingleProcess().leases },
      logger: createLogger('test', { level: 'silent', destination: { write: () => undefined } }),
      turns: {
        runFor: async (owner, work) => {
          if (owner.includes(smallIds.alder)) await written.promise
          return turns.runFor(owner, work)
        },
      },
    })
    const statusAndSize = (id: string): Promise<unknown> =>
      database.selectFrom('exports').select(['status', 'bytes']).where('id', '=', id).executeTakeFirst()
    runner.wake()
    await expect.poll(() => statusAndSize('old')).toEqual({ status: 'expired', bytes: 0 })
    expect(await statusAndSize('young')).toEqual({ status: 'completed', bytes: 6 })
    clock.advance(2 * 86_400_000)
    vi.advanceTimersByTime(3_600_000)
    await expect.poll(() => statusAndSize('young')).toEqual({ status: 'expired', bytes: 0 })
    expect(await statusAndSize('waiting')).toEqual({ status: 'created', bytes: 0 })
    written.resolve(undefined)
    await runner.stop()
    await database.destroy()
  })

  it('have export records; a record is deleted 90 days after its export has expired or failed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-exports-'))
    const databaseFile = join(folder, 'middleware.db')
    try {
      const first = await startTestServer({ databaseFile, exportDelayMs: 0 })
      const expired = await made(first)
      const completed = await made(first)
      await first.close()
      const database = await openBeside(databaseFile)
      const noFilters = JSON.stringify({ search: null, from: null, to: null })
      const dayAgo = (days: number): string => new Date(first.clock.now() - days * 86_400_000).toISOString()
      await moveExport(database, expired, 'expired', dayAgo(91))
      const add = (id: string, status: ExportStatus, days: number): Promise<unknown> =>
        insertExport(database, {
          ...{ id, customer_id: smallIds.alder, status, created_at: dayAgo(days), modified_at: dayAgo(days) },
          ...{ family: 'standard', type: 'stock', filters: noFilters, fields: '[]' },
        })
      for (let at = 0; at < 250; at++) await add(`old-${at}`, at % 2 === 0 ? 'failed' : 'expired', 91)
      for (const status of ['failed', 'expired'] as const) await add(`recent-${status}`, status, 89)
      await add('old-waiting', 'created', 91)
      const ids = async (): Promise<string[]> =>
        (await database.selectFrom('exports').select('id').orderBy('id').execute()).map(({ id }) => id)
      const second = await startTestServer({ databaseFile, exportDelayMs: 0 })
      await expect
        .poll(async () => (await ids()).filter((id) => /old-\d/.test(id) || id === expired), {
          timeout: 10_000,
        })
        .toEqual([])
      expect(await ids()).toEqual(
        expect.arrayContaining([completed, 'recent-failed', 'recent-expired', 'old-waiting']),
      )
      for (const ending of ['', '/download'])
        expect((await second.call(`/wms/exports/${expired}${ending}`)).status).toBe(404)
      expect(await second.call(`/wms/exports/${completed}/download`)).toMatchObject({ status: 200 })
      await second.close()
      await database.destroy()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('that expire during a download make this download end with an error', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-exports-'))
    const databaseFile = join(folder, 'middleware.db')
    try {
      const first = await startTestServer({ databaseFile, exportDelayMs: 0 })
      const id = await made(first)
      await first.close()
      const database = await openBeside(databaseFile)
      const pieces = (
        await openExport(
          { database, turns: new Turns(usualWaitingLimits) },
          { id: smallIds.alder },
          id,
          () => false,
        )
      ).content[Symbol.asyncIterator]()
      expect(Buffer.from((await pieces.next()).value ?? []).toString()).toContain('article_code')
      await moveExport(database, id, 'expired', '2026-06-01T12:00:00.000Z')
      await database.deleteFrom('export_parts').execute()
      await expect(pieces.next()).rejects.toThrow('no longer stored')
      await database.destroy()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
