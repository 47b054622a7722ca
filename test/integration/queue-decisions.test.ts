import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { markNote } from '#shared/domain/references.ts'
import { eventually } from '#support/desk-bench.ts'
import { anyMethodId, byHand, byShipment } from '#support/label-wishes.ts'
import { QueueBench, value } from '#support/queue-bench.ts'
import type { Call, Fault } from '#support/scripted-service.ts'
import { refusedPostcode } from '#support/scripted-labels.ts'
import { serverIdOf } from '#support/ids.ts'

/**
 * If the desk cannot determine the outcome of a write at the service, it asks the operator. If the record of a write
 * appears later, the desk creates a notice.
 */

let station: QueueBench

beforeEach(async () => {
  station = await QueueBench.start()
})
afterEach(() => station.stop())

const shipmentId = (index: number): string => station.shipmentId(index)
const creates = ({ method, path }: Call): boolean => method === 'POST' && path === '/wms/return-labels/'
const books = ({ method, path }: Call): boolean => method === 'POST' && path === '/wms/modifications/'

/** Applies the fault to the first call for which `isIt` returns true. */
function once(isIt: (call: Call) => boolean, fault: Fault): void {
  let hits = 0
  station.service.script = (call) => (isIt(call) && hits++ === 0 ? fault : null)
}

const minuteMs = 60_000

describe('a write whose outcome the desk cannot determine at the service', () => {
  it('leads to a question that contains the label of the shipment if the service refuses to list labels', async () => {
    const { desk, service } = station
    let hits = 0
    service.script = (call) => {
      if (call.path === '/wms/return-labels/' && call.method === 'GET') return 'forbidden'
      return creates(call) && hits++ === 0 ? 'reset_after' : null
    }
    const made = value(
      await desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: true, seen: null }),
    )
    const line = await station.question('return_label.create')
    const serverId = serverIdOf(service.labels[0]?.wire.id ?? '')
    expect(line).toMatchObject({
      state: 'unknown',
      question: {
        kind: 'outcome',
        records: [{ serverId, brief: { shipmentReference: 'SHP00000000001' } }],
      },
      choices: ['adopt', 'send_again', 'discard', 'later'],
    })
    expect(desk.queue.edit({ commandId: line.commandId })).toMatchObject({
      error: { code: 'queue.moved_on' },
    })
    value(desk.queue.decide({ ...line, decision: { kind: 'adopt', serverId } }))
    await eventually(() => station.label(made.id).print?.file)
    expect(service.labels).toHaveLength(1)
    expect(station.lines()).toEqual([])
  })

  it('is completed without an answer of the operator once the service lists labels again', async () => {
    const { desk, service } = station
    let isForbidden = false
    let hits = 0
    service.script = (call) => {
      if (isForbidden && call.path === '/wms/return-labels/' && call.method === 'GET') return 'forbidden'
      if (!creates(call) || hits++ > 0) return null
      isForbidden = true
      return 'reset_before'
    }
    const made = value(
      await desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: true, seen: null }),
    )
    await station.question('return_label.create')
    isForbidden = false
    await eventually(() => station.label(made.id).print?.file)
    expect(service.labels).toHaveLength(1)
  })

  it('leads to a question with the similar bookings if the service returns bookings without notes', async () => {
    const { desk, service } = station
    once(books, 'reset_after')
    await station.enterLoss()
    const { id } = value(desk.modification.book())
    await eventually(() => service.modifications.length === 1)
    for (const row of service.modifications) row.note = null
    const line = await station.question('modification.create')
    const [arrived] = service.modifications
    expect(line.question).toMatchObject({
      kind: 'outcome',
      records: [
        { serverId: arrived?.id, brief: { reason: 'LOST', lines: [{ articleCode: 'A-1', quantity: -2 }] } },
      ],
    })
    value(
      desk.queue.decide({ ...line, decision: { kind: 'adopt', serverId: serverIdOf(arrived?.id ?? '') } }),
    )
    expect(value(desk.modification.get({ id }))).toMatchObject({
      create: 'done',
      reference: arrived?.reference,
    })
    expect(service.modifications).toHaveLength(1)
  })

  it('ignores the answer to an earlier version of its question', async () => {
    const { desk, service } = station
    once(books, 'reset_after')
    await station.enterLoss()
    value(desk.modification.book())
    await eventually(() => service.modifications.length === 1)
    const [arrived] = service.modifications
    if (!arrived) throw new Error('nothing has arrived')
    arrived.note = null
    const shown = await station.question('modification.create')
    service.modifications.push({ ...arrived, id: serverIdOf(`${arrived.id.slice(0, -3)}999`) })
    const now = await eventually(() => station.lines().find(({ version }) => version !== shown.version))
    expect(now.question).toMatchObject({ kind: 'outcome', records: [{}, {}] })
    expect(desk.queue.decide({ ...shown, decision: { kind: 'send_again' } })).toMatchObject({
      error: { code: 'queue.moved_on' },
    })
    expect(service.modifications).toHaveLength(2)
  })

  it('is sent again without a question if it is a booking and the service has no similar booking', async () => {
    const { desk, service } = station
    once(books, 'reset_before')
    await station.enterLoss()
    const { id } = value(desk.modification.book())
    await eventually(() => value(desk.modification.get({ id })).create === 'done')
    expect(service.modifications).toHaveLength(1)
  })
})

describe('a label without a shipment that the service does not list before the desk sends its creation again', () => {
  it('is printed, and exists only once, because the service refuses the second creation', async () => {
    const { desk, service } = station
    let hits = 0
    service.script = (call) => {
      if (!creates(call)) return null
      hits++
      // The first creation has already arrived, but the service lists its label only from the second creation on.
      if (hits === 2) for (const label of hidden.splice(0)) service.labels.push(label)
      return hits === 1 ? 'reset_after' : null
    }
    const hidden: (typeof service.labels)[number][] = []
    const made = value(await desk.returnLabel.make({ mode: byHand('MINE'), request: true, seen: null }))
    await eventually(() => service.labels.length === 1)
    hidden.push(...service.labels.splice(0))
    await eventually(() => station.label(made.id).print?.file)
    expect(service.labels).toHaveLength(1)
    expect(hits).toBe(2)
  })
})

describe('a booking that exists twice at the service', () => {
  it('leads to a notice when the desk searches for the booking, and the desk uses the older of the two bookings', async () => {
    const { desk, service } = station
    once(books, 'reset_after')
    await station.enterLoss()
    const { id } = value(desk.modification.book())
    const [first] = await eventually(() => service.modifications.length > 0 && service.modifications)
    if (!first) throw new Error('nothing arrived')
    const second = { ...first, id: serverIdOf(first.id.replace(/.$/, '9')), reference: 'MOD00000000777' }
    second.created_at = new Date(Date.now() + 1_000).toISOString()
    service.modifications.push(second)
    await eventually(() => value(desk.modification.get({ id })).create === 'done')
    expect(value(desk.modification.get({ id })).serverId).toBe(first.id)
    const { notices } = desk.queue.list()
    expect(notices).toMatchObject([
      { kind: 'duplicate', subject: { id }, records: [{ serverId: second.id, reference: 'MOD00000000777' }] },
    ])
  })

  it('leads to only one notice over several restarts', async () => {
    const { service } = station
    once(books, 'reset_before')
    await station.enterLoss()
    const { id } = value(station.desk.modification.book())
    await eventually(() => value(station.desk.modification.get({ id })).create === 'done')
    const [made] = service.modifications
    if (!made) throw new Error('nothing arrived')
    await station.reopen(20 * minuteMs)
    const late = { ...made, id: serverIdOf(made.id.replace(/.$/, '9')), note: markNote('', id) }
    service.modifications.push(late)
    await station.signIn()
    await eventually(() => station.desk.status().notices === 1)
    expect(station.desk.queue.list().notices).toMatchObject([
      { kind: 'duplicate', subject: { kind: 'modification', id }, records: [{ serverId: late.id }] },
    ])
    const looks = (): number => service.count('GET', /^\/wms\/modifications\/$/)
    const before = looks()
    await station.reopen(50 * minuteMs)
    await station.signIn()
    // Two functions of the desk have now read the modifications: the check for late records and the search for
    // locations.
    await eventually(() => looks() >= before + 2)
    expect(station.desk.status().notices).toBe(1)
  })
})

describe('a write that arrives at the service after the operator discarded it', () => {
  it('leads to a notice', async () => {
    await station.reopen(0, { quietMs: 60_000 })
    await station.signIn()
    once(creates, 'silence_before')
    const made = value(
      await station.desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: true, seen: null }),
    )
    const line = await eventually(() =>
      station.lines().find(({ state, waitsFor }) => state === 'unknown' && waitsFor === 'quiet_time'),
    )
    expect(line).toMatchObject({ question: null, choices: ['retry', 'discard'] })
    value(station.desk.queue.decide({ ...line, decision: { kind: 'discard', reason: 'customer left' } }))
    expect(station.lines()).toEqual([])
    expect(station.label(made.id)).toMatchObject({ create: 'discarded', request: 'discarded' })

    const late = station.theirLabel(0)
    await station.reopen(2 * minuteMs)
    await station.signIn()
    const [notice] = await eventually(() => {
      const { notices } = station.desk.queue.list()
      return notices.length > 0 && notices
    })
    expect(notice).toMatchObject({
      kind: 'late',
      subject: { kind: 'return_label', id: made.id },
      records: [{ serverId: late.wire.id }],
    })
  })
})

describe('a write that the service refuses', () => {
  it('is sent after the waiting changes of its label if the operator retries it', async () => {
    const { desk, service } = station
    const { id } = value(
      await desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: false, seen: null }),
    )
    await eventually(() => station.label(id).create === 'done')
    service.script = ({ path }) => (path.endsWith('/request') ? 'forbidden' : null)
    value(await desk.returnLabel.request({ id }))
    await eventually(() => station.label(id).request === 'rejected')
    service.script = () => null
    await station.whileOffline(async () => {
      value(await desk.returnLabel.patch({ id, sender: { city: 'Breda' } }))
      const [line] = station.lines()
      if (line?.type !== 'return_label.request') throw new Error('the refusal is not asked about')
      value(desk.queue.decide({ ...line, decision: { kind: 'retry' } }))
    })
    expect(station.lines().map(({ type }) => type)).toEqual(['return_label.patch', 'return_label.request'])
    await station.online()
    await eventually(() => station.label(id).print?.file)
    expect(service.labels[0]).toMatchObject({
      patches: 1,
      requests: 1,
      wire: { sender_address: { city: 'Breda' } },
    })
    expect(station.lines()).toEqual([])
  })

  it('stays in the queue after a restart; if it creates a label, a retry also sends the request of the label', async () => {
    const { desk, service } = station
    const made = value(
      await desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: true, seen: null }),
    )
    const gone = service.shipments.splice(0, 1)
    const line = await station.question('return_label.create')
    expect(line).toMatchObject({ state: 'rejected', question: { kind: 'refused' }, waitsFor: 'operator' })
    await station.reopen()
    await station.signIn()
    expect(station.lines().map(({ commandId }) => commandId)).toEqual([line.commandId])
    expect(station.desk.status()).toMatchObject({
      unsent: { waiting: 0, asking: 1, oldest: null },
      waitingWrites: [],
      refusedWrites: [{ commandId: line.commandId, title: 'SHP00000000001', needsOperator: false }],
    })
    service.shipments.unshift(...gone)
    value(station.desk.queue.decide({ ...line, decision: { kind: 'retry' } }))
    await eventually(() => station.label(made.id).print?.file)
    expect(service.labels).toHaveLength(1)
    expect(station.lines()).toEqual([])
  })

  it('can return to its form with all typed text', async () => {
    const { desk } = station
    const { sender } = byHand() as Extract<ReturnType<typeof byHand>, { by: 'hand' }>
    value(
      await desk.returnLabel.make({
        mode: byHand('R-1', { ...sender, zipcode: refusedPostcode }),
        request: true,
        seen: null,
      }),
    )
    const line = await station.question('return_label.create')
    expect(line.failure?.code).toBe('return_label.address_invalid')
    expect(value(desk.queue.edit({ commandId: line.commandId }))).toEqual({ place: 'label_form' })
    expect(desk.returnLabel.readDraft()).toMatchObject({
      externalReference: 'R-1',
      sender: { zipcode: refusedPostcode, city: 'Utrecht' },
    })
    expect(desk.queue.edit({ commandId: line.commandId })).toMatchObject({
      error: { code: 'queue.moved_on' },
    })
  })
})

describe('the form of a label', () => {
  it('keeps its typed text if the operator takes another label back from the queue', async () => {
    const { desk } = station
    const made = await station.whileOffline(async () => [
      value(await desk.returnLabel.make({ mode: byHand('FIRST'), request: true, seen: null })),
      value(await desk.returnLabel.make({ mode: byHand('SECOND'), request: true, seen: null })),
    ])
    const [first, second] = made.map(({ id }) =>
      station.lines().find(({ subject, type }) => subject.id === id && type === 'return_label.create'),
    )
    if (!first || !second) throw new Error('both wait')
    desk.returnLabel.writeDraft({ shippingMethodId: anyMethodId, externalReference: ' ', sender: {} })
    expect(value(desk.queue.edit({ commandId: first.commandId }))).toEqual({ place: 'label_form' })
    expect(desk.queue.edit({ commandId: second.commandId })).toMatchObject({
      error: { code: 'queue.form_in_use' },
    })
    expect(desk.returnLabel.readDraft()).toMatchObject({ externalReference: 'FIRST' })
    expect(station.lines().map(({ subject }) => subject.id)).toContain(second.subject.id)
    desk.returnLabel.writeDraft(null)
    expect(value(desk.queue.edit({ commandId: second.commandId }))).toEqual({ place: 'label_form' })
    expect(desk.returnLabel.readDraft()).toMatchObject({ externalReference: 'SECOND' })
  })
})

describe('the queue of an operator who logged out', () => {
  it('shows who made each entry, and is sent after the login of the next operator', async () => {
    const made = await station.whileOffline(async () =>
      value(
        await station.desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: true, seen: null }),
      ),
    )
    await station.desk.session.logout()
    expect(station.lines()).toMatchObject([
      { waitsFor: 'login', madeBy: 'sam', nextAt: null },
      { waitsFor: 'login', after: station.lines()[0]?.commandId },
    ])
    await station.online()
    value(await station.desk.session.login({ username: 'kim', password: 'right' }))
    await eventually(() => station.label(made.id).print?.file)
    expect(station.service.labels).toHaveLength(1)
  })
})
