import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSqlite } from '#kit/open-sqlite.ts'
import { deskMigrations } from '#local/desk-migrations.ts'
import { migrate } from '#local/migrate.ts'
import { StoreBench } from '#support/store-bench.ts'

let bench: StoreBench
beforeEach(async () => {
  bench = await StoreBench.create()
})
afterEach(() => bench.dispose())

it('keeps notices, drafts and bookings of the version before, and takes notices of decisions', async () => {
  const old = openSqlite(join(bench.dataDir, 'desk.db'), 'precious')
  await migrate(old, deskMigrations.slice(0, 10), null)
  old.exec(`
    INSERT INTO modifications (id, scope, server_id, reference, status, reason, location_id, note, created_at)
      VALUES ('m1', 'scope', 's1', 'MOD00000000001', 'created', 'LOST', 'shelf', '', 10);
    INSERT INTO commands (id, scope, subject_kind, subject_id, aggregate, type, state, needs_operator, attempts,
      created_at, state_at)
      VALUES ('c1', 'scope', 'modification', 'm1', 'modification m1', 'modification.create', 'done', 0, 1, 10, 11);
    INSERT INTO notices (seq, id, scope, kind, subject_kind, subject_id, at, records, seen, dismissed_at)
      VALUES (3, 'n1', 'scope', 'late', 'modification', 'm1', 12, '[]', '', NULL),
             (5, 'n2', 'scope', 'other_desk', 'modification', 'm1', 13, '[]', '', 14);
    INSERT INTO modification_draft (scope, seq, cause, state) VALUES ('scope', 0, 'start',
      '{"reason":"LOST","locationId":null,"lines":[],"note":"n","step":-1,"isStepSaid":false}');
  `)
  old.close()
  const store = await bench.open()
  expect(store.queue.notices().map(({ id, kind }) => [id, kind])).toEqual([['n1', 'late']])
  expect(store.draft.read()).toMatchObject([{ state: { note: 'n' } }])
  expect(store.modifications.get('m1')).toMatchObject({ corrects: null, correctedBy: null })
  expect(store.modifications.undecided(0, 10)).toEqual([{ id: 'm1', serverId: 's1' }])
  const facts = { kind: 'modification', serverId: 's1', reference: 'MOD00000000001' } as const
  expect(store.modifications.noteStatus([{ ...facts, status: 'approved' }], 20)).toEqual(['m1'])
  expect(store.modifications.undecided(0, 10)).toEqual([])
  const [, approved] = store.queue.notices()
  expect(approved).toMatchObject({ kind: 'approved', subject: { kind: 'modification', id: 'm1' }, at: 20 })
  store.queue.dismissApproved(approved?.id ?? '', 21, 'sam')
  expect(store.queue.notices().map(({ id }) => id)).toEqual(['n1'])
})
