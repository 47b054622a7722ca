import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqlite } from '#kit/open-sqlite.ts'
import { makeTables } from '#local/cache.ts'
import { noteChanges, type RecentChanges } from '#local/recent/recent-changes.ts'
import { recentSchema } from '#local/recent/recent-schema.ts'
import { StoreBench } from '#support/store-bench.ts'

let bench: StoreBench
let database: Database.Database
let changes: RecentChanges
let copy: string
beforeEach(async () => {
  bench = await StoreBench.create()
  database = openSqlite(join(bench.dataDir, 'recent.db'), 'cache')
  makeTables(database, recentSchema)
  put('kept', 'x'.repeat(500))
  copy = join(bench.dataDir, 'copy.db')
  database.prepare('VACUUM INTO ?').run(copy)
  openSqlite(copy, 'cache').close()
  changes = noteChanges(database)
})
afterEach(async () => {
  database.close()
  await bench.dispose()
})

function put(id: string, body: string): void {
  database.prepare(`INSERT OR REPLACE INTO shipments VALUES ('scope', ?, 1, 1, ?)`).run(id, body)
}

/** Returns the ids in the copy without its log (WAL), because only the file itself replaces recent.db. */
function copied(): unknown[] {
  for (const ending of ['-wal', '-shm']) rmSync(copy + ending, { force: true })
  const file = new Database(copy)
  try {
    return file.prepare('SELECT id FROM shipments ORDER BY id').pluck().all()
  } finally {
    file.close()
  }
}

describe('the changes of recent.db', () => {
  it('are in the file of the copy, not in its log', () => {
    put('added', 'body')
    expect(changes.carryTo(copy)).toBe(true)
    expect(copied()).toEqual(['added', 'kept'])
  })

  it('are not reported as carried while they are only in the log of the copy', () => {
    put('added', 'body')
    const reader = new Database(copy, { readonly: true })
    reader.exec('BEGIN; SELECT count(*) FROM shipments')
    const before = performance.now()
    const isCarried = changes.carryTo(copy)
    expect(performance.now() - before).toBeLessThan(2_000)
    expect([isCarried, statSync(`${copy}-wal`).size > 0]).toEqual([false, true])
    reader.close()
  })

  it('are carried into the copy if their size in bytes is within the limit', () => {
    for (let n = 0; n < 30; n++) put(`added ${n}`, 'ü'.repeat(50_000))
    expect(changes.carryTo(copy)).toBe(true)
    expect(copied()).toHaveLength(31)
  })

  it('are not carried into the copy if the new rows exceed the limit in bytes, because one transaction would block main', () => {
    for (let n = 0; n < 30; n++) put(`added ${n}`, 'ü'.repeat(100_000))
    expect(changes.carryTo(copy)).toBe(false)
    expect(copied()).toEqual(['kept'])
  })

  it('are not carried into the copy if the rows that they remove exceed the limit in bytes', () => {
    changes.end()
    put('large', 'x'.repeat(5_000_000))
    rmSync(copy)
    database.prepare('VACUUM INTO ?').run(copy)
    changes = noteChanges(database)
    database.exec(`DELETE FROM shipments WHERE id = 'large'`)
    expect(changes.carryTo(copy)).toBe(false)
    expect(copied()).toEqual(['kept', 'large'])
  })
})
