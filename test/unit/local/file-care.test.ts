import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openSqlite } from '#kit/open-sqlite.ts'
import { careFor } from '#local/file-care.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scandesk-care-'))
  file = join(folder, 'desk.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function fill(bytes: number): void {
  const database = openSqlite(file, 'precious')
  database.exec('CREATE TABLE scans (raw BLOB) STRICT; CREATE TABLE empty (id TEXT) STRICT')
  database.prepare('INSERT INTO scans VALUES (zeroblob(?))').run(bytes)
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
}

describe('counting the rows of a file', () => {
  it.each([
    ['small', 100],
    ['large, in a thread', 3_000_000],
  ])('returns the number of rows of each table if the file is %s', async (_, bytes) => {
    fill(bytes)
    expect(statSync(file).size > 2_000_000).toBe(bytes > 2_000_000)
    expect(await careFor({ do: 'count', file })).toEqual({ empty: 0, scans: 1 })
  })

  it.each([20, 3_000_000])(
    'throws an error if the file has %d bytes and is not a database',
    async (bytes) => {
      writeFileSync(file, 'no database'.padEnd(bytes))
      await expect(careFor({ do: 'count', file })).rejects.toThrow()
    },
  )

  it('runs in a separate thread if the file is large', async () => {
    fill(3_000_000)
    const post = vi.spyOn(Worker.prototype, 'emit')
    await careFor({ do: 'count', file })
    expect(post.mock.calls.map(([event]) => event)).toContain('message')
    post.mockRestore()
  })
})
