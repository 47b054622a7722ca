import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Modification } from '#shared/wire/modification.ts'
import { eventually } from '#support/desk-bench.ts'
import { byShipment } from '#support/label-wishes.ts'
import { QueueBench, value } from '#support/queue-bench.ts'
import { labelIdOf, serverIdOf } from '#support/ids.ts'

/** Several desks use one service. No desk makes a second label or a second booking without a question or a notice. */

let station: QueueBench

beforeEach(async () => {
  station = await QueueBench.start()
})
afterEach(() => station.stop())

const shipmentId = (index: number): string => station.shipmentId(index)

describe('a label that the desk sends without delay', () => {
  it('leads to a question if another desk made a label of the shipment an hour earlier', async () => {
    const { desk } = station
    const theirs = station.theirLabel(0)
    theirs.wire.created_at = new Date(Date.now() - 3600_000).toISOString()
    theirs.request(`${station.service.url}/file.pdf`)
    const made = value(
      await desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: true, seen: null }),
    )
    const line = await station.question('return_label.create')
    expect(line).toMatchObject({
      subject: { kind: 'return_label', id: made.id },
      waitsFor: 'operator',
      question: { kind: 'exists', records: [{ serverId: theirs.wire.id, requested: true }] },
      choices: ['adopt', 'go_on', 'edit', 'discard', 'later'],
    })
    const [write] = desk.status().waitingWrites
    expect(write).toMatchObject({ needsOperator: true, question: line.question })
    value(desk.queue.decide({ ...line, decision: { kind: 'adopt', serverId: theirs.wire.id } }))
    await eventually(() => station.label(made.id).print?.file)
    expect(station.service.labelsOf(shipmentId(0))).toHaveLength(1)
  })

  it('is made or discarded, as the operator decides, if another desk already made a label of the shipment', async () => {
    const { desk } = station
    station.theirLabel(0)
    station.theirLabel(1)
    const second = value(
      await desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: true, seen: null }),
    )
    value(
      desk.queue.decide({ ...(await station.question('return_label.create')), decision: { kind: 'go_on' } }),
    )
    await eventually(() => station.label(second.id).print?.file)
    const dropped = value(
      await desk.returnLabel.make({ mode: byShipment(shipmentId(1)), request: true, seen: null }),
    )
    const line = await station.question('return_label.create')
    value(desk.queue.decide({ ...line, decision: { kind: 'discard', reason: 'it has one' } }))
    expect(station.label(dropped.id).create).toBe('discarded')
    expect([0, 1].map((index) => station.service.labelsOf(shipmentId(index)).length)).toEqual([2, 1])
    expect(desk.queue.list().notices).toEqual([])
  })

  it('leads to a question if a lookup found a label of another desk and the operator has not seen this label', async () => {
    const { desk } = station
    const theirs = station.theirLabel(0)
    theirs.request(`${station.service.url}/file.pdf`)
    const look = await desk.returnLabel.look({ shipmentId: shipmentId(0) })
    expect(look).toMatchObject({
      state: 'label',
      label: { origin: 'service', serverId: theirs.wire.id, requested: true },
    })
    const unseen = value(
      await desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: true, seen: null }),
    )
    const line = await station.question('return_label.create')
    expect(line.subject.id).toBe(unseen.id)
    // The lookup has already stored the label of the other desk in the ledger. After the adoption the ledger must
    // contain this label only once.
    value(desk.queue.decide({ ...line, decision: { kind: 'adopt', serverId: theirs.wire.id } }))
    await eventually(() => station.label(unseen.id).print?.file)
    expect(desk.returnLabel.recent().map(({ id }) => id)).toEqual([unseen.id])
    expect(station.service.labelsOf(shipmentId(0))).toHaveLength(1)
  })

  it('is made as a second label, without a question, if the card already showed the label of another desk', async () => {
    const { desk } = station
    station.theirLabel(0).request(`${station.service.url}/file.pdf`)
    const look = await desk.returnLabel.look({ shipmentId: shipmentId(0) })
    const seen = await desk.returnLabel.make({
      mode: byShipment(shipmentId(0)),
      request: true,
      seen: labelIdOf(look.label?.id ?? ''),
    })
    await eventually(() => station.label(value(seen).id).print?.file)
    expect(station.service.labelsOf(shipmentId(0))).toHaveLength(2)
  })

  it('leads to one notice if another desk made a label of the shipment just before or just after this label', async () => {
    const { desk, service } = station
    let theirs: string[] = []
    service.script = ({ method, path }) => {
      // The other desk makes its label after this desk has searched for labels and before this desk's creation arrives.
      if (method === 'POST' && path === '/wms/return-labels/' && theirs.length === 0)
        theirs = [station.theirLabel(0).wire.id]
      return null
    }
    const before = value(
      await desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: true, seen: null }),
    )
    const notice = await eventually(() => desk.status().twice)
    expect(notice).toMatchObject({
      kind: 'other_desk',
      subject: { id: before.id },
      records: [{ serverId: theirs[0], brief: { shipmentReference: 'SHP00000000001' } }],
    })
    desk.queue.dismiss({ noticeId: notice.id })
    const after = value(
      await desk.returnLabel.make({ mode: byShipment(shipmentId(1)), request: true, seen: null }),
    )
    await eventually(() => station.label(after.id).create === 'done')
    const late = station.theirLabel(1).wire.id
    const other = await eventually(() => desk.status().twice)
    expect(other).toMatchObject({ subject: { id: after.id }, records: [{ serverId: late }] })
    desk.queue.dismiss({ noticeId: other.id })
    expect(desk.status()).toMatchObject({ twice: null, notices: 0 })
  })

  it('leads to a notice if another desk made a label of the shipment while this desk was closed', async () => {
    const { desk } = station
    const made = value(
      await desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: true, seen: null }),
    )
    await eventually(() => station.label(made.id).create === 'done')
    await station.bench.close(desk)
    const theirs = station.theirLabel(0).wire.id
    await station.reopen(3600_000)
    await station.signIn()
    const notice = await eventually(() => station.desk.status().twice)
    expect(notice).toMatchObject({ subject: { id: made.id }, records: [{ serverId: theirs }] })
  })
})

describe('a label whose creation got no response', () => {
  it('leads to a question, and adopts no label automatically, if another desk made a label of the shipment at the same time', async () => {
    const { desk, service } = station
    let hits = 0
    service.script = ({ method, path }) => {
      if (method !== 'POST' || path !== '/wms/return-labels/' || hits++ > 0) return null
      // The call with which this desk creates its label never arrives. At the time of this call, the other desk creates
      // a label, which it requests a millisecond later.
      const theirs = station.theirLabel(0)
      setTimeout(() => theirs.request(`${service.url}/file.pdf`), 1)
      return 'reset_before'
    }
    const made = value(
      await desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: true, seen: null }),
    )
    const line = await station.question('return_label.create')
    expect(line).toMatchObject({
      subject: { id: made.id },
      state: 'unknown',
      question: { kind: 'outcome', records: [{ serverId: service.labels[0]?.wire.id, requested: true }] },
      choices: ['adopt', 'send_again', 'discard', 'later'],
    })
    value(
      desk.queue.decide({
        ...line,
        decision: { kind: 'adopt', serverId: serverIdOf(service.labels[0]?.wire.id ?? '') },
      }),
    )
    await eventually(() => station.label(made.id).print?.file)
    expect(service.labels).toHaveLength(1)
  })

  it('leads to another search for labels of other desks before its creation is sent a second time', async () => {
    const { desk, service } = station
    let hits = 0
    service.script = ({ method, path }) => {
      if (method === 'POST' && path === '/wms/return-labels/' && hits++ === 0) return 'reset_before'
      return null
    }
    const made = value(
      await desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: true, seen: null }),
    )
    await eventually(() => station.label(made.id).print?.file)
    expect(hits).toBe(2)
    const looks = service.calls.map(({ path }) => path.endsWith('/return-label'))
    const creates = service.calls.map(
      ({ method, path }) => method === 'POST' && path === '/wms/return-labels/',
    )
    const [first, second] = [creates.indexOf(true), creates.lastIndexOf(true)]
    expect(looks.slice(first, second)).toContain(true)
  })
})

describe('a booking that the desk sends without delay', () => {
  it('leads to a question if another desk has just booked the same lines', async () => {
    const { desk } = station
    const theirs = station.theirLoss()
    await station.enterLoss()
    const { id } = value(desk.modification.book())
    const line = await station.question('modification.create')
    expect(line.question).toMatchObject({ kind: 'exists', records: [{ serverId: theirs.id, note: 'fell' }] })
    value(desk.queue.decide({ ...line, decision: { kind: 'go_on' } }))
    await eventually(() => value(desk.modification.get({ id })).create === 'done')
    expect(desk.queue.list().notices).toEqual([])
  })

  it('leads to a notice if another desk books the same lines at the same moment', async () => {
    const { desk, service } = station
    await station.enterLoss()
    let theirs: Modification[] = []
    service.script = ({ method, path }) => {
      if (method === 'POST' && path === '/wms/modifications/' && theirs.length === 0)
        theirs = [station.theirLoss()]
      return null
    }
    const { id } = value(desk.modification.book())
    const notice = await eventually(() => desk.status().twice)
    expect(notice).toMatchObject({
      kind: 'other_desk',
      subject: { kind: 'modification', id },
      records: [{ serverId: theirs[0]?.id }],
    })
  })
})

describe('the lookup of the label of a shipment', () => {
  it('reports that there is no label, or, without a connection, that the desk could not ask the service', async () => {
    const { desk } = station
    const looks = (): number => station.service.count('GET', /return-label$/)
    expect(await desk.returnLabel.look({ shipmentId: shipmentId(0) })).toMatchObject({
      state: 'none',
      label: null,
    })
    expect(looks()).toBe(1)
    await expect.poll(async () => (await desk.returnLabel.search({ text: '' })).asOf).not.toBeNull()
    await station.whileOffline(() =>
      desk.returnLabel.make({ mode: byShipment(shipmentId(2)), request: false, seen: null }),
    )
    const offline = await desk.returnLabel.look({ shipmentId: shipmentId(0) })
    expect(offline).toMatchObject({ state: 'unasked', label: null })
    expect(Date.parse(offline.asOf ?? '')).toBeLessThanOrEqual(Date.now())
    expect(looks()).toBe(1)
  })

  it('returns, without a connection, a label of another desk if this desk has read it from the service before', async () => {
    const theirs = station.theirLabel(1)
    theirs.request(`${station.service.url}/file.pdf`)
    await station.reopen()
    await station.signIn()
    const isListed = async (): Promise<boolean> =>
      (await station.desk.returnLabel.search({ text: '' })).labels.some(
        ({ serverId }) => serverId === theirs.wire.id,
      )
    await expect.poll(isListed, { timeout: 60_000 }).toBe(true)
    await station.whileOffline(() =>
      station.desk.returnLabel.make({ mode: byShipment(shipmentId(2)), request: false, seen: null }),
    )
    expect(await station.desk.returnLabel.look({ shipmentId: shipmentId(1) })).toMatchObject({
      state: 'label',
      label: { origin: 'service', serverId: theirs.wire.id },
    })
  })

  it('ends with a timeout if the service does not respond', async () => {
    await station.reopen(0, { askMs: 200 })
    await station.signIn()
    station.service.script = ({ path }) => (path.endsWith('/return-label') ? 'silence_before' : null)
    expect(await station.desk.returnLabel.look({ shipmentId: shipmentId(0) })).toMatchObject({
      state: 'unasked',
      label: null,
      failure: { code: 'network.timeout' },
    })
  })
})
