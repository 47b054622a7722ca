import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openSqlite } from '#kit/open-sqlite.ts'
import { openDeskDatabase } from '#local/desk-database.ts'
import { deskMigrations } from '#local/desk-schema.ts'
import { createLabelLedger } from '#local/labels/label-ledger.ts'
import { createPrintJobStore } from '#local/labels/print-job-store.ts'
import { createCommandReads } from '#local/outbox/command-rows.ts'
import { migrate, schemaVersion } from '#local/migrate.ts'
import { asCatalogued } from '#local/sqlite-failure.ts'
import { scopeKeyOf } from '#support/ids.ts'
import { makeLabel, StoreBench } from '#support/store-bench.ts'

let bench: StoreBench
beforeEach(async () => {
  bench = await StoreBench.create()
})
afterEach(() => bench.dispose())

describe('desk.db', () => {
  it('is opened so that SQLite syncs each commit to the disk and checks foreign keys', async () => {
    ;(await openDeskDatabase(bench.dataDir)).close()
    const database = await openDeskDatabase(bench.dataDir)
    database.prepare(`INSERT INTO settings (scope, key, value) VALUES ('s', 'k', 'v')`).run()
    expect(database.pragma('synchronous', { simple: true })).toBe(2)
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(database.pragma('foreign_keys', { simple: true })).toBe(1)
    database.close()
  })

  it('has only tables that SQLite declares as strict', async () => {
    const database = await openDeskDatabase(bench.dataDir)
    const loose = database
      .prepare(`SELECT name FROM pragma_table_list WHERE strict = 0 AND name NOT LIKE 'sqlite_%'`)
      .all()
    expect(loose).toEqual([])
    database.close()
  })

  it('has an index on every foreign key, so that a purge does not scan whole tables', async () => {
    const database = await openDeskDatabase(bench.dataDir)
    const keys = database
      .prepare<[], { child: string; column: string }>(
        `SELECT t.name AS child, k."from" AS "column" FROM pragma_table_list t, pragma_foreign_key_list(t.name) k`,
      )
      .all()
    const firstColumns = database
      .prepare<[string], string>(
        `SELECT c.name FROM pragma_index_list(?) i, pragma_index_info(i.name) c WHERE c.seqno = 0`,
      )
      .pluck()
    expect(keys.map(({ child }) => child)).toContain('return_label_codes')
    expect(keys.filter(({ child, column }) => !firstColumns.all(child).includes(column))).toEqual([])
    database.close()
  })

  it('is not opened and not changed if its schema is of another version', async () => {
    const database = await openDeskDatabase(bench.dataDir)
    database.pragma('user_version = 99')
    database.close()
    const file = join(bench.dataDir, 'desk.db')
    const before = await readFile(file)
    await expect(openDeskDatabase(bench.dataDir)).rejects.toMatchObject({
      failure: { code: 'store.other_version', params: { schema: 99, known: deskMigrations.length } },
    })
    expect(await readFile(file)).toEqual(before)
    expect((await readdir(bench.dataDir)).filter((name) => name.startsWith('desk.damaged'))).toEqual([])
  })

  it('is not opened and not put aside if it contains a kind of write that this version does not support', async () => {
    const database = await openDeskDatabase(bench.dataDir)
    database
      .prepare(
        `INSERT INTO commands (id, scope, subject_kind, subject_id, aggregate, type, created_at, state_at)
           VALUES ('c1', 's', 'unheard_of', 'x', 'x', 'unheard_of.create', 1, 1)`,
      )
      .run()
    database.close()
    for (let time = 0; time < 2; time++)
      await expect(openDeskDatabase(bench.dataDir)).rejects.toMatchObject({
        failure: { code: 'store.other_version', params: { kind: 'unheard_of' } },
      })
    expect((await readdir(bench.dataDir)).filter((name) => name.startsWith('desk.damaged'))).toEqual([])
  })

  it('is put aside if it is damaged, and begins empty if neither a backup nor a journal exists', async () => {
    const garbage = 'this is no database, and long enough to be looked at as one by SQLite'.repeat(20)
    await writeFile(join(bench.dataDir, 'desk.db'), garbage)
    const store = await bench.open()
    expect(store.scans.recent(5)).toEqual([])
    const { recovery } = await store.storage.facts()
    expect(recovery).toMatchObject({ backupAt: null, replayed: 0, wholeSince: 0 })
    expect(await readFile(join(bench.dataDir, recovery?.putAside ?? ''), 'utf8')).toBe(garbage)
  })

  it('still contains its labels and scans after it was closed and opened', async () => {
    const store = await bench.open()
    const label = makeLabel(store)
    store.scans.append({ id: 'scan', raw: 'ABC', at: 5 })
    store.close()
    const again = await bench.open()
    expect(again.labels.get(label.id)).toEqual(label)
    expect(again.scans.recent(5)).toEqual([{ id: 'scan', raw: 'ABC', at: 5, kind: 'pending', title: null }])
  })

  it('uses an index for queries about labels and print jobs, without a scan of a table', async () => {
    const database = await openDeskDatabase(bench.dataDir)
    const prepare = vi.spyOn(database, 'prepare')
    createLabelLedger(database, scopeKeyOf('scope'))
    createPrintJobStore(database, scopeKeyOf('scope'))
    const statements = prepare.mock.calls.map(([sql]) => sql)
    prepare.mockRestore()
    const planOf = (part: string): string => {
      const [sql = '', ...others] = statements.filter((each) => each.includes(part))
      expect(others).toEqual([])
      const statement = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      const names = Array.from(sql.matchAll(/@(\w+)/g), ([, name = '']) => [name, null] as const)
      const places = Array.from(sql.matchAll(/\?/g), () => null)
      const rows = names.length > 0 ? statement.all(Object.fromEntries(names)) : statement.all(...places)
      return rows.map(({ detail }) => detail).join('\n')
    }
    expect(planOf('FROM return_labels WHERE scope = ? ORDER BY seq DESC LIMIT ?')).toBe(
      'SEARCH return_labels USING INDEX return_labels_by_scope (scope=?)',
    )
    expect(planOf('SELECT min(seq)')).toContain(
      'SEARCH return_labels USING COVERING INDEX return_labels_by_scope (scope=? AND seq<?)',
    )
    const stepOfSearch =
      'SEARCH return_labels USING INDEX return_labels_by_scope (scope=? AND seq>? AND seq<?)'
    expect(planOf('AND instr(search_text, @text) > 0 ORDER BY seq DESC LIMIT @limit')).toBe(stepOfSearch)
    const perhapsMade = planOf('wished_reference = @reference')
    expect(perhapsMade).toMatch(/return_labels_by_shipment \(scope=\? AND shipment_id=\?\)/)
    expect(perhapsMade).toMatch(/return_labels_by_wish \(scope=\? AND wished_reference=\?\)/)
    expect(perhapsMade).toMatch(/commands_by_subject \(subject_kind=\? AND subject_id=\?\)/)
    expect(planOf('seq > coalesce(')).toMatch(
      /^SEARCH print_jobs USING INDEX print_jobs_open \(scope=\? AND printer=\? AND seq>\?\)\nSCALAR SUBQUERY 1\nSEARCH print_jobs USING COVERING INDEX \w+ \(id=\?\)$/,
    )
    expect(planOf('p.unlisted IS NOT NULL')).toMatch(
      /^SEARCH p USING INDEX print_jobs_unlisted \(scope=\?\)\nSEARCH l USING INDEX \w+ \(id=\?\)$/,
    )
    database.close()
  })

  it('uses indexes to find the oldest and the newest commands that may be sent, without sorting them', async () => {
    const database = await openDeskDatabase(bench.dataDir)
    const prepare = vi.spyOn(database, 'prepare')
    createCommandReads(database, scopeKeyOf('scope'))
    const statements = prepare.mock.calls.map(([sql]) => sql)
    prepare.mockRestore()
    const reads = statements.filter((sql) => /c\.attempts .* ORDER BY c\.seq (DESC )?LIMIT/s.test(sql))
    expect(reads).toHaveLength(2)
    for (const sql of reads) {
      const places = Array.from(sql.matchAll(/\?/g), () => null)
      const plan = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...places)
      expect(plan.map(({ detail }) => detail)).toEqual([
        'SEARCH c USING INDEX commands_open (scope=?)',
        'CORRELATED SCALAR SUBQUERY 1',
        'SEARCH p USING INDEX commands_by_aggregate (scope=? AND aggregate=? AND seq<?)',
      ])
    }
    database.close()
  })

  it('uses an index of due times to find the commands that are due for a check for late effects or for similar records', async () => {
    const database = await openDeskDatabase(bench.dataDir)
    const prepare = vi.spyOn(database, 'prepare')
    createCommandReads(database, scopeKeyOf('scope'))
    const statements = prepare.mock.calls.map(([sql]) => sql)
    prepare.mockRestore()
    const looks = statements.filter((sql) => /watch_at|look_around_at/.test(sql))
    const plans = looks.map((sql) => {
      const places = Array.from(sql.matchAll(/\?/g), () => null)
      const plan = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...places)
      return plan.map(({ detail }) => detail)
    })
    expect(plans).toEqual([
      ['SEARCH c USING INDEX commands_to_watch (scope=? AND watch_at<?)'],
      ['SEARCH c USING INDEX commands_to_watch (scope=? AND watch_at>?)'],
      ['SEARCH c USING COVERING INDEX commands_to_watch (scope=? AND watch_at>?)'],
      ['SEARCH c USING INDEX commands_to_look_around (scope=? AND look_around_at<?)'],
      ['SEARCH c USING INDEX commands_to_look_around (scope=? AND look_around_at>?)'],
      ['SEARCH c USING COVERING INDEX commands_to_look_around (scope=? AND look_around_at>?)'],
    ])
    database.close()
  })

  it('uses an index to find the labels of a shipment, and another one to find the open commands', async () => {
    const database = await openDeskDatabase(bench.dataDir)
    const plan = (sql: string): string =>
      (database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[])
        .map((row) => row.detail)
        .join('\n')
    expect(
      plan(`SELECT * FROM return_labels WHERE scope = 's' AND shipment_id = 'x' ORDER BY seq DESC`),
    ).toContain('return_labels_by_shipment')
    expect(
      plan(
        `SELECT * FROM commands WHERE scope = 's' AND state IN ('queued', 'sending', 'unknown') ORDER BY seq`,
      ),
    ).toContain('commands_open')
    database.close()
  })
})

describe('migrate()', () => {
  const one = { version: 1, sql: 'CREATE TABLE a (x TEXT) STRICT' }
  const two = { version: 2, sql: 'ALTER TABLE a ADD COLUMN y TEXT' }

  it('makes a backup of a database before it changes the schema, unless the database is empty', async () => {
    const file = join(bench.dataDir, 'm.db')
    const backup = (from: number): string => join(bench.dataDir, `m.${from}.db`)
    const database = openSqlite(file, 'precious')
    const backUp = async (from: number): Promise<void> => {
      await database.backup(backup(from))
    }
    await migrate(database, [one], backUp)
    expect(existsSync(backup(0))).toBe(false)
    database.prepare(`INSERT INTO a VALUES ('kept')`).run()
    await migrate(database, [one, two], backUp)
    database.close()
    const copy = new Database(backup(1))
    expect(schemaVersion(copy)).toBe(1)
    expect(copy.prepare('SELECT x FROM a').pluck().all()).toEqual(['kept'])
    copy.close()
  })

  it('keeps the print jobs of earlier versions, whose number of pages is not known', async () => {
    const database = openSqlite(join(bench.dataDir, 'm.db'), 'precious')
    await migrate(database, deskMigrations.slice(0, 2), null)
    database.exec(`INSERT INTO return_labels (id, scope, created_at) VALUES ('label', 'scope', 1);
      INSERT INTO print_jobs (id, scope, label_id, document_hash, printer, is_reprint, created_at, state_at)
        VALUES ('job', 'scope', 'label', 'hash', 'p', 0, 1, 1)`)
    await migrate(database, deskMigrations.slice(0, 3), null)
    const jobs = database.prepare('SELECT id, page_count FROM print_jobs').all()
    expect(jobs).toEqual([{ id: 'job', page_count: null }])
    database.close()
  })

  it('changes nothing if one of its steps fails', async () => {
    const database = openSqlite(join(bench.dataDir, 'm.db'), 'precious')
    await expect(migrate(database, [one, { version: 2, sql: 'NONSENSE' }], null)).rejects.toThrow()
    expect(schemaVersion(database)).toBe(0)
    expect(database.prepare(`SELECT count(*) FROM sqlite_master`).pluck().get()).toBe(0)
    database.close()
  })
})

describe('a write to desk.db', () => {
  it('fails with store.full when the file can grow no further', async () => {
    const database = await openDeskDatabase(bench.dataDir)
    database.pragma(`max_page_count = ${String(database.pragma('page_count', { simple: true }))}`)
    const insert = database.prepare(`INSERT INTO settings (scope, key, value) VALUES ('s', ?, ?)`)
    const fill = (): void => {
      for (let row = 0; row < 1_000; row++) insert.run(String(row), 'x'.repeat(10_000))
    }
    try {
      fill()
      throw new Error('the disk was not full')
    } catch (error) {
      expect(asCatalogued(error)).toMatchObject({ failure: { code: 'store.full' } })
    }
    database.close()
  })
})
