import fs, { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { StorePort } from '#desk/ports/store.ts'
import { openDeskDatabase } from '#local/desk-database.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { scopeKeyOf } from '#support/ids.ts'
import { StoreBench } from '#support/store-bench.ts'

let bench: StoreBench
beforeEach(async () => {
  bench = await StoreBench.create()
})
afterEach(() => bench.dispose())

const dayMs = 24 * 3600_000
const gone = scopeKeyOf('gone')
const labels = 150

/** SQL of the rows of one scope. `@n` is a number, `@id` is unique, and `@file` is the path of a print file. */
const rows = [
  `INSERT INTO settings VALUES (@scope, 'key ' || @n, 'value', NULL)`,
  `INSERT INTO scans (id, scope, raw, at) SELECT @id || ' ' || value, @scope, 'raw', 1
     FROM json_each('[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]')`,
  `INSERT INTO scan_choices VALUES (@scope, 'code', @id, 'anything', 'article', NULL, NULL, 1, 1)`,
  `INSERT INTO return_labels (id, scope, created_at, document_hash) VALUES (@id, @scope, 1, @hash)`,
  `INSERT INTO return_label_codes VALUES (@scope, 'code', @id)`,
  `INSERT INTO print_jobs (id, scope, label_id, document_hash, printer, is_reprint, created_at, state, state_at, file)
     VALUES ('job ' || @id, @scope, @id, @hash, 'folder', 0, 1, 'confirmed', 1, @file)`,
  `INSERT INTO print_decisions (job_id, at, decision) VALUES ('job ' || @id, 1, 'reprint')`,
  `INSERT INTO commands (id, scope, subject_kind, subject_id, aggregate, type, created_at, state, state_at)
     VALUES ('create ' || @id, @scope, 'return_label', @id, @id, 'return_label.create', 1, 'done', 1),
       ('book ' || @id, @scope, 'modification', 'booking ' || @id, @id, 'modification.create', 1, 'done', 1)`,
  `INSERT INTO history (subject_id, at, from_state, to_state) VALUES ('create ' || @id, 1, 'queued', 'done'),
     ('book ' || @id, 1, 'queued', 'done'), ('job ' || @id, 1, 'queued', 'confirmed')`,
  `INSERT INTO decisions (scope, command_id, at, decision, shown) VALUES (@scope, 'create ' || @id, 1, 'retry', '{}')`,
  `INSERT INTO notices (id, scope, kind, subject_kind, subject_id, at, records, seen)
     VALUES ('notice ' || @id, @scope, 'late', 'return_label', @id, 1, '[]', '')`,
  `INSERT INTO modifications (id, scope, created_at, reason, location_id, note)
     VALUES ('booking ' || @id, @scope, 1, 'LOST', 'location', 'note')`,
  `INSERT INTO modification_lines VALUES ('booking ' || @id, 1, 'variant', 'name', 'article', NULL, -1)`,
  `INSERT INTO modification_draft VALUES (@scope, @n, 'note', '{}', 1)`,
  `INSERT INTO locations VALUES (@scope, @id, NULL, NULL, 'scan', 1, 0)`,
  `INSERT INTO modifications_read VALUES (@scope, @id)`,
]

/** Stores the same number of rows for the scopes `gone` and `stays`. Both have the document `shared`. */
async function fill(): Promise<void> {
  const database = await openDeskDatabase(bench.dataDir)
  for (const folder of ['labels', 'vault']) mkdirSync(join(bench.dataDir, folder))
  for (const hash of ['gone', 'stays', 'shared'])
    writeFileSync(join(bench.dataDir, 'vault', `${hash}.pdf`), '%PDF-1.4')
  database.transaction(() => {
    for (const scope of ['gone', 'stays'])
      for (let n = 0; n < labels; n++) {
        const file = fileOf(scope, n)
        writeFileSync(file, '%PDF-1.4')
        const hash = n === 0 ? 'shared' : scope
        for (const sql of rows) {
          const all = { scope, n, id: `${scope} ${n}`, hash, file }
          const used = Object.entries(all).filter(([name]) => new RegExp(`@${name}\\b`).test(sql))
          database.prepare(sql).run(Object.fromEntries(used))
        }
      }
  })()
  database.close()
}

function fileOf(scope: string, n: number): string {
  return join(bench.dataDir, 'labels', `${scope} ${n}.pdf`)
}

/** Returns the number of rows of each table of desk.db, except the tables that belong to no station. */
function counts(): Record<string, number> {
  const database = new Database(join(bench.dataDir, 'desk.db'), { readonly: true })
  const tables = database
    .prepare<[], string>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
         AND name NOT IN ('leases', 'journal_position')`,
    )
    .pluck()
    .all()
  const all = tables.map((table) => {
    return [table, Number(database.prepare(`SELECT count(*) FROM ${table}`).pluck().get())] as const
  })
  database.close()
  return Object.fromEntries(all)
}

function reopen(store: StorePort, scope: string): Promise<StorePort> {
  store.close()
  return bench.open(scope)
}

it('the removal of a scope deletes a damaged recent.db that was put aside, because it may contain records of the scope', async () => {
  writeFileSync(
    join(bench.dataDir, 'recent.db'),
    'not a database at all, but long enough to be one'.repeat(100),
  )
  const store = await bench.open('desk')
  const aside = join(bench.dataDir, 'recent.damaged.db')
  expect(existsSync(aside)).toBe(true)
  await store.storage.removeScope(gone)
  expect(existsSync(aside)).toBe(false)
})

it('the removal of a scope removes its rows from every table in portions, and its files, also when the journal is replayed', async () => {
  await fill()
  let store = await bench.open('desk')
  const before = counts()
  expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([])
  const half = Object.fromEntries(Object.entries(before).map(([table, count]) => [table, count / 2]))
  const state = { isOver: false }
  const end = store.storage.removeScope(gone).finally(() => (state.isOver = true))
  const sum = (): number => Object.values(counts()).reduce((one, other) => one + other, 0)
  const removed: number[] = []
  for (let last = sum(); !state.isOver; await new Promise((turn) => setImmediate(turn))) {
    removed.push(last - sum())
    last = sum()
  }
  expect(await end).toBeNull()
  // one label has about ten rows, so a portion has less than 600 rows
  expect(Math.max(...removed)).toBeLessThan(1_200)
  expect(removed.filter((count) => count > 0).length).toBeGreaterThan(5)
  expect(counts()).toEqual(half)
  expect([fileOf('gone', 1), fileOf('stays', 1)].map((file) => existsSync(file))).toEqual([false, true])
  const pdfs = ['gone', 'stays', 'shared'].map((hash) => join(bench.dataDir, 'vault', `${hash}.pdf`))
  expect(pdfs.map((file) => existsSync(file))).toEqual([false, true, true])

  store.close()
  rmSync(join(bench.dataDir, 'desk.db'))
  store = await bench.open('desk')
  expect(await store.storage.facts()).toMatchObject({ recovery: { wholeSince: null } })
  expect(counts()).toEqual(half)
})

it('a label whose print file cannot be deleted is not found at its station, and the purge removes it later', async () => {
  await fill()
  let store = await bench.open('desk')
  const remove = fs.rmSync
  const spy = vi.spyOn(fs, 'rmSync').mockImplementation((file, options) => {
    if (file === fileOf('gone', 7)) throw Object.assign(new Error('locked'), { code: 'EBUSY' })
    remove(file, options)
  })
  syncBuiltinESMExports()
  const kept = await store.storage.removeScope(gone)
  spy.mockRestore()
  syncBuiltinESMExports()
  expect(kept).toEqual(failure('purge.files_kept', { labels: 1, cause: 'EBUSY' }))
  store = await reopen(store, 'gone')
  expect([store.labels.recent(10), store.scans.recent(10), store.outbox.open()]).toEqual([[], [], []])
  expect(existsSync(fileOf('gone', 7))).toBe(true)
  expect(await store.storage.purge(400 * dayMs, 30)).toBeNull()
  expect(existsSync(fileOf('gone', 7))).toBe(false)
  store = await reopen(store, 'stays')
  expect(counts()).toMatchObject({ return_labels: labels, print_jobs: labels })
})
