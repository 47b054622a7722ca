import type { CommandId } from '#shared/domain/ids.ts'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SeenRecord, DecisionNote, NoticeRow } from '#desk/ports/commands.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { openSqlite } from '#kit/open-sqlite.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { ok } from '#shared/errors/result.ts'
import type { WriteBrief } from '#shared/writes/write-kinds.ts'
import { commandOf, copyCommands, makeLabel, StoreBench } from '#support/store-bench.ts'
import { commandIdOf, labelIdOf, serverIdOf, serverLabelIdOf } from '#support/ids.ts'
import { describedLabel } from '#support/described-label.ts'

let bench: StoreBench
let store: StorePort
const why = failure('api.rejected', { status: 400 })
const minuteMs = 60_000
const line = { name: 'Mug', articleCode: 'MUG', quantity: -1 }
const attempt = { at: 10, serviceTime: 9, baseline: ['x'] }

function seen(id: string): SeenRecord {
  const serverId = serverLabelIdOf(id)
  const brief = { shipmentReference: 'SHP1', externalReference: null, methodCode: null }
  return {
    record: {
      serverId,
      reference: null,
      createdAt: '2026-03-01T12:00:00.000Z',
      brief: { kind: 'return_label', ...brief, senderName: null, senderCity: null },
      note: null,
      requested: false,
    },
    facts: {
      kind: 'return_label',
      label: describedLabel(serverId, { externalReference: 'WEB-1' }),
      isCancelled: false,
    },
  }
}

const note = (
  commandId: CommandId,
  decision: DecisionNote['decision'],
  details: string | null = null,
): DecisionNote => ({
  commandId,
  at: 50,
  by: 'sam',
  decision,
  details,
})

interface Logged {
  decided_by: string
  decision: string
  details: string | null
  shown: string
}

/** Reads the logged decisions directly from desk.db. */
function logged(): Logged[] {
  const database = openSqlite(`${bench.dataDir}/desk.db`, 'precious')
  try {
    return database.prepare<[], Logged>('SELECT * FROM decisions ORDER BY seq').all()
  } finally {
    database.close()
  }
}

beforeEach(async () => {
  bench = await StoreBench.create()
  store = await bench.open()
  store.outbox.holdLease('me', 0, 1_000)
})
afterEach(() => bench.dispose())

/** Creates a label whose creation has an unknown outcome and waits for a decision. Returns the command. */
function asked(): CommandId {
  const id = commandOf(makeLabel(store), 'create')
  store.outbox.begin(id, 'me', attempt)
  store.outbox.markUnknown(id, 20, why)
  store.outbox.ask(id, { kind: 'outcome', records: [seen('s7')] }, null)
  return id
}

describe('a decision in the queue store', () => {
  it('is logged with the operator, the choice and the shown records', () => {
    const id = asked()
    const adopted = store.queue.decide(note(id, 'adopt', 's7'), 'unknown', {
      do: 'adopt',
      facts: seen('s7').facts,
    })
    expect(adopted).toBe(true)
    expect(store.labels.byServerId(serverLabelIdOf('s7'))).toMatchObject({
      create: { state: 'done' },
      externalReference: 'WEB-1',
    })
    const [row] = logged()
    expect(row).toMatchObject({ decided_by: 'sam', decision: 'adopt', details: '"s7"' })
    expect(JSON.parse(row?.shown ?? '')).toMatchObject({
      state: 'unknown',
      failure: why,
      question: { kind: 'outcome', records: [{ record: { serverId: 's7' } }] },
    })
  })

  it('changes nothing and is not logged if the state of the write has changed since the question', () => {
    const id = asked()
    store.outbox.complete(id, 30, seen('s7').facts)
    expect(store.queue.decide(note(id, 'discard', 'no'), 'unknown', { do: 'discard' })).toBe(false)
    expect(store.outbox.get(id)?.state).toBe('done')
    expect(logged()).toEqual([])
  })

  it('of kind `send_again` lets the desk send the command once more without first reading its outcome', () => {
    const id = asked()
    store.queue.decide(note(id, 'send_again'), 'unknown', {
      do: 'send_again',
      acknowledged: [serverIdOf('s7')],
    })
    expect(store.outbox.get(id)).toMatchObject({
      state: 'queued',
      needsOperator: false,
      question: null,
      sendsUnseen: true,
      acknowledged: ['s7'],
      baseline: ['x'],
    })
    // an attempt that certainly did not arrive does not use up the operator’s decision to send the command again
    store.outbox.begin(id, 'me', attempt)
    store.outbox.requeue(id, 30, why)
    expect(store.outbox.get(id)?.sendsUnseen).toBe(true)
    store.outbox.begin(id, 'me', attempt)
    store.outbox.markUnknown(id, 40, why)
    expect(store.outbox.get(id)?.sendsUnseen).toBe(false)
  })

  it('of kind `send_unchecked` withdraws the question, and lets the command be sent without its check', () => {
    const create = commandOf(makeLabel(store), 'create')
    store.outbox.ask(create, { kind: 'changed' }, failure('api.not_checked'))
    expect(store.outbox.due(10)).toEqual([])
    expect(store.queue.decide(note(create, 'retry'), 'queued', { do: 'send_unchecked' })).toBe(true)
    expect(store.outbox.due(10)).toMatchObject([{ id: create, question: null, sendsUnseen: true }])
  })

  it('of kind `retry` queues again the refused command, and the commands that were discarded because of its refusal', () => {
    const label = makeLabel(store)
    const [create, request] = [commandOf(label, 'create'), commandOf(label, 'request')]
    store.outbox.begin(create, 'me', attempt)
    store.outbox.reject(create, 20, why, null)
    expect(store.outbox.unsettled().map(({ id }) => id)).toEqual([create])
    store.queue.decide(note(create, 'retry'), 'rejected', { do: 'retry' })
    const open = store.outbox.open()
    expect(open.map(({ type }) => type)).toEqual(['return_label.create', 'return_label.request'])
    expect(open[0]?.id).toBe(create)
    expect(open[1]?.id).not.toBe(request)
    expect(store.outbox.due(10).map(({ id }) => id)).toEqual([create])
  })

  it('of kind `retry` puts the refused command after the waiting ones, and before commands that are added later', () => {
    const first = makeLabel(store, 'same')
    const [create, request] = [commandOf(first, 'create'), commandOf(first, 'request')]
    for (const id of [create, request]) store.outbox.begin(id, 'me', attempt)
    store.outbox.complete(create, 20, seen('s8').facts)
    store.outbox.reject(request, 21, why, null)
    const change = { id: commandIdOf('change'), type: 'return_label.patch', payload: '{}' } as const
    store.labels.change(first.id, { at: 30, by: null }, () => ok([{ do: 'add', command: change }]))
    store.queue.decide(note(request, 'retry'), 'rejected', { do: 'retry' })
    const cancel = { id: commandIdOf('cancel'), type: 'return_label.cancel', payload: null } as const
    store.labels.change(first.id, { at: 40, by: null }, () => ok([{ do: 'add', command: cancel }]))
    expect(store.outbox.open().map(({ id }) => id)).toEqual(['change', request, 'cancel'])
    expect(store.outbox.due(10).map(({ id }) => id)).toEqual(['change'])
  })

  it('of kind `discard` discards the command and the commands that depend on it', () => {
    const id = asked()
    store.queue.decide(note(id, 'discard', 'no longer wanted'), 'unknown', { do: 'discard' })
    expect(store.outbox.unsettled()).toEqual([])
    expect(store.outbox.toWatch(minuteMs + 20, minuteMs + 20).map((one) => one.id)).toEqual([id])
    expect(logged()).toMatchObject([{ decision: 'discard', details: '"no longer wanted"' }])
  })

  it('of kind `edit` discards the write and stores a form with its values, and has no effect a second time', () => {
    const label = makeLabel(store)
    const id = commandOf(label, 'create')
    const into = { place: 'setting', key: 'form', value: '{}' } as const
    expect(store.queue.decide(note(id, 'edit'), 'queued', { do: 'take_out', into })).toBe(true)
    expect(store.values.read('form')).toBe('{}')
    expect(store.labels.get(label.id)).toMatchObject({ create: { state: 'discarded' } })
    const again = { ...into, value: 'twice' }
    expect(store.queue.decide(note(id, 'edit'), 'queued', { do: 'take_out', into: again })).toBe(false)
    expect(store.values.read('form')).toBe('{}')
  })
})

describe('a question in the queue store', () => {
  it('holds back only its own command, even after a restart, until an operator answers', async () => {
    const id = commandOf(makeLabel(store, 'a'), 'create')
    const other = commandOf(makeLabel(store, 'b'), 'create')
    store.outbox.ask(id, { kind: 'exists', records: [seen('s1')] }, why)
    const reopened = await bench.open()
    expect(reopened.outbox.due(10).map((one) => one.id)).toEqual([other])
    expect(reopened.outbox.get(id)).toMatchObject({
      needsOperator: true,
      failure: why,
      question: { kind: 'exists', records: [seen('s1')] },
    })
    reopened.queue.decide(note(id, 'go_on'), 'queued', { do: 'go_on', acknowledged: [serverIdOf('s1')] })
    expect(reopened.outbox.due(10).map((one) => one.id)).toEqual([id, other])
    expect(reopened.outbox.get(id)?.acknowledged).toEqual(['s1'])
  })

  it('is refused for a command that is being sent or has ended', () => {
    const id = commandOf(makeLabel(store), 'create')
    store.outbox.begin(id, 'me', attempt)
    expect(store.outbox.ask(id, { kind: 'changed' }, null)).toBe(false)
    store.outbox.reject(id, 20, why, null)
    expect(store.outbox.ask(id, { kind: 'changed' }, null)).toBe(false)
  })
})

describe('a refused write in the queue store', () => {
  it('is settled when the operator creates another label for the shipment of the write', () => {
    const first = makeLabel(store, 'a')
    store.outbox.begin(commandOf(first, 'create'), 'me', attempt)
    store.outbox.reject(commandOf(first, 'create'), 20, why, null)
    const second = makeLabel(store, 'a')
    expect(second.id).not.toBe(first.id)
    expect(store.outbox.unsettled().map(({ subject }) => subject.id)).toEqual([second.id, second.id])
    expect(store.labels.get(first.id)).toMatchObject({ create: { state: 'discarded' } })
  })
})

describe('a notice in the queue store', () => {
  const about = (id = makeLabel(store).id): NoticeRow['subject'] => ({ kind: 'return_label', id })

  it('stays until it is dismissed, and is not stored a second time for the same records', async () => {
    const notice = {
      id: 'n1',
      kind: 'duplicate',
      subject: about(),
      at: 5,
      records: [seen('s2'), seen('s1')],
    } as const
    expect(store.queue.notice(notice)).toBe(true)
    expect(store.queue.notice({ ...notice, id: 'n2', records: [seen('s1'), seen('s2')] })).toBe(false)
    const reopened = await bench.open()
    expect(reopened.queue.notices().map(({ id }) => id)).toEqual(['n1'])
    reopened.queue.dismiss('n1', 60, 'sam')
    expect(reopened.queue.notices()).toEqual([])
    expect(reopened.queue.notice({ ...notice, id: 'n3' })).toBe(false)
    expect(reopened.queue.notice({ ...notice, id: 'n4', records: [seen('s3')] })).toBe(true)
    expect((await bench.open('elsewhere')).queue.notices()).toEqual([])
  })

  it('exists once for each kind and subject while it is open, and shows the newest records that were found', () => {
    const subject = about()
    const look = (kind: NoticeRow['kind'], ...ids: string[]): boolean =>
      store.queue.notice({ id: `${kind} ${ids.join()}`, kind, subject, at: 5, records: ids.map(seen) })
    expect(look('other_desk', 's1')).toBe(true)
    expect(look('other_desk', 's1', 's2')).toBe(true)
    expect(look('other_desk', 's2')).toBe(false)
    for (let number = 0; number < 50; number++) look('other_desk', `new ${number}`)
    expect(look('late', 's1')).toBe(true)
    expect(store.queue.notice({ id: 'of another', kind: 'late', subject: about(), at: 6, records: [] })).toBe(
      true,
    )
    const open = store.queue.notices()
    expect(open.map(({ id }) => id)).toEqual(['other_desk s1', 'late s1', 'of another'])
    expect(open[0]?.records).toEqual([seen('new 49')])
  })

  it('is not stored if a dismissed notice has the same records, even while a notice with newer records is open', () => {
    const subject = about()
    const look = (id: string, ...ids: string[]): boolean =>
      store.queue.notice({ id, kind: 'other_desk', subject, at: 5, records: ids.map(seen) })
    look('n1', 's1')
    store.queue.dismiss('n1', 60, 'sam')
    look('n2', 's2')
    expect(look('n3', 's1')).toBe(false)
    expect(store.queue.notices().map(({ id, records }) => [id, records])).toEqual([['n2', [seen('s2')]]])
  })

  it('is stored without its records while 200 open notices have records', () => {
    for (let number = 0; number < 210; number++)
      store.queue.notice({
        id: `n${number}`,
        kind: 'other_desk',
        subject: about(labelIdOf(`l${number}`)),
        at: 5,
        records: [seen('s')],
      })
    expect(store.queue.noticeCounts()).toEqual({ other_desk: 210 })
    expect([store.queue.noticeRecords('n199'), store.queue.noticeRecords('n200')]).toEqual([[seen('s')], []])
    store.queue.dismiss('n0', 60, 'sam')
    expect(
      store.queue.notice({
        id: 'x',
        kind: 'other_desk',
        subject: about(labelIdOf('l205')),
        at: 6,
        records: [seen('t')],
      }),
    ).toBe(true)
    expect(store.queue.noticeRecords('n205')).toEqual([seen('t')])
  })

  it('is listed only if it is one of the oldest 100 of its kind', () => {
    for (const kind of ['late', 'other_desk'] as const)
      for (let number = 0; number < 105; number++)
        store.queue.notice({
          id: `${kind} ${number}`,
          kind,
          subject: about(labelIdOf(`l${number}`)),
          at: 5,
          records: [],
        })
    const listed = store.queue.notices()
    expect(
      listed
        .map(({ id }) => id)
        .filter((id) => id.startsWith('late'))
        .at(-1),
    ).toBe('late 99')
    expect(listed).toHaveLength(200)
    expect(store.queue.noticeHeads('late', 'newest', 2).map(({ id }) => id)).toEqual(['late 104', 'late 103'])
    expect(store.queue.noticeHeads('late', 'oldest', 2).map(({ id }) => id)).toEqual(['late 0', 'late 1'])
  })
})

describe('the list of unsettled commands', () => {
  it('contains at most the 200 oldest commands of each kind: waiting, with a question, refused', () => {
    const first = commandOf(makeLabel(store), 'create')
    const file = openSqlite(join(bench.dataDir, 'desk.db'), 'precious')
    copyCommands(file, 300, 'queued', 0)
    copyCommands(file, 250, 'unknown', 1)
    copyCommands(file, 220, 'rejected', 0)
    file.close()
    // `waiting` includes the two commands of the label: its creation and its request
    expect(store.outbox.unsettledCounts()).toMatchObject({ waiting: 302, asking: 470 })
    const heads = store.outbox.unsettledHeads()
    expect(heads[0]?.id).toBe(first)
    const sizes = Object.values(Object.groupBy(heads, ({ state }) => state)).map((group) => group.length)
    expect(sizes).toEqual([200, 200, 200])
    expect(store.outbox.unsettled().map(({ id }) => id)).toEqual(heads.map(({ id }) => id))
  })

  it('contains only the last record of a command’s question, without its lines if this record is a booking', () => {
    const id = commandOf(makeLabel(store), 'create')
    store.outbox.ask(id, { kind: 'exists', records: [seen('s1'), seen('s2')] }, why)
    const other = commandOf(makeLabel(store), 'create')
    store.outbox.ask(other, { kind: 'changed' }, why)
    const [head, ...rest] = store.outbox.unsettledHeads()
    expect(head).toMatchObject({ id, state: 'queued', needsOperator: true, failure: why })
    expect(head?.question).toEqual({ kind: 'exists', records: [{ record: seen('s2').record }] })
    expect(rest.map(({ question }) => question)).toEqual([null, { kind: 'changed' }, null])
    const booked = seen('s3').record
    const brief: WriteBrief = { kind: 'modification', reason: 'LOST', locationCode: 'A', lines: [line, line] }
    store.outbox.ask(id, { kind: 'exists', records: [{ ...seen('s3'), record: { ...booked, brief } }] }, null)
    expect(store.outbox.unsettledHeads()[0]?.question).toEqual({
      kind: 'exists',
      records: [{ record: { ...booked, brief: { ...brief, lines: [] } } }],
    })
    store.outbox.ask(id, { kind: 'exists', records: [] }, null)
    expect(store.outbox.unsettledHeads()[0]?.question).toEqual({ kind: 'exists', records: [] })
  })
})
