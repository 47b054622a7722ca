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

const facts = { kind: 'modification', serverId: 's1', reference: 'MOD1', status: 'created' }

function booking(serverId: string, lines: number): object {
  const line = { name: 'n'.repeat(200), articleCode: 'MUG', quantity: -1 }
  const brief = {
    kind: 'modification',
    reason: 'LOST',
    locationCode: 'A',
    lines: Array.from({ length: lines }, (_, quantity) => ({ ...line, quantity })),
  }
  const times = { createdAt: '2026-03-01T12:00:00.000Z', note: null, requested: false }
  return { record: { serverId, reference: 'MOD1', ...times, brief }, facts }
}

it('cuts questions and notices that the version before stored, and keeps one open notice of each', async () => {
  const old = openSqlite(join(bench.dataDir, 'desk.db'), 'precious')
  await migrate(old, deskMigrations.slice(0, 12), null)
  const command =
    old.prepare(`INSERT INTO commands (id, scope, subject_kind, subject_id, aggregate, type, state,
    needs_operator, attempts, created_at, state_at, question)
    VALUES (?, 'scope', 'modification', ?, ?, 'modification.create', ?, 1, 1, 10, 11, ?)`)
  const ask = (id: string, state: string, kind: string, lines: number): void => {
    const question = JSON.stringify({ kind, records: [booking('s1', lines), booking('s2', lines)] })
    command.run(id, id, id, state, question)
  }
  ask('small', 'queued', 'exists', 2)
  ask('exists', 'queued', 'exists', 1_000)
  ask('outcome', 'unknown', 'outcome', 1_000)
  const notice =
    old.prepare(`INSERT INTO notices (id, scope, kind, subject_kind, subject_id, at, records, seen)
    VALUES (?, 'scope', ?, 'modification', ?, 12, ?, ?)`)
  const note = (id: string, subject: string, ...records: readonly object[]): void =>
    void notice.run(id, 'other_desk', subject, JSON.stringify(records), id)
  for (let number = 0; number < 5; number++) note(`n${number}`, 'm1', booking(`s${number}`, 1_000))
  note('small', 'm2', booking('s1', 3))
  note('odd', 'm3', { kind: 'x'.repeat(50_000) })
  old.close()
  const store = await bench.open()
  expect(store.outbox.get('small')?.question).toMatchObject({ kind: 'exists', records: [{}, {}] })
  // is looked for and asked about again before it is sent
  expect(store.outbox.get('exists')).toMatchObject({ needsOperator: false, question: null, state: 'queued' })
  // what looking does not tell is still for the operator
  expect(store.outbox.get('outcome')).toMatchObject({
    needsOperator: true,
    question: { kind: 'outcome', records: [] },
  })
  const notices = store.queue.notices()
  expect(notices.map(({ id }) => id)).toEqual(['n4', 'small', 'odd'])
  const [last, small, odd] = notices
  const shown = last?.records[0]?.record
  expect(shown).toMatchObject({ serverId: 's4', brief: { moreLines: 980 } })
  expect(shown?.brief.kind === 'modification' && shown.brief.lines.map(({ quantity }) => quantity)).toEqual(
    Array.from({ length: 20 }, (_, at) => at),
  )
  expect(small?.records).toEqual([booking('s1', 3)])
  expect(odd?.records).toEqual([])
})
