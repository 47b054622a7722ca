import type { CommandId } from '#shared/domain/ids.ts'
import { join } from 'node:path'
import Database, { type Statement } from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LabelStep } from '#desk/ports/label-ledger.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { movedCommand } from '#shared/domain/command-state.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import { deskStopped, failure } from '#shared/errors/catalogue.ts'
import { ok } from '#shared/errors/result.ts'
import { count, seed } from '#support/counts.ts'
import { commandOf, copyCommands, makeLabel, StoreBench } from '#support/store-bench.ts'
import { commandIdOf, serverLabelIdOf } from '#support/ids.ts'
import { describedLabel } from '#support/described-label.ts'

let bench: StoreBench
let store: StorePort
const said = describedLabel('s1', { externalReference: 'WEB-1' })
const facts = { kind: 'return_label', label: said, isCancelled: false } as const
const requestedFacts = { ...facts, label: { ...said, requested: true } } as const
const why = failure('network.timeout')
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const attempt = { at: 10, serviceTime: 9, baseline: ['x'] }

beforeEach(async () => {
  bench = await StoreBench.create()
  store = await bench.open()
  store.outbox.holdLease('me', 0, 1_000)
})
afterEach(() => bench.dispose())

const due = (): string[] => store.outbox.due(10).map((command) => command.id)

describe('the outbox store', () => {
  it('returns one due command of each shipment at a time, in the order in which the commands were added', () => {
    const first = makeLabel(store, 'a')
    const other = makeLabel(store, 'b')
    expect(due()).toEqual([commandOf(first, 'create'), commandOf(other, 'create')])
    expect(store.outbox.begin(commandOf(first, 'create'), 'me', attempt)).toBe(true)
    expect(due()).toEqual([commandOf(other, 'create')])
    store.outbox.markUnknown(commandOf(first, 'create'), 20, why)
    expect(due()).toEqual([commandOf(other, 'create')])
    store.outbox.complete(commandOf(first, 'create'), 30, facts)
    expect(due()).toEqual([commandOf(first, 'request'), commandOf(other, 'create')])
    expect(store.labels.get(first.id)).toMatchObject({ serverId: 's1', create: { state: 'done' } })
    expect(store.labels.isClaimed(serverLabelIdOf('s1'))).toBe(true)
  })

  it('withdraws the questions that it returns for a failure, and no other question', () => {
    const [role, refused, other, exists] = ['a', 'b', 'c', 'd'].map((name) =>
      commandOf(makeLabel(store, name), 'create'),
    )
    if (!role || !refused || !other || !exists) throw new Error('four commands')
    const changed = { kind: 'changed' } as const
    const noRole = failure('api.role_missing', { status: 403 })
    for (const id of [role, refused]) store.outbox.ask(id, changed, noRole)
    store.outbox.ask(other, changed, failure('article.gone'))
    store.outbox.ask(exists, { kind: 'exists', records: [] }, noRole)
    store.outbox.reject(refused, 20, noRole, null)
    expect(store.outbox.askedBecauseOf('api.role_missing').map(({ id }) => id)).toEqual([role])
    store.outbox.withdraw([role, refused])
    expect(due()).toEqual([role])
    expect(store.outbox.get(role)).toMatchObject({ needsOperator: false, question: null, failure: null })
    expect(store.outbox.get(refused)).toMatchObject({ state: 'rejected', failure: noRole })
    expect(store.outbox.askedBecauseOf('api.role_missing')).toEqual([])
  })

  it('returns as many due commands with an attempt as without one, and returns the commands without an attempt first', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'].map((name) => commandOf(makeLabel(store, name), 'create'))
    for (const id of ids.slice(0, 3)) {
      store.outbox.begin(id, 'me', attempt)
      store.outbox.requeue(id, 20, why)
    }
    const [first, second, , fourth, fifth] = ids
    expect(store.outbox.due(2).map(({ id }) => id)).toEqual([fourth, fifth, first, second])
  })

  it('returns first the commands that the caller names, even beyond the limit, if they are due', () => {
    const labels = ['a', 'b', 'c', 'd'].map((name) => makeLabel(store, name))
    const creates = labels.map((label) => commandOf(label, 'create'))
    const [a, b, c, d] = creates
    if (!labels[0] || !c) throw new Error('four labels')
    store.outbox.ask(c, { kind: 'changed' }, why)
    const wanted = [d, c, commandOf(labels[0], 'request'), a].flatMap((id) => id ?? [])
    expect(store.outbox.due(1, wanted).map(({ id }) => id)).toEqual([d, a])
    expect(store.outbox.due(2, wanted).map(({ id }) => id)).toEqual([d, a, b])
  })

  it('also returns the newest commands without an attempt, after the oldest ones and each command once', () => {
    const creates = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => commandOf(makeLabel(store, name), 'create'))
    const [a, b, c, d, e, f] = creates
    if (!a || !b || !e) throw new Error('six labels')
    store.outbox.begin(a, 'me', attempt)
    store.outbox.requeue(a, 20, why)
    store.outbox.ask(e, { kind: 'changed' }, why)
    const ids = (limit: number, newest: number, first: readonly CommandId[] = []): string[] =>
      store.outbox.due(limit, first, newest).map(({ id }) => id)
    expect(ids(1, 1)).toEqual([b, f, a])
    expect(ids(2, 2)).toEqual([b, c, d, f, a])
    expect(ids(3, 9)).toEqual([b, c, d, f, a])
    expect(ids(9, 9)).toEqual([b, c, d, f, a])
    expect(ids(1, 1, f ? [f] : [])).toEqual([f, b, a])
  })

  it('lists the commands of unknown outcome without reading their columns `question` and `baseline`', async () => {
    const label = makeLabel(store)
    const id = commandOf(label, 'create')
    store.outbox.begin(id, 'me', { ...attempt, baseline: ['x'.repeat(10_000)] })
    store.outbox.markUnknown(id, 20, why)
    const record = {
      ...{ serverId: serverLabelIdOf('s1'), reference: null, createdAt: '2026-01-01T00:00:00+00:00' },
      ...{ note: 'n'.repeat(10_000), requested: false },
      brief: {
        ...{ kind: 'return_label' as const, shipmentReference: null, externalReference: null },
        ...{ methodCode: null, senderName: null, senderCity: null },
      },
    }
    expect(store.outbox.ask(id, { kind: 'outcome', records: [{ record, facts }] }, null)).toBe(true)
    const statements = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1')) as Statement
    // the method is replaced before the second store is opened, because a store keeps the methods of its statements
    const read = vi.spyOn(statements, 'all')
    const other = await bench.open()
    read.mockClear()
    const listed = other.outbox.unknown()
    const rows = read.mock.results.map(({ value }) => value as unknown)
    read.mockRestore()
    expect(listed).toEqual([{ id, subject: { kind: 'return_label', id: label.id }, endedAt: 20 }])
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows).length).toBeLessThan(1_000)
    expect(store.outbox.get(id)?.question).not.toBeNull()
  })

  it('discards the commands that depend on a refused command', () => {
    const label = makeLabel(store)
    store.outbox.begin(commandOf(label, 'create'), 'me', attempt)
    store.outbox.reject(commandOf(label, 'create'), 20, why, null)
    expect(store.labels.get(label.id)).toMatchObject({
      create: { state: 'rejected', failure: why },
      request: { state: 'discarded' },
    })
    expect(store.outbox.open()).toEqual([])
  })

  it('discards the queued request of a label after a refused change, but not its queued cancellation', () => {
    const label = makeLabel(store)
    store.outbox.begin(commandOf(label, 'create'), 'me', attempt)
    store.outbox.complete(commandOf(label, 'create'), 11, facts)
    const add = (kind: 'patch' | 'request' | 'cancel'): LabelStep => ({
      do: 'add',
      command: { id: commandIdOf(`${kind} of it`), type: labelCommands[kind], payload: null },
    })
    const changed = store.labels.change(label.id, { at: 12, by: null }, ({ request }) =>
      ok([
        { do: 'discard', commandId: request?.id ?? commandIdOf('none') },
        add('patch'),
        add('request'),
        add('cancel'),
      ]),
    )
    expect(changed).toMatchObject({ ok: true, value: { request: { state: 'queued' } } })
    store.outbox.begin(commandIdOf('patch of it'), 'me', attempt)
    store.outbox.reject(commandIdOf('patch of it'), 20, why, null)
    expect(store.labels.get(label.id)).toMatchObject({
      patch: { state: 'rejected' },
      request: { state: 'discarded' },
      cancel: { state: 'queued' },
      trouble: why,
    })
  })

  it('keeps the queued request of a label after the refusal of a change if a newer change is queued ahead of the request', () => {
    const label = makeLabel(store)
    store.outbox.begin(commandOf(label, 'create'), 'me', attempt)
    store.outbox.complete(commandOf(label, 'create'), 11, facts)
    const add = (id: CommandId, kind: 'patch' | 'request'): LabelStep => ({
      do: 'add',
      command: { id, type: labelCommands[kind], payload: null },
    })
    store.labels.change(label.id, { at: 12, by: null }, ({ request }) =>
      ok([
        { do: 'discard', commandId: request?.id ?? commandIdOf('none') },
        add(commandIdOf('first'), 'patch'),
        add(commandIdOf('second'), 'patch'),
        add(commandIdOf('request'), 'request'),
      ]),
    )
    store.outbox.begin(commandIdOf('first'), 'me', attempt)
    store.outbox.reject(commandIdOf('first'), 20, why, null)
    expect(store.labels.get(label.id)).toMatchObject({
      patch: { id: 'second' },
      request: { state: 'queued' },
    })
    store.outbox.begin(commandIdOf('second'), 'me', attempt)
    store.outbox.reject(commandIdOf('second'), 30, why, null)
    expect(store.labels.get(label.id)).toMatchObject({
      patch: { state: 'rejected', movedAt: 30 },
      request: { state: 'discarded', movedAt: 30 },
    })
  })

  it('keeps the time and the baseline (the records that existed before) of the first attempt that the service may have applied', () => {
    const create = { id: commandOf(makeLabel(store), 'create') }
    store.outbox.begin(create.id, 'me', attempt)
    store.outbox.requeue(create.id, 20, why)
    expect(store.outbox.get(create.id)).toMatchObject({ firstSentAt: null, baseline: null, attempts: 1 })

    store.outbox.begin(create.id, 'me', attempt)
    store.outbox.markUnknown(create.id, 30, why)
    store.outbox.requeue(create.id, 40, null)
    store.outbox.begin(create.id, 'me', { at: 50, serviceTime: 51, baseline: ['y'] })
    expect(store.outbox.get(create.id)).toMatchObject({ firstSentAt: 9, baseline: ['x'], endedAt: 30 })
  })

  it('deletes the baseline (the records that existed before) of a command when the command ends, if the outcome of every attempt was known', () => {
    const baselineOf = (id: CommandId): readonly string[] | null | undefined => store.outbox.get(id)?.baseline
    const [arrived, refused] = [commandOf(makeLabel(store), 'create'), commandOf(makeLabel(store), 'create')]
    for (const id of [arrived, refused]) store.outbox.begin(id, 'me', attempt)
    expect(baselineOf(arrived)).toEqual(['x'])
    store.outbox.complete(arrived, 20, facts)
    store.outbox.reject(refused, 20, why, null)
    expect([baselineOf(arrived), baselineOf(refused)]).toEqual([null, null])
  })

  it('keeps the baseline (the records that existed before) of a command with an ambiguous attempt until the last check for late effects', () => {
    const id = commandOf(makeLabel(store), 'create')
    store.outbox.begin(id, 'me', attempt)
    store.outbox.markUnknown(id, 30, why)
    store.outbox.complete(id, 40, facts)
    store.outbox.watched([{ id, endedAt: 30, watchFrom: null, nextAt: 100 }])
    expect(store.outbox.get(id)?.baseline).toEqual(['x'])
    store.outbox.watched([{ id, endedAt: 30, watchFrom: null, nextAt: null }])
    expect(store.outbox.get(id)?.baseline).toBeNull()
  })

  it('lists an ended command for its first check for late effects one minute after its ambiguous attempt, and for each later check at the stored time', () => {
    const id = commandOf(makeLabel(store), 'create')
    const watches = (now: number): string[] => store.outbox.toWatch(now, now + dayMs).map((one) => one.id)
    store.outbox.begin(id, 'me', attempt)
    store.outbox.markUnknown(id, 30, why)
    expect(watches(dayMs)).toEqual([])
    expect(store.outbox.nextWatch()).toBeNull()
    store.outbox.complete(id, 40, facts)
    const first = 30 + minuteMs
    expect(watches(first - 1)).toEqual([])
    expect(watches(first)).toEqual([id])
    // a look that was due long ago, or is too far ahead because the clock was set back, is due
    expect(watches(first + 365 * dayMs)).toEqual([id])
    expect(watches(first - dayMs)).toEqual([])
    expect(watches(first - dayMs - 1)).toEqual([id])
    expect(store.outbox.nextWatch()).toBe(first)
    store.outbox.watched([{ id, endedAt: 30, watchFrom: 50, nextAt: dayMs }])
    expect(watches(dayMs - 1)).toEqual([])
    expect(store.outbox.toWatch(dayMs, dayMs)).toMatchObject([{ id, watchAt: dayMs, watchFrom: 50 }])
    expect(store.outbox.nextWatch()).toBe(dayMs)
    store.outbox.watched([{ id, endedAt: 30, watchFrom: null, nextAt: null }])
    expect(watches(dayMs)).toEqual([])
  })

  it('lists a command as due for a check for late effects only if one of its attempts was ambiguous', () => {
    const ids = [commandOf(makeLabel(store, 'a'), 'create'), commandOf(makeLabel(store, 'b'), 'create')]
    for (const id of ids) store.outbox.begin(id, 'me', attempt)
    store.outbox.complete(ids[0] ?? commandIdOf('none'), 20, facts)
    store.outbox.reject(ids[1] ?? commandIdOf('none'), 20, why, null)
    expect(store.outbox.toWatch(dayMs, dayMs)).toEqual([])
  })

  it('ignores the result of a check for late effects if the command is open again, or if the check was not for the last ambiguous attempt', () => {
    const id = commandOf(makeLabel(store), 'create')
    store.outbox.begin(id, 'me', attempt)
    store.outbox.markUnknown(id, 30, why)
    store.outbox.requeue(id, 40, null)
    store.outbox.begin(id, 'me', { ...attempt, at: 50 })
    store.outbox.reject(id, 60, why, null)
    expect(store.outbox.nextWatch()).toBe(30 + minuteMs)
    store.outbox.requeue(id, 70, null)
    store.outbox.watched([{ id, endedAt: 30, watchFrom: null, nextAt: dayMs }])
    store.outbox.begin(id, 'me', { ...attempt, at: 80 })
    store.outbox.markUnknown(id, 90, why)
    store.outbox.discard(id, 100)
    store.outbox.watched([{ id, endedAt: 30, watchFrom: null, nextAt: dayMs }])
    expect(store.outbox.nextWatch()).toBe(90 + minuteMs)
    expect(store.outbox.get(id)?.baseline).toEqual(['x'])
  })

  it('reads only the commands whose check is due, and none of their long fields', async () => {
    const label = makeLabel(store)
    const id = commandOf(label, 'create')
    store.outbox.begin(id, 'me', { ...attempt, baseline: ['x'.repeat(10_000)] })
    store.outbox.markUnknown(id, 20, why)
    store.outbox.complete(id, 30, facts)
    const file = new Database(join(bench.dataDir, 'desk.db'))
    copyCommands(file, 100, 'done', 0)
    file.exec(`UPDATE commands SET watch_at = 1000000, look_around_at = 1000000 WHERE id LIKE 'done-%'`)
    file.close()
    const statements = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1')) as Statement
    const read = vi.spyOn(statements, 'all')
    const other = await bench.open()
    read.mockClear()
    const [watches, looks] = [
      other.outbox.toWatch(999_999, 2_000_000),
      other.outbox.toLookAround(30, 2_000_000),
    ]
    const rows = read.mock.results.flatMap(({ value }) => value as unknown[])
    read.mockRestore()
    const times = { createdAt: label.createdAt, firstSentAt: 9, endedAt: 20 }
    const short = { id, type: 'return_label.create', ...times, sendsUnseen: false }
    expect([watches, looks]).toEqual([[{ ...short, watchAt: 20 + minuteMs, watchFrom: null }], [short]])
    expect(rows).toHaveLength(2)
    expect(JSON.stringify(rows).length).toBeLessThan(1_000)
    expect(other.outbox.nextLookAround()).toBe(30)
  })

  it('lists a creation as due for its check for similar creations also if the stored time of this check is too far in the future because the clock was set back', () => {
    const id = commandOf(makeLabel(store), 'create')
    store.outbox.begin(id, 'me', attempt)
    store.outbox.complete(id, dayMs, facts)
    const due = (now: number): string[] => store.outbox.toLookAround(now, now + minuteMs).map((one) => one.id)
    expect(due(dayMs)).toEqual([id])
    expect(due(dayMs - minuteMs)).toEqual([])
    expect(due(dayMs - minuteMs - 1)).toEqual([id])
    store.outbox.lookedAround(id, null)
    expect([due(dayMs), store.outbox.nextLookAround()]).toEqual([[], null])
  })

  it('marks the commands that were being sent as `unknown` if the holder of the lease starts the recovery', () => {
    const create = { id: commandOf(makeLabel(store), 'create') }
    store.outbox.begin(create.id, 'me', attempt)
    expect(store.outbox.recover('you', 20)).toBe(0)
    expect(store.outbox.recover('me', 20)).toBe(1)
    expect(store.outbox.get(create.id)).toMatchObject({
      state: 'unknown',
      endedAt: 20,
      failure: { code: 'return_label.outcome_unknown', params: { cause: deskStopped } },
    })
  })

  it('changes a command to `sending` only for the holder of the lease', async () => {
    const create = { id: commandOf(makeLabel(store), 'create') }
    const second = await bench.open()
    expect(second.outbox.holdLease('you', 10, 1_000)).toBe(false)
    expect(second.outbox.begin(create.id, 'you', attempt)).toBe(false)
    expect(second.outbox.holdLease('you', 1_000, 1_000)).toBe(true)
    expect(store.outbox.begin(create.id, 'me', attempt)).toBe(false)
    second.outbox.releaseLease('you')
    expect(store.outbox.holdLease('me', 1_001, 1_000)).toBe(true)
  })

  it('gives the lease to the next holder of this process at once, although its release could not be stored', async () => {
    const second = await bench.open()
    store.close()
    expect(() => store.outbox.releaseLease('me')).toThrow()
    expect(second.outbox.holdLease('you', 10, 1_000)).toBe(true)
  })

  it('returns only commands of its own scope', async () => {
    const create = { id: commandOf(makeLabel(store), 'create') }
    const other = await bench.open('elsewhere')
    expect(other.outbox.open()).toEqual([])
    expect(other.outbox.get(create.id)).toBeNull()
    expect(other.labels.recent(10)).toEqual([])
    expect(other.outbox.holdLease('you', 0, 1_000)).toBe(true)
    expect(other.outbox.reject(create.id, 20, why, null)).toBe(false)
  })

  it('stores every transition of a command in the history, but repeated attempts while offline only once', () => {
    const id = commandOf(makeLabel(store), 'create')
    const offline = failure('network.offline')
    const file = new Database(join(bench.dataDir, 'desk.db'), { readonly: true })
    const history = (): string[] =>
      file
        .prepare<[string], string>(
          "SELECT from_state || ' ' || to_state || ' ' || at FROM history WHERE subject_id = ? ORDER BY seq",
        )
        .pluck()
        .all(id)
    for (let at = 1; at <= 50; at++) {
      store.outbox.begin(id, 'me', { ...attempt, at })
      store.outbox.requeue(id, at, offline)
    }
    expect(history()).toEqual(['queued sending 1', 'sending queued 1'])
    store.outbox.begin(id, 'me', { ...attempt, at: 60 })
    store.outbox.requeue(id, 61, why)
    store.outbox.begin(id, 'me', { ...attempt, at: 62 })
    store.outbox.markUnknown(id, 63, why)
    store.outbox.requeue(id, 64, why)
    store.outbox.begin(id, 'me', { ...attempt, at: 65 })
    store.outbox.requeue(id, 66, why)
    expect(history().slice(2)).toEqual([
      ...['queued sending 60', 'sending queued 61', 'queued sending 62', 'sending unknown 63'],
      ...['unknown queued 64', 'queued sending 65', 'sending queued 66'],
    ])
    file.close()
  })

  it('accepts exactly the transitions of the state table, in whatever order its methods are called', () => {
    const moves = fc.constantFrom(
      ...(['begin', 'complete', 'requeue', 'doubt', 'markUnknown', 'reject', 'discard'] as const),
    )
    fc.assert(
      fc.property(fc.array(moves, { maxLength: 12 }), (sequence) => {
        const create = { id: commandOf(makeLabel(store), 'create') }
        for (const move of sequence) {
          const before = store.outbox.get(create.id)?.state ?? 'done'
          const done = {
            begin: () => store.outbox.begin(create.id, 'me', attempt),
            complete: () => store.outbox.complete(create.id, 1, facts),
            requeue: () => store.outbox.requeue(create.id, 1, why),
            doubt: () => store.outbox.doubt(create.id, 1, why),
            markUnknown: () => store.outbox.markUnknown(create.id, 1, why),
            reject: () => store.outbox.reject(create.id, 1, why, null),
            discard: () => store.outbox.discard(create.id, 1),
          }[move]
          const to = movedCommand(before, move)
          expect(done()).toBe(to !== null)
          expect(store.outbox.get(create.id)?.state).toBe(to ?? before)
        }
      }),
      { numRuns: count(30, 1_000), seed },
    )
  })
})

describe('`make` in the label store', () => {
  it('returns the existing label of a shipment until it is printed, and makes a second label afterwards', () => {
    const first = makeLabel(store, 'a')
    expect(makeLabel(store, 'a').id).toBe(first.id)
    store.outbox.begin(commandOf(first, 'create'), 'me', attempt)
    store.outbox.markUnknown(commandOf(first, 'create'), 1, why)
    expect(makeLabel(store, 'a').id).toBe(first.id)
    store.outbox.complete(commandOf(first, 'create'), 1, facts)
    store.outbox.begin(commandOf(first, 'request'), 'me', attempt)
    store.outbox.complete(commandOf(first, 'request'), 1, requestedFacts)
    expect(makeLabel(store, 'a').id).toBe(first.id)
    const job = { id: 'job', printer: 'folder', isReprint: false, reason: null, at: 1 }
    store.labels.documentStored(first.id, 'hash', job)
    expect(makeLabel(store, 'a').id).toBe(first.id)
    const details = { at: 1, failure: null, evidence: null, file: null }
    store.printJobs.move('job', 'queued', 'sending', details)
    store.printJobs.move('job', 'sending', 'confirmed', details)
    expect(makeLabel(store, 'a').id).not.toBe(first.id)
  })

  it('queues a new request for an existing label whose request was refused', () => {
    const first = makeLabel(store, 'a')
    store.outbox.begin(commandOf(first, 'create'), 'me', attempt)
    store.outbox.complete(commandOf(first, 'create'), 1, facts)
    store.outbox.begin(commandOf(first, 'request'), 'me', attempt)
    store.outbox.reject(commandOf(first, 'request'), 1, why, null)
    expect(makeLabel(store, 'a')).toMatchObject({ id: first.id, request: { state: 'queued', failure: null } })
  })

  it('makes a new label for a shipment if the creation of the earlier label was discarded', () => {
    const first = makeLabel(store, 'a')
    store.outbox.discard(commandOf(first, 'create'), 1)
    expect(makeLabel(store, 'a').id).not.toBe(first.id)
  })
})
