import type { Database } from 'better-sqlite3'
import fc from 'fast-check'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { NewModification } from '#desk/ports/modification-store.ts'
import { openDeskDatabase } from '#local/desk-database.ts'
import { createDraftStore } from '#local/modifications/draft-store.ts'
import { createFactsAppliers } from '#local/ledgers.ts'
import { createModificationLedger, createNoteFacts } from '#local/modifications/modification-ledger.ts'
import { createOutboxStore } from '#local/outbox/outbox-store.ts'
import {
  changeDraft,
  type DraftHistory,
  draftOf,
  type DraftState,
  newDraftHistory,
  undoDepth,
  undoDraft,
} from '#shared/domain/modification.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { commandStates } from '#shared/domain/command-state.ts'
import { noteMarker } from '#shared/domain/references.ts'
import type { ModificationFacts } from '#shared/writes/modification.ts'
import { count, seed } from '#support/counts.ts'
import { commandIdOf, serverIdOf } from '#support/ids.ts'
import { scopeKeyOf } from '../../../support/ids.ts'

let dataDir: string
let database: Database

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'scandesk-modifications-'))
  database = await openDeskDatabase(dataDir)
})
afterEach(async () => {
  database.close()
  await rm(dataDir, { recursive: true, force: true })
})

const variant = (id: string): { id: string; name: string; articleCode: string; ean: string | null } => ({
  id,
  name: `Article ${id}`,
  articleCode: `A-${id}`,
  ean: null,
})

function modification(id: string): NewModification {
  return {
    id,
    reason: 'LOST',
    locationId: 'shelf',
    lines: [
      { variant: variant('b'), quantity: -2 },
      { variant: variant('a'), quantity: -1 },
    ],
    note: 'fell',
    bookedBy: 'sam',
    at: 5,
    command: { id: commandIdOf(`command of ${id}`), type: 'modification.create' },
  }
}

describe('the draft store', () => {
  const acts = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'c') },
      { weight: 2, arbitrary: fc.constant('undo') },
      { weight: 1, arbitrary: fc.constantFrom('clear', 'note', 'reopen') },
    ),
    { maxLength: 40 },
  )

  it('returns the saved draft after every change of the draft and after every reopening of desk.db', async () => {
    await fc.assert(
      fc.asyncProperty(acts, async (all) => {
        let history: DraftHistory = newDraftHistory
        let notes = 0
        const scope = scopeKeyOf(crypto.randomUUID())
        for (const act of all) {
          if (act === 'reopen') {
            database.close()
            database = await openDeskDatabase(dataDir)
          } else if (act === 'undo') history = undoDraft(history)
          else if (act === 'clear') history = changeDraft(history, { kind: 'clear' })
          else if (act === 'note') history = changeDraft(history, { kind: 'note', note: `${++notes}` })
          else history = changeDraft(history, { kind: 'add', variant: variant(act) })
          const store = createDraftStore(database, scope)
          store.save(history)
          expect(store.read()).toEqual(history)
        }
      }),
      { seed, numRuns: count(15, 300) },
    )
  })

  it('returns each field of a draft, even optional ones', () => {
    // `Required`: after a field is added to `DraftState`, the test compiles only if the field is listed here, and
    // passes only if the schema of stored drafts has the field
    const state: { readonly [Field in keyof Required<DraftState>]: NonNullable<DraftState[Field]> } = {
      reason: 'LOST',
      locationId: 'shelf',
      lines: [{ variant: { ...variant('a'), ean: '4006381333931' }, quantity: -2 }],
      note: 'fell',
      step: -1,
      isStepSaid: true,
      corrects: 'a disapproved booking',
    }
    const store = createDraftStore(database, scopeKeyOf('here'))
    store.save([{ seq: 1, cause: 'add', state }])
    expect(store.read()).toEqual([{ seq: 1, cause: 'add', state }])
  })

  it('removes the oldest steps beyond the maximum number of steps to undo', () => {
    const store = createDraftStore(database, scopeKeyOf('here'))
    let history: DraftHistory = newDraftHistory
    for (let i = 0; i < undoDepth + 20; i++) {
      history = changeDraft(history, { kind: 'add', variant: variant('a') })
      store.save(history)
    }
    expect(store.read()).toEqual(history)
    const rows = database.prepare('SELECT count(*) FROM modification_draft').pluck().get()
    expect(rows).toBe(undoDepth + 1)
  })

  it('separates the drafts of two scopes', () => {
    createDraftStore(database, scopeKeyOf('here')).save(
      changeDraft(newDraftHistory, { kind: 'add', variant: variant('a') }),
    )
    expect(createDraftStore(database, scopeKeyOf('there')).read()).toEqual(newDraftHistory)
  })
})

describe('a modification booked at this desk', () => {
  const draft = changeDraft(newDraftHistory, { kind: 'add', variant: variant('a') })

  it('is stored as a row and a queued command, and empties the draft', () => {
    const drafts = createDraftStore(database, scopeKeyOf('here'))
    const ledger = createModificationLedger(database, scopeKeyOf('here'))
    drafts.save(draft)
    const row = ledger.book(modification('m1'))
    expect(row).toMatchObject({
      ...{ id: 'm1', reason: 'LOST', note: 'fell', bookedBy: 'sam', serverId: null, status: null },
      create: { id: 'command of m1', state: 'queued', failure: null },
    })
    expect(row.lines).toEqual(modification('m1').lines)
    expect(drafts.read()).toEqual(newDraftHistory)
    expect(ledger.recent(10)).toEqual([row])
    expect(createModificationLedger(database, scopeKeyOf('there')).get('m1')).toBeNull()
  })

  it('is recognised in the service’s list by the marker at the end of its note, with a search along an index', async () => {
    const prepare = vi.spyOn(database, 'prepare')
    const ledger = createModificationLedger(database, scopeKeyOf('scope'))
    const byMarker = prepare.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes('substr(replace('))
    prepare.mockRestore()
    expect(byMarker).toHaveLength(1)
    const plan = database
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${byMarker[0] ?? ''}`)
      .all({ scope: '', serverId: '', markers: '[]' })
    expect(plan.map(({ detail }) => detail).join()).toMatch(
      /SEARCH m USING (COVERING )?INDEX modifications_by_marker \(scope=\? AND <expr>=\?\)/,
    )
    const id = crypto.randomUUID()
    ledger.book(modification(id))
    const foreign = Array.from({ length: 30 }, () => noteMarker(crypto.randomUUID())).join(' ')
    const rows = [
      { id: serverIdOf('ours'), note: `${foreign} ${noteMarker(id)}` },
      { id: serverIdOf('not marked'), note: null },
      { id: serverIdOf('of another desk'), note: foreign },
      { id: serverIdOf('with our marker among many'), note: `${noteMarker(id)} ${foreign}` },
    ]
    expect(await ledger.notOurs(rows, 10)).toEqual(rows.slice(1))
    expect(await ledger.notOurs(rows, 1)).toEqual(rows.slice(1, 2))
  })

  it('is not recognised by its marker if it was refused or discarded, because the operator may then book the same again', async () => {
    const ledger = createModificationLedger(database, scopeKeyOf('scope'))
    const id = crypto.randomUUID()
    ledger.book(modification(id))
    const rows = [{ id: serverIdOf('arrived'), note: noteMarker(id) }]
    for (const state of commandStates) {
      const others = state === 'rejected' || state === 'discarded' ? rows : []
      database.prepare('UPDATE commands SET state = ? WHERE subject_id = ?').run(state, id)
      expect(await ledger.notOurs(rows, 10), state).toEqual(others)
    }
  })

  it('is found by the id of the modification that it corrects, with a search along an index', () => {
    const prepare = vi.spyOn(database, 'prepare')
    createModificationLedger(database, scopeKeyOf('scope'))
    const reads = prepare.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes('m.corrects = ?'))
    prepare.mockRestore()
    expect(reads).toHaveLength(1)
    const plan = database
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${reads[0] ?? ''}`)
      .all('', '')
      .map(({ detail }) => detail)
    expect(plan.join()).toMatch(/SEARCH m USING INDEX modifications_by_corrects \(scope=\? AND corrects=\?\)/)
    expect(plan.join()).toMatch(
      /SEARCH c USING INDEX commands_by_subject \(subject_kind=\? AND subject_id=\?\)/,
    )
  })

  it('stays in the list of recent modifications while it is refused, even if newer ones fill the list', () => {
    const ledger = createModificationLedger(database, scopeKeyOf('here'))
    for (const id of ['m1', 'm2', 'm3', 'm4']) ledger.book(modification(id))
    database.prepare(`UPDATE commands SET state = 'rejected' WHERE subject_id = 'm1'`).run()
    expect(ledger.recent(2).map(({ id }) => id)).toEqual(['m4', 'm3', 'm1'])
    expect(createModificationLedger(database, scopeKeyOf('there')).recent(2)).toEqual([])
  })

  it('stays in the list of recent modifications only if it is one of the newest or of the 50 oldest refused ones', () => {
    const ledger = createModificationLedger(database, scopeKeyOf('here'))
    for (let number = 0; number < 60; number++) ledger.book(modification(`m${number}`))
    database.prepare(`UPDATE commands SET state = 'rejected'`).run()
    const ids = ledger.recent(2).map(({ id }) => id)
    expect(ids).toHaveLength(52)
    expect(ids).not.toContain('m50')
    expect(ids.slice(0, 3)).toEqual(['m59', 'm58', 'm49'])
  })

  it('leaves no rows and keeps the draft if its command cannot be stored', () => {
    const drafts = createDraftStore(database, scopeKeyOf('here'))
    const ledger = createModificationLedger(database, scopeKeyOf('here'))
    drafts.save(draft)
    ledger.book(modification('m1'))
    drafts.save(draft)
    // with the id of an existing command, the last insert of the transaction fails
    const twice = { ...modification('m2'), command: modification('m1').command }
    expect(() => ledger.book(twice)).toThrow('UNIQUE constraint failed')
    expect(ledger.get('m2')).toBeNull()
    expect(draftOf(drafts.read()).lines).toHaveLength(1)
    expect(database.prepare('SELECT count(*) FROM modification_lines').pluck().get()).toBe(2)
  })

  it('gets its id, reference and status from the service’s response, and is then found by its reference', () => {
    const ledger = createModificationLedger(database, scopeKeyOf('here'))
    const outbox = createOutboxStore(
      database,
      scopeKeyOf('here'),
      createFactsAppliers(database, scopeKeyOf('here')),
    )
    const { create } = ledger.book(modification('m1'))
    const other = ledger.book(modification('m2')).create
    outbox.holdLease('me', 0, 1_000)
    expect(outbox.due(10).map(({ id }) => id)).toEqual([create.id, other.id])
    outbox.begin(create.id, 'me', { at: 10, serviceTime: 10, baseline: null })
    outbox.markUnknown(create.id, 11, failure('modification.outcome_unknown'))
    // a modification with an unknown outcome does not delay the others
    expect(outbox.due(10).map(({ id }) => id)).toEqual([other.id])
    const facts = {
      kind: 'modification',
      serverId: serverIdOf('s1'),
      reference: 'MOD00000000001',
      status: 'created',
    } as const
    expect(outbox.complete(create.id, 20, facts)).toBe(true)
    expect(ledger.byReference('MOD00000000001')).toMatchObject({
      ...{ id: 'm1', serverId: 's1', status: 'created', statusAsOf: 20 },
      create: { state: 'done' },
    })
    expect(
      ledger.noteStatus(
        [
          { ...facts, status: 'approved' },
          { ...facts, serverId: serverIdOf('s9') },
        ],
        30,
      ),
    ).toEqual(['m1'])
    expect(ledger.noteStatus([{ ...facts, status: 'approved' }], 40)).toEqual([])
    expect(ledger.get('m1')).toMatchObject({ status: 'approved', statusAsOf: 40 })
  })

  it('shows when the service last confirmed its status, without a write to desk.db for an unchanged status', () => {
    const ledger = createModificationLedger(database, scopeKeyOf('here'))
    const note = createNoteFacts(database, scopeKeyOf('here'))
    const facts = (n: number, status = 'created'): ModificationFacts => ({
      kind: 'modification',
      serverId: serverIdOf(`s${String(n)}`),
      reference: `MOD${String(n)}`,
      status,
    })
    for (const n of [1, 2, 3]) {
      ledger.book(modification(`m${String(n)}`))
      note(`m${String(n)}`, facts(n), 10 + n)
    }
    const changes = database.prepare<[], number>('SELECT total_changes()').pluck()
    const before = changes.get()
    expect(ledger.noteStatus([facts(1), facts(2)], 40)).toEqual([])
    expect(changes.get()).toBe(before)
    expect(ledger.get('m1')).toMatchObject({ status: 'created', statusAsOf: 40 })
    // the modification whose last confirmation is the oldest comes first
    expect(ledger.undecided(0, 2).map(({ id }) => id)).toEqual(['m3', 'm1'])
    expect(ledger.noteStatus([facts(1), facts(2, 'seen'), { ...facts(3), reference: 'MOD4' }], 50)).toEqual([
      'm2',
    ])
    const stored = database.prepare<[], number>('SELECT status_as_of FROM modifications ORDER BY seq').pluck()
    expect(stored.all()).toEqual([11, 50, 50])
    expect(ledger.get('m3')).toMatchObject({ reference: 'MOD4', statusAsOf: 50 })
  })
})
