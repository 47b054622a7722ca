import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import type { ModificationView } from '#shared/bridge/stock-views.ts'
import type { Result } from '#shared/errors/result.ts'
import { count, seed } from '#support/counts.ts'
import { DeskBench, eventually, logIn } from '#support/desk-bench.ts'
import { type Fault, faults, ScriptedService } from '#support/scripted-service.ts'
import { blockedLocation } from '#support/scripted-stock.ts'
import { smallId } from '#support/small-world.ts'

const shelf = smallId(401)

let service: ScriptedService
let bench: DeskBench
let desk: Desk

beforeEach(async () => {
  service = new ScriptedService()
  await service.start()
  bench = await DeskBench.create()
  desk = await bench.open(() => service.url)
  await logIn(desk)
})
afterEach(async () => {
  await bench.dispose()
  await service.stop()
})

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.code)
  return result.value
}

const view = (id: string): ModificationView => value(desk.modification.get({ id }))
const creates = (): number => service.count('POST', /^\/wms\/modifications\/$/)
const applied = (fault: Fault): boolean => fault.endsWith('_after')
const harmless = (fault: Fault): boolean => ['unauthorised', 'too_many', 'redirect'].includes(fault)

/** Scans an article until it is found, because on a busy machine its look-up may exceed its time limit. */
async function scanArticle(code: string): Promise<string> {
  for (let tries = 0; tries < 20; tries++) {
    const outcome = await desk.scan.submit({ raw: code, expect: 'stock' })
    if (outcome.kind === 'article') return outcome.variant.id
    if (outcome.kind !== 'unknown') throw new Error(`${code}: ${outcome.kind}`)
  }
  throw new Error(`${code} was not found`)
}

/** Follows the steps of an operator: shelf, articles, reason, note. */
async function scanAll(location = shelf): Promise<void> {
  const scanned = await desk.scan.submit({ raw: `LOC ${location}`, expect: 'stock' })
  if (scanned.kind !== 'location') throw new Error(scanned.kind)
  desk.modification.change({ kind: 'location', locationId: scanned.location.id })
  for (const code of ['A-1', 'A-2', 'A-1'])
    value(desk.modification.change({ kind: 'add', variantId: await scanArticle(code) }))
  desk.modification.change({ kind: 'reason', reason: 'LOST' })
  desk.modification.change({ kind: 'note', note: 'shelf fell' })
}

const expectedLines = [
  { variant: { id: smallId(301) }, location: { id: shelf }, quantity: -2 },
  { variant: { id: smallId(302) }, location: { id: shelf }, quantity: -1 },
]

describe('a modification that an operator scans and books', () => {
  it('is stored at the service with exactly its lines, and is found by a scan of its reference', async () => {
    const events: ModificationView[] = []
    desk.on('modification', (modification) => void events.push(modification))
    await scanAll()
    const booked = value(desk.modification.book())
    expect(booked.create).toBe('queued')
    await eventually(() => view(booked.id).create === 'done')
    expect(service.modifications).toHaveLength(1)
    expect(service.modifications[0]).toMatchObject({
      reason: 'LOST',
      modification_lines: expectedLines,
    })
    expect(service.modifications[0]?.note).toMatch(/^shelf fell #[0-9a-f]{20}$/)
    expect(view(booked.id)).toMatchObject({
      reference: 'MOD00000000001',
      status: 'created',
      note: 'shelf fell',
      failure: null,
    })
    expect(events.map(({ create }) => create)).toEqual(['queued', 'sending', 'done'])
    expect(await desk.scan.submit({ raw: 'mod00000000001', expect: 'anything' })).toMatchObject({
      kind: 'modification',
      modification: { id: booked.id },
    })
    expect(desk.modification.draft()).toMatchObject({ lines: [], canUndo: false })
  })

  it('makes the code of its location known to a second desk', async () => {
    await scanAll()
    const { id } = value(desk.modification.book())
    await eventually(() => view(id).create === 'done')
    const other = await DeskBench.create()
    const second = await other.open(() => service.url)
    await logIn(second)
    await eventually(() => second.location.list().length === 1)
    expect(second.location.list()).toMatchObject([{ id: shelf, code: 'S-401', source: 'modification' }])
    expect(await second.scan.submit({ raw: ' s-401', expect: 'anything' })).toMatchObject({
      kind: 'location',
      isNew: false,
      location: { id: shelf },
    })
    await other.dispose()
  })

  it('can be taken back into the draft with all its data if the service refuses it, and does not stop other modifications from being sent', async () => {
    await scanAll(blockedLocation)
    const refused = value(desk.modification.book())
    await scanAll()
    const good = value(desk.modification.book())
    await eventually(() => view(refused.id).create === 'rejected' && view(good.id).create === 'done')
    expect(view(refused.id).failure).toMatchObject({
      code: 'api.rejected',
      params: { reason: 'This location is blocked for counting.' },
    })
    const draft = value(desk.modification.takeBack({ id: refused.id }))
    expect(draft).toMatchObject({ reason: 'LOST', note: 'shelf fell', missing: [] })
    desk.modification.change({ kind: 'location', locationId: shelf })
    const again = value(desk.modification.book())
    await eventually(() => view(again.id).create === 'done')
    expect(service.modifications).toHaveLength(2)
  })
})

describe('one fault during the send of a modification', () => {
  const once = (fault: Fault): void => {
    let hits = 0
    service.script = ({ method, path }) =>
      method === 'POST' && path === '/wms/modifications/' && hits++ === 0 ? fault : null
  }

  it.each(faults.filter(applied))(
    'leads to a search for the marker in the note, and to no second send, if the service stored the modification: %s',
    async (fault) => {
      once(fault)
      await scanAll()
      const { id } = value(desk.modification.book())
      await eventually(() => view(id).create === 'done')
      expect(service.modifications).toHaveLength(1)
      expect(creates()).toBe(1)
      expect(view(id)).toMatchObject({ serverId: service.modifications[0]?.id, reference: 'MOD00000000001' })
    },
  )

  it.each(faults.filter(harmless))(
    'leads to a second send if it prevented the write, and the service then has exactly one modification: %s',
    async (fault) => {
      once(fault)
      await scanAll()
      const { id } = value(desk.modification.book())
      await eventually(() => view(id).create === 'done')
      expect(service.modifications).toHaveLength(1)
    },
  )

  it.each(['reset_before', 'server_error_before', 'silence_before'] as const)(
    'that leaves the outcome unknown leads to a second send only when the first send can no longer arrive: %s',
    async (fault) => {
      once(fault)
      await scanAll()
      let asked = 0
      desk.on('status', ({ unsent }) => (asked += unsent.asking))
      const { id } = value(desk.modification.book())
      await eventually(() => view(id).create === 'unknown')
      expect(view(id).failure?.code).toBe('modification.outcome_unknown')
      expect(creates()).toBe(1)
      await eventually(() => view(id).create === 'done')
      expect(creates()).toBe(2)
      expect(service.modifications).toHaveLength(1)
      expect(service.modifications[0]).toMatchObject({ modification_lines: expectedLines })
      expect(asked).toBe(0)
    },
  )

  it('leads to a question to the operator if the service refuses to list its modifications', async () => {
    await scanAll()
    service.script = ({ method, path }) =>
      path !== '/wms/modifications/' ? null : method === 'POST' ? 'reset_after' : 'forbidden'
    const { id } = value(desk.modification.book())
    const line = await eventually(() => desk.queue.list().lines.find(({ question }) => question))
    expect(line).toMatchObject({
      subject: { kind: 'modification', id },
      waitsFor: 'operator',
      question: { kind: 'outcome', records: [] },
      choices: ['send_again', 'discard', 'later'],
    })
    expect(desk.status().unsent).toEqual({ waiting: 0, asking: 1, oldest: null })
    expect(service.modifications).toHaveLength(1)

    // The operator did not see the modification at the service, although it is there, and decides that the desk sends
    // it again.
    value(desk.queue.decide({ ...line, decision: { kind: 'send_again' } }))
    await eventually(() => creates() === 2)
  })
})

describe('many faults during the send of modifications', () => {
  it('lose no modification and create no modification twice', { timeout: 3_600_000 }, async () => {
    const sequences = fc.sample(
      fc.array(fc.option(fc.constantFrom(...faults), { nil: null, freq: 2 }), { minLength: 1, maxLength: 4 }),
      { seed, numRuns: count(3, 100) },
    )
    await scanAll()
    desk.modification.change({ kind: 'clear' })
    for (const [round, sequence] of sequences.entries()) {
      desk.modification.undo()
      desk.modification.change({ kind: 'note', note: `round ${round}` })
      const left = [...sequence]
      service.script = ({ path }) => (path.startsWith('/wms/modifications/') ? (left.shift() ?? null) : null)
      const { id } = value(desk.modification.book())
      await eventually(() => view(id).create === 'done')
      expect(service.modifications, JSON.stringify(sequence)).toHaveLength(round + 1)
      expect(service.modifications[round]).toMatchObject({ modification_lines: expectedLines })
      expect(service.modifications[round]?.note).toContain(`round ${round} #`)
      await scanAll()
      desk.modification.change({ kind: 'clear' })
    }
  })
})

describe('a modification after a restart of the desk', () => {
  it('is found at the service and not sent twice if the restart interrupted its send', async () => {
    await scanAll()
    let hits = 0
    service.script = ({ method, path }) =>
      method === 'POST' && path === '/wms/modifications/' && hits++ === 0 ? 'silence_after' : null
    const { id } = value(desk.modification.book())
    await eventually(() => service.modifications.length === 1)
    await bench.close(desk)
    desk = await bench.open(() => service.url)
    await logIn(desk)
    await eventually(() => view(id).create === 'done')
    expect(service.modifications).toHaveLength(1)
    expect(creates()).toBe(1)
  })

  it('is sent if it was booked without a connection before the restart', async () => {
    await scanAll()
    await service.stop()
    const { id } = value(desk.modification.book())
    await bench.close(desk)
    desk = await bench.open(() => service.url)
    expect(view(id)).toMatchObject({ create: 'queued', note: 'shelf fell' })
    await service.start()
    await logIn(desk)
    await eventually(() => view(id).create === 'done')
    expect(service.modifications[0]).toMatchObject({ modification_lines: expectedLines })
  })

  it('is still a draft whose changes can be undone, if it was not booked before the restart', async () => {
    await scanAll()
    const draft = desk.modification.draft()
    await bench.close(desk)
    desk = await bench.open(() => service.url)
    expect(desk.modification.draft()).toEqual(draft)
    expect(desk.modification.undo().note).toBe('')
  })
})
