import { beforeEach, describe, expect, it } from 'vitest'
import { QueueState } from '#features/queue/queue.state.svelte.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { QueueEdit, QueueLine, QueueView } from '#shared/bridge/queue-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { sampleVariants } from '#support/memory-desk/catalogue.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import {
  labelBrief,
  outcomeLine,
  sampleLine,
  sampleNotice,
  sampleRecord,
} from '#support/memory-desk/queue.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import { commandIdOf, serverIdOf } from '#support/ids.ts'

const now = Date.parse('2026-11-21T14:07:00Z')

let desk: MemoryDesk
let sounds: string[]
let edits: QueueEdit[]
let rail: string[]
let clockMs: number
let stationId: string
let queue: QueueState

function begin(bridge: ScandeskBridge = desk.bridge): void {
  queue = new QueueState({
    bridge,
    stationId: () => stationId,
    play: (sound) => sounds.push(sound),
    onEdit: (edit) => edits.push(edit),
    onScanned: ({ raw }) => rail.push(raw),
    nowMs: () => clockMs,
  })
}

async function show(...lines: QueueLine[]): Promise<void> {
  desk.world.queue = { lines, notices: [] }
  await queue.load()
  queue.open(lines[0]?.commandId ?? '')
}

function decisions(): unknown[] {
  return desk.world.decided.map(({ decision }) => decision)
}

beforeEach(() => {
  desk = new MemoryDesk({
    ...memoryWorld(() => now),
    shipments: [sampleShipment(now)].map((one) => ({ ...one, lines: [] })),
    variants: sampleVariants(now),
  })
  sounds = []
  edits = []
  rail = []
  clockMs = 0
  stationId = 'alder'
  begin()
})

describe('the queue list', () => {
  it('shows writes that need a decision first, then notices, then waiting writes', async () => {
    desk.world.queue = {
      lines: [
        sampleLine(now),
        outcomeLine(now, []),
        sampleLine(now, { commandId: commandIdOf('q-2') }),
        sampleLine(now, {
          commandId: commandIdOf('q-3'),
          waitsFor: 'operator',
          question: { kind: 'refused' },
        }),
      ],
      notices: [sampleNotice(now)],
    }
    await queue.load()
    expect(queue.groups.map(({ name, items }) => [name, ...items.map(({ key }) => key)])).toEqual([
      ['asks', 'q-outcome', 'q-3'],
      ['noticed', 'notice n-1'],
      ['waits', 'q-1', 'q-2'],
    ])
  })

  it('keeps the selected write selected, and selects the next write when the selected write is removed', async () => {
    const lines = ['a', 'b', 'c'].map(commandIdOf).map((commandId) => sampleLine(now, { commandId }))
    desk.world.queue = { lines, notices: [] }
    await queue.load()
    queue.cursor.point('b')
    desk.world.queue = { lines: lines.toReversed(), notices: [] }
    await queue.load()
    expect(queue.cursor.key).toBe('b')
    desk.world.queue = { lines: lines.filter(({ commandId }) => commandId !== 'b'), notices: [] }
    await queue.load()
    expect(queue.cursor.key).toBe('c')
    desk.world.queue = { lines: [], notices: [] }
    await queue.load()
    expect(queue.cursor.key).toBeNull()
  })

  it('is read once more, and not twenty times, after twenty requests that arrived during a read', async () => {
    const answers: (() => void)[] = []
    const { list } = desk.bridge.queue
    begin({
      ...desk.bridge,
      queue: {
        ...desk.bridge.queue,
        list: async () => {
          const answer = await list()
          await new Promise<void>((resolve) => answers.push(resolve))
          return answer
        },
      },
    })
    const first = queue.load()
    desk.world.queue = { lines: [sampleLine(now)], notices: [] }
    for (let i = 0; i < 20; i++) void queue.load()
    while (answers.length === 0) await Promise.resolve()
    answers[0]?.()
    while (answers.length < 2) await Promise.resolve()
    answers[1]?.()
    await first
    expect(desk.calls.filter((call) => call === 'queue:list')).toHaveLength(2)
    expect(queue.view?.lines).toHaveLength(1)
  })

  it('keeps showing its writes when a further read of the queue fails', async () => {
    await show(sampleLine(now))
    desk.world.failures['queue:list'] = failure('store.unavailable')
    await queue.load()
    expect(queue.failure?.code).toBe('store.unavailable')
    expect(queue.opened?.key).toBe('q-1')
    desk.world.failures = {}
    await queue.load()
    expect(queue.failure).toBeNull()
  })
})

describe('a queued write that the operator has opened', () => {
  it('remains open after it was removed from the queue, but offers no choices', async () => {
    await show(sampleLine(now))
    desk.world.queue = { lines: [], notices: [] }
    await queue.load()
    expect(queue.gone).toBe(true)
    expect(queue.opened?.key).toBe('q-1')
    await queue.decide({ kind: 'retry' })
    expect(desk.calls).not.toContain('queue:decide')
    expect(queue.back()).toBe(true)
    expect(queue.opened).toBeNull()
    expect(queue.back()).toBe(false)
  })

  it('is retried at a press of the large button, and stays on the screen', async () => {
    await show(sampleLine(now))
    await queue.primary()
    expect(decisions()).toEqual([{ kind: 'retry' }])
    expect(queue.opened?.key).toBe('q-1')
    expect(queue.line?.waitsFor).toBe('turn')
    expect(sounds).toEqual(['done'])
  })

  it('is not decided by the large button while it asks about an unknown outcome, a refusal, or a condition that changed', async () => {
    for (const line of [
      outcomeLine(now, [sampleRecord(now)]),
      sampleLine(now, { waitsFor: 'operator', question: { kind: 'changed' } }),
      sampleLine(now, { waitsFor: 'operator', question: { kind: 'refused' }, state: 'rejected' }),
    ]) {
      await show(line)
      await queue.primary()
    }
    expect(decisions()).toEqual([])
    expect(sounds).toEqual(['look', 'look', 'look'])
  })

  it('refuses every decision that is not among its choices', async () => {
    await show(sampleLine(now, { state: 'sending', choices: [] }))
    await queue.decide({ kind: 'discard', reason: 'no' })
    await queue.send('send_again')
    await queue.edit()
    queue.askReason()
    expect(desk.calls.filter((call) => call.startsWith('queue:'))).toEqual(['queue:list'])
    expect(queue.step.kind).toBe('choose')
  })

  it('closes after a similar record was adopted, and the next write that needs a decision is selected', async () => {
    const next = outcomeLine(now, [], { commandId: commandIdOf('q-next') })
    await show(outcomeLine(now, [sampleRecord(now)]), sampleLine(now), next)
    await queue.decide({ kind: 'adopt', serverId: serverIdOf('srv-mod-123') })
    expect(queue.opened).toBeNull()
    expect(queue.cursor.key).toBe('q-next')
    expect(queue.echo).toBe('adopt')
    queue.open('q-next')
    expect(queue.echo).toBeNull()
  })

  it('remains open after a decision was refused, and shows why', async () => {
    await show(outcomeLine(now, [sampleRecord(now)]))
    desk.world.failures['queue:decide'] = failure('queue.moved_on')
    await queue.decide({ kind: 'adopt', serverId: serverIdOf('srv-mod-123') })
    expect(queue.failure?.code).toBe('queue.moved_on')
    expect(queue.opened?.key).toBe('q-outcome')
    // the sound is `look`, because another operator may have decided already; `stop` is the sound of a failure to save
    expect(sounds).toEqual(['look'])
    queue.askReason()
    expect([queue.step.kind, queue.failure]).toEqual(['discard', null])
    desk.world.failures['queue:decide'] = failure('store.full')
    await queue.decide({ kind: 'adopt', serverId: serverIdOf('srv-mod-123') })
    expect(sounds).toEqual(['look', 'stop'])
  })

  it('is discarded only after the operator has given a reason', async () => {
    await show(outcomeLine(now, []))
    queue.askReason()
    expect(queue.step.kind).toBe('discard')
    expect(queue.back()).toBe(true)
    expect(queue.step.kind).toBe('choose')
    queue.askReason()
    await queue.decide({ kind: 'discard', reason: 'No longer wanted' })
    expect(decisions()).toEqual([{ kind: 'discard', reason: 'No longer wanted' }])
  })

  it('opens the place for bookings when the operator edits a booking', async () => {
    await show(sampleLine(now))
    await queue.edit()
    expect(edits).toEqual([{ place: 'modification' }])
    expect(queue.opened).toBeNull()
  })

  it('is not discarded if its question has changed while the operator was giving a reason', async () => {
    await show(outcomeLine(now, []))
    queue.askReason()
    desk.world.queue = { lines: [outcomeLine(now, [sampleRecord(now)], { version: 'found' })], notices: [] }
    await queue.load()
    expect([queue.step.kind, queue.failure?.code, sounds]).toEqual(['choose', 'queue.moved_on', ['look']])
    await show(sampleLine(now))
    queue.askReason()
    desk.world.queue = { lines: [sampleLine(now, { version: 'after an attempt' })], notices: [] }
    await queue.load()
    expect([queue.step.kind, queue.failure, sounds]).toEqual(['discard', null, ['look']])
  })

  it('is not discarded if a question about it arrives while the operator is giving a reason', async () => {
    await show(sampleLine(now))
    queue.askReason()
    const { commandId } = sampleLine(now)
    desk.world.queue = { lines: [outcomeLine(now, [sampleRecord(now)], { commandId })], notices: [] }
    await queue.load()
    expect([queue.step.kind, queue.failure?.code, sounds]).toEqual(['choose', 'queue.moved_on', ['look']])
  })
})

describe('sending a queued write again', () => {
  it('is confirmed by a second press of the button, and a double click counts as one press', async () => {
    await show(outcomeLine(now, [sampleRecord(now)]))
    await queue.send('send_again')
    await queue.send('send_again')
    expect(decisions()).toEqual([])
    expect(sounds).toEqual(['decide'])
    clockMs = 400
    await queue.send('send_again')
    expect(decisions()).toEqual([{ kind: 'send_again' }])
  })

  it('is confirmed by a scan of the article of the booking, and not by a scan of another article', async () => {
    await show(outcomeLine(now, []))
    expect(queue.awaitsScan).toBe(false)
    await queue.send('send_again')
    expect(queue.awaitsScan).toBe(true)
    await queue.rescan('8712345678913')
    expect(queue.step).toMatchObject({ kind: 'confirm', other: true })
    expect(decisions()).toEqual([])
    await queue.rescan('8712345678906')
    expect(decisions()).toEqual([{ kind: 'send_again' }])
    expect(rail).toEqual(['8712345678913', '8712345678906'])
  })

  it('is not confirmed by a scan if the window changes to another station before the scan is handled, and the scan is not added to the list of last scans', async () => {
    await show(outcomeLine(now, []))
    await queue.send('send_again')
    const scanned = queue.rescan('8712345678906')
    stationId = 'birch'
    await scanned
    expect(rail).toEqual([])
    expect(decisions()).toEqual([])
  })

  it.each(['SHP00000000412', 'WEB-100412', '3SABCD1234567'])(
    'is confirmed by a scan of a code on the parcel if the write is a label: %s',
    async (code) => {
      await show(outcomeLine(now, [], { brief: labelBrief }))
      await queue.send('send_again')
      await queue.rescan(code)
      expect(decisions()).toEqual([{ kind: 'send_again' }])
    },
  )

  it('is confirmed by a scan of the label’s external reference followed by .R if the label has no shipment', async () => {
    const brief = { ...labelBrief, shipmentReference: null, externalReference: 'RL-8841' }
    await show(outcomeLine(now, [], { brief }))
    await queue.send('send_again')
    await queue.rescan('SHP00000000412')
    expect(decisions()).toEqual([])
    await queue.rescan('RL-8841.R')
    expect(decisions()).toEqual([{ kind: 'send_again' }])
  })

  it('is not confirmed by RESEND, even if RESEND is scanned twice', async () => {
    await show(outcomeLine(now, []))
    expect(queue.run('RESEND')).toBe(true)
    clockMs = 5000
    expect(queue.run('RESEND')).toBe(true)
    expect(decisions()).toEqual([])
    expect(queue.step.kind).toBe('confirm')
    expect(queue.run('HOME')).toBe(true)
    expect(queue.step.kind).toBe('choose')
  })

  it('stops waiting for the confirmation when the write changes', async () => {
    await show(outcomeLine(now, []))
    await queue.send('send_again')
    desk.world.queue = { lines: [sampleLine(now, { commandId: commandIdOf('q-outcome') })], notices: [] }
    await queue.load()
    expect(queue.step.kind).toBe('choose')
    expect(queue.awaitsScan).toBe(false)
  })

  it('is not confirmed by a second press or a scan after the question has changed, which the operator sees and hears', async () => {
    await show(outcomeLine(now, []))
    await queue.send('send_again')
    const { step } = queue
    await queue.load()
    expect([queue.step, queue.failure]).toEqual([step, null])
    desk.world.queue = { lines: [outcomeLine(now, [sampleRecord(now)], { version: 'found' })], notices: [] }
    await queue.load()
    expect([queue.step.kind, queue.failure?.code]).toEqual(['choose', 'queue.moved_on'])
    expect([queue.scan({ raw: '8712345678906', reading: { kind: 'none' } }), decisions()]).toEqual([null, []])
    clockMs = 400
    await queue.send('send_again')
    expect([queue.step.kind, queue.failure]).toEqual(['confirm', null])
    expect(decisions()).toEqual([])
    expect(sounds).toEqual(['decide', 'look', 'decide'])
  })

  it('is confirmed, without a notice, even if the list is read again with a new question while the decision is being sent', async () => {
    await show(outcomeLine(now, []))
    await queue.send('send_again')
    clockMs = 400
    const sent = queue.send('send_again')
    desk.world.queue = { lines: [outcomeLine(now, [sampleRecord(now)], { version: 'found' })], notices: [] }
    await Promise.all([sent, queue.load()])
    expect(decisions()).toEqual([{ kind: 'send_again' }])
    expect([queue.failure, sounds]).toEqual([null, ['decide', 'done']])
  })

  it('is confirmed by a second press also if the question is about a similar record at the service', async () => {
    const question = { kind: 'exists' as const, records: [sampleRecord(now)] }
    await show(sampleLine(now, { waitsFor: 'operator', question }))
    await queue.send('go_on')
    clockMs = 400
    await queue.send('go_on')
    expect(decisions()).toEqual([{ kind: 'go_on' }])
  })
})

describe('a command barcode that is scanned on the queue screen', () => {
  it('adopts the similar record if it is ADOPT and only one similar record exists', async () => {
    await show(outcomeLine(now, [sampleRecord(now), sampleRecord(now, { serverId: serverIdOf('other') })]))
    expect(queue.run('ADOPT')).toBe(false)
    expect(decisions()).toEqual([])
    await show(outcomeLine(now, [sampleRecord(now)]))
    expect(queue.run('ADOPT')).toBe(true)
    expect(decisions()).toEqual([{ kind: 'adopt', serverId: 'srv-mod-123' }])
  })

  it('has no effect on the queue while no write is open', async () => {
    desk.world.queue = { lines: [outcomeLine(now, [])], notices: [] }
    await queue.load()
    for (const command of ['ADOPT', 'RESEND', 'LATER', 'HOME'] as const)
      expect(queue.run(command)).toBe(false)
  })
})

describe('a notice of the queue', () => {
  it('is removed when the operator dismisses it', async () => {
    desk.world.queue = { lines: [], notices: [sampleNotice(now)] } satisfies QueueView
    await queue.load()
    queue.open('notice n-1')
    await queue.dismiss('n-1')
    expect(desk.world.queue.notices).toEqual([])
    expect(queue.groups).toEqual([])
    expect(queue.echo).toBe('dismiss')
  })
})
