import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '#middleware/data/engine/database.ts'
import { insertExport, measureExportFiles, moveExport } from '#middleware/data/exports/stored-exports.ts'
import { openExport } from '#middleware/services/exports/exports.ts'
import { usualExportLimits } from '#middleware/services/exports/runner.ts'
import type { ExportStatus } from '#shared/domain/exports.ts'
import { exportRecord } from '#shared/wire/export.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallIds } from '#support/small-world.ts'

describe('the stored export files', () => {
  const statusOf = async (target: TestServer, id: string, customer = 'ALDER'): Promise<string> =>
    exportRecord.parse((await target.call(`/wms/exports/${id}`, { customer })).body).status
  const made = async (target: TestServer, customer = 'ALDER'): Promise<string> => {
    const body = { type: 'stock' }
    const reply = await target.call('/wms/exports/', { method: 'POST', body, customer })
    const { id } = exportRecord.parse(reply.body)
    await expect.poll(() => statusOf(target, id, customer)).toMatch(/completed|failed/)
    // The next export is completed later.
    target.clock.advance(1000)
    return id
  }
  const bytesOfStock = async (): Promise<number> => {
    const fresh = await startTestServer({ exportDelayMs: 0 })
    const id = await made(fresh)
    const { body } = await fresh.call(`/wms/exports/${id}/download`)
    await fresh.close()
    // fetch removes the byte order mark from a text.
    return Buffer.byteLength(String(body)) + 3
  }

  it('of a customer are limited in bytes: the oldest expires, and other customers keep theirs', async () => {
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

  it('of a customer are limited in number: the oldest expires', async () => {
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

  it('are limited in size: a larger export fails with a message', async () => {
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

  it('are deleted completely when they expire, also if a process died while it deleted them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-exports-'))
    const databaseFile = join(folder, 'middleware.db')
    try {
      const first = await startTestServer({ databaseFile, exportDelayMs: 0 })
      const id = await made(first)
      await first.close()
      const database = openDatabase(databaseFile)
      const files = (): Promise<unknown> => measureExportFiles(database, smallIds.alder)
      for (let position = 2; position < 40; position++)
        await database
          .insertInto('export_parts')
          .values({ export_id: id, position, content: 'a further part' })
          .execute()
      await moveExport(database, id, 'expired', 'then')
      expect(await files()).toMatchObject({ files: 1 })
      const second = await startTestServer({ databaseFile, exportDelayMs: 0 })
      await expect.poll(files).toEqual({ files: 0, bytes: 0 })
      await second.close()
      await database.destroy()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('leave records that are deleted 90 days after they expired or failed, and then are not found', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-exports-'))
    const databaseFile = join(folder, 'middleware.db')
    try {
      const first = await startTestServer({ databaseFile, exportDelayMs: 0 })
      const expired = await made(first)
      const completed = await made(first)
      await first.close()
      const database = openDatabase(databaseFile)
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

  it('end a download with an error when they expire during it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-exports-'))
    const databaseFile = join(folder, 'middleware.db')
    try {
      const first = await startTestServer({ databaseFile, exportDelayMs: 0 })
      const id = await made(first)
      await first.close()
      const database = openDatabase(databaseFile)
      const pieces = (await openExport({ database }, { id: smallIds.alder }, id)).content[
        Symbol.asyncIterator
      ]()
      expect((await pieces.next()).value).toContain('article_code')
      await moveExport(database, id, 'expired', 'then')
      await database.deleteFrom('export_parts').execute()
      await expect(pieces.next()).rejects.toThrow('no longer stored')
      await database.destroy()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
