import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSqlite } from '#kit/open-sqlite.ts'
import { openDeskDatabase } from '#local/desk-database.ts'
import { listBackups } from '#local/journal/backups.ts'
import { migrate, schemaVersion } from '#local/migrate.ts'
import { deskGround } from '#local/migrations/desk-0001-ground.ts'
import { StoreBench } from '#support/store-bench.ts'

let bench: StoreBench
beforeEach(async () => {
  bench = await StoreBench.create()
})
afterEach(() => bench.dispose())

/** A desk.db as the first version left it: one printed label, one whose creation nobody knows about. */
async function firstVersion(): Promise<void> {
  const database = openSqlite(join(bench.dataDir, 'desk.db'), 'precious')
  await migrate(database, [deskGround], null)
  database.exec(`
    INSERT INTO return_labels (id, scope, shipment_id, shipment_reference, server_id, external_reference,
      tracking_code, document_hash, made_by, created_at)
      VALUES ('printed', 'scope', 's1', 'SHP1', 'server', 'WEB-1.R', 'RT1', 'hash', 'sam', 10),
             ('lost', 'scope', 's2', 'SHP2', NULL, NULL, NULL, NULL, NULL, 20);
    INSERT INTO return_label_codes (scope, code, label_id) VALUES ('scope', 'RT1', 'printed');
    INSERT INTO print_jobs (id, scope, label_id, document_hash, printer, state, is_reprint, created_at, state_at)
      VALUES ('job', 'scope', 'printed', 'hash', 'folder', 'confirmed', 0, 12, 13);
    INSERT INTO commands (id, scope, label_id, aggregate, type, state, needs_operator, attempts, created_at, state_at,
      first_sent_at, ended_at, baseline, failure)
      VALUES ('c1', 'scope', 'printed', 'shipment s1', 'return_label.create', 'done', 0, 1, 10, 11, 9, NULL, '["x"]', NULL),
             ('r1', 'scope', 'printed', 'shipment s1', 'return_label.request', 'done', 0, 2, 10, 12, 9, NULL, NULL, NULL),
             ('c2', 'scope', 'lost', 'shipment s2', 'return_label.create', 'unknown', 1, 1, 20, 21, 19, 22, '["y"]',
               '{"code":"return_label.outcome_unknown","params":{"cause":"network.timeout"}}'),
             ('r2', 'scope', 'lost', 'shipment s2', 'return_label.request', 'queued', 0, 0, 20, 20, NULL, NULL, NULL, NULL);
  `)
  database.close()
}

const tables = ['return_labels', 'return_label_codes', 'print_jobs', 'commands']

function countRows(database: Database): number[] {
  return tables.map((table) => Number(database.prepare(`SELECT count(*) FROM ${table}`).pluck().get()))
}

it('loses no row and no reference between rows', async () => {
  await firstVersion()
  const database = await openDeskDatabase(bench.dataDir)
  expect(countRows(database)).toEqual([2, 1, 1, 4])
  expect(database.pragma('foreign_key_check')).toEqual([])
  expect(database.prepare('SELECT id FROM commands ORDER BY seq').pluck().all()).toEqual([
    'c1',
    'r1',
    'c2',
    'r2',
  ])
  // the references still bite
  expect(() =>
    database.exec(`INSERT INTO return_label_codes (scope, code, label_id) VALUES ('scope', 'X', 'nobody')`),
  ).toThrow(/FOREIGN KEY/)
  database.close()
  const [backup, ...others] = listBackups(join(bench.dataDir, 'backups'))
  expect(others).toEqual([])
  const copy = openSqlite(backup?.file ?? '', 'precious')
  expect(schemaVersion(copy)).toBe(1)
  copy.close()
})

it('shows the same labels and goes on with their commands', async () => {
  await firstVersion()
  const store = await bench.open()
  expect(store.labels.byCode('RT1')).toMatchObject({
    id: 'printed',
    origin: 'desk',
    requested: true,
    cancelled: false,
    externalReference: 'WEB-1.R',
    create: { id: 'c1', state: 'done' },
    request: { id: 'r1', state: 'done' },
    print: { id: 'job', state: 'confirmed' },
    asOf: 12,
  })
  expect(store.labels.get('lost')).toMatchObject({
    requested: false,
    create: { state: 'unknown', isUntouched: false },
    request: { state: 'queued', isUntouched: true },
    trouble: { code: 'return_label.outcome_unknown' },
  })
  expect(store.outbox.get('c2')).toMatchObject({
    subject: { kind: 'return_label', id: 'lost' },
    payload: null,
    baseline: ['y'],
    firstSentAt: 19,
    endedAt: 22,
    needsOperator: true,
  })
  expect(store.labels.search('web-1', 10).labels.map((label) => label.id)).toEqual(['printed'])
  expect(store.labels.search('', 10).found).toBe(2)
})
