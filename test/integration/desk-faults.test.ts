import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import { senderAddress } from '#shared/wire/address.ts'
import { count, seed } from '#support/counts.ts'
import { DeskBench, eventually, logIn } from '#support/desk-bench.ts'
import { anySender, byHand, byShipment } from '#support/label-wishes.ts'
import { type ScriptedLabel, scriptedLabel } from '#support/scripted-records.ts'
import { type Call, type Fault, faults, ScriptedService } from '#support/scripted-service.ts'

let service: ScriptedService
let bench: DeskBench

beforeEach(async () => {
  service = new ScriptedService()
  await service.start()
  bench = await DeskBench.create()
})

afterEach(async () => {
  await bench.dispose()
  await service.stop()
})

type Step = 'create' | 'request' | 'patch' | 'cancel'

function stepOf({ method, path }: Call): Step | null {
  if (method === 'GET' || !path.startsWith('/wms/return-labels/')) return null
  if (method === 'PATCH') return 'patch'
  return path.endsWith('/request') ? 'request' : path.endsWith('/cancel') ? 'cancel' : 'create'
}

async function begin(shipmentId: string): Promise<{ desk: Desk; id: string; view: () => ReturnLabelView }> {
  const desk = await bench.open(() => service.url)
  await logIn(desk)
  await eventually(() => desk.status().index.shipments === service.shipments.length)
  const made = await desk.returnLabel.make({ mode: byShipment(shipmentId), request: true, seen: null })
  if (!made.ok) throw new Error(made.error.code)
  const { id } = made.value
  const view = (): ReturnLabelView => {
    const got = desk.returnLabel.get({ id })
    if (!got.ok) throw new Error(got.error.code)
    return got.value
  }
  return { desk, id, view }
}

const firstShipment = (): string => service.shipments[0]?.id ?? ''
/** Counts the label requests that reached the service, whatever their outcome was. */
const requestsSeen = (): number => service.count('POST', /\/request$/)
const createsSeen = (): number => service.count('POST', /^\/wms\/return-labels\/$/)

const applied = (fault: Fault): boolean => fault.endsWith('_after')
const harmless = (fault: Fault): boolean => ['unauthorised', 'too_many', 'redirect'].includes(fault)

describe.each(['create', 'request'] as const)('one fault during the call %s of a label', (step) => {
  it.each(faults.filter(harmless))(
    'leads to a second send of the write if the fault prevented the write: %s',
    async (fault) => {
      let hits = 0
      service.script = (call) => (stepOf(call) === step && hits++ === 0 ? fault : null)
      const { view } = await begin(firstShipment())
      await eventually(() => view().print?.file)
      expect(service.labels).toHaveLength(1)
      expect(step === 'create' ? createsSeen() : requestsSeen()).toBe(2)
      expect(service.labels[0]?.requests).toBe(1)
    },
  )

  it.each(faults.filter(applied))(
    'leads to a search at the service and to no second send if the write arrived and only its response was lost: %s',
    async (fault) => {
      let hits = 0
      service.script = (call) => (stepOf(call) === step && hits++ === 0 ? fault : null)
      const { view } = await begin(firstShipment())
      await eventually(() => view().print?.file)
      expect(service.labels).toHaveLength(1)
      expect(createsSeen()).toBe(1)
      expect(requestsSeen()).toBe(1)
    },
  )

  it.each(faults.filter((fault) => !applied(fault) && !harmless(fault)))(
    'leads, if it leaves the outcome unknown, to a second send only when the first send can no longer arrive: %s',
    async (fault) => {
      let hits = 0
      service.script = (call) => (stepOf(call) === step && hits++ === 0 ? fault : null)
      const { desk, view } = await begin(firstShipment())
      let asked = 0
      desk.on('status', ({ unsent }) => (asked += unsent.asking))
      const sent = step === 'create' ? createsSeen : requestsSeen
      await eventually(() => view()[step] === 'unknown')
      expect(view().failure?.code).toBe('return_label.outcome_unknown')
      // While the first send may still arrive, the desk only searches for its result and does not send it again.
      await eventually(() => service.count('GET', /return-labels/) > 2 && view()[step] === 'unknown')
      expect(sent()).toBe(1)
      await eventually(() => view().print?.file)
      expect(sent()).toBe(2)
      expect(service.labels).toHaveLength(1)
      expect(service.labels[0]?.requests).toBe(1)
      expect(asked).toBe(0)
    },
  )
})

describe.each(['patch', 'cancel'] as const)('one fault during %s of an unrequested label', (step) => {
  it.each(faults)(
    'leads to the same final label as a run without a fault, and to no question to the operator: %s',
    async (fault) => {
      let hits = 0
      service.script = (call) => (stepOf(call) === step && hits++ === 0 ? fault : null)
      const desk = await bench.open(() => service.url, { quietMs: 100 })
      await logIn(desk)
      await eventually(() => desk.status().index.shipments === service.shipments.length)
      const made = await desk.returnLabel.make({
        mode: byShipment(firstShipment()),
        request: false,
        seen: null,
      })
      if (!made.ok) throw new Error(made.error.code)
      const { id } = made.value
      let asked = 0
      desk.on('status', ({ waitingWrites }) => {
        asked += waitingWrites.filter((write) => write.needsOperator).length
      })
      // Waits until the creation was sent. If the label were cancelled earlier, the desk would discard the creation.
      await eventually(() => service.labels.length === 1 && desk.status().waitingWrites.length === 0)
      if (step === 'patch') await desk.returnLabel.patch({ id, sender: { city: 'Breda' } })
      else await desk.returnLabel.cancel({ id })
      const view = await eventually(() => {
        const got = desk.returnLabel.get({ id })
        return got.ok && got.value[step] === 'done' && got.value
      })
      expect(hits).toBeGreaterThan(0)
      expect(view).toMatchObject({ failure: null, cancelled: step === 'cancel' })
      expect(service.labels).toHaveLength(1)
      if (step === 'patch') expect(service.labels[0]?.wire.sender_address?.city).toBe('Breda')
      else expect(service.labels[0]?.isCancelled).toBe(true)
      expect(asked).toBe(0)
    },
  )
})

describe('a fault during the creation of a label without a shipment', () => {
  it.each(faults.filter(applied))(
    'leads to a search for the reference and to no second send if the label was created and only the response was lost: %s',
    async (fault) => {
      let hits = 0
      service.script = (call) => (stepOf(call) === 'create' && hits++ === 0 ? fault : null)
      const desk = await bench.open(() => service.url)
      await logIn(desk)
      // The service already has a label without a shipment. Its reference differs from that of the label that the desk
      // now makes.
      const sender = senderAddress.parse(anySender)
      service.labels.push(scriptedLabel(1, { reference: 'OTHER', sender }))
      const made = await desk.returnLabel.make({ mode: byHand('MINE'), request: true, seen: null })
      if (!made.ok) throw new Error(made.error.code)
      await eventually(() => desk.returnLabel.recent()[0]?.print?.file)
      expect(createsSeen()).toBe(1)
      expect(service.labels.map(({ wire }) => wire.external_reference)).toEqual(['OTHER', 'MINE.R'])
    },
  )
})

describe('a label that the service refuses', () => {
  it('leaves the queue, and another label of the shipment can be made', async () => {
    const { desk, view } = await begin(firstShipment())
    await eventually(() => view().print?.file)
    service.shipments.splice(1, 1)
    const gone = await desk.returnLabel.make({
      mode: byShipment('00000000-0000-4000-8000-000000000102'),
      request: true,
      seen: null,
    })
    if (!gone.ok) throw new Error(gone.error.code)
    await eventually(() => {
      const got = desk.returnLabel.get({ id: gone.value.id })
      return got.ok && got.value.create === 'rejected' && got.value
    })
    expect(desk.returnLabel.get({ id: gone.value.id })).toMatchObject({
      value: { create: 'rejected', request: 'discarded', failure: { code: 'return_label.unknown' } },
    })
    expect(desk.status().waitingWrites).toEqual([])
    const again = await desk.returnLabel.make({
      mode: byShipment('00000000-0000-4000-8000-000000000102'),
      request: true,
      seen: null,
    })
    expect(again.ok && again.value.id).not.toBe(gone.value.id)
  })
})

describe("a label that another client created shortly before the desk's label", () => {
  const theirs = (): ScriptedLabel => {
    const [shipment] = service.shipments
    if (!shipment) throw new Error('no shipment')
    const label = scriptedLabel(service.labels.length + 1, shipment)
    service.labels.push(label)
    return label
  }

  /** Answers the question about the other label: the operator wants a second label. */
  const wantASecond = async (desk: Desk): Promise<void> => {
    const line = await eventually(() => desk.queue.list().lines.find(({ question }) => question !== null))
    expect(desk.queue.decide({ ...line, decision: { kind: 'go_on' } })).toMatchObject({ ok: true })
  }

  it("is not taken for the label of the desk if the desk's creation did not arrive", async () => {
    theirs()
    let hits = 0
    service.script = (call) => (stepOf(call) === 'create' && hits++ === 0 ? 'reset_before' : null)
    const { desk, view } = await begin(firstShipment())
    await wantASecond(desk)
    await eventually(() => view().create === 'unknown')
    const looks = service.calls.length
    await eventually(() => service.calls.length > looks + 2)
    expect(view()).toMatchObject({ create: 'unknown', serverId: null })
    expect(desk.status().waitingWrites.map(({ state }) => state)).toEqual(['unknown', 'queued'])
  })

  it("is not taken for the label of the desk if the response to the desk's creation was lost", async () => {
    const other = theirs()
    let hits = 0
    service.script = (call) => (stepOf(call) === 'create' && hits++ === 0 ? 'reset_after' : null)
    const { desk, view } = await begin(firstShipment())
    await wantASecond(desk)
    await eventually(() => view().print?.file)
    expect(view().serverId).toBe(service.labels[1]?.wire.id)
    expect(other.requests).toBe(0)
  })
})

it('401 responses to calls that ran in parallel lead to a single refresh of the token', async () => {
  const desk = await bench.open(() => service.url)
  await logIn(desk)
  await eventually(() => desk.status().index.shipments === service.shipments.length)
  const token = service.calls.findLast((call) => call.token !== null)?.token ?? ''
  service.dead.add(token)
  const scans = await Promise.all(
    Array.from({ length: 50 }, () => desk.scan.submit({ raw: 'SHP00000000001', expect: 'anything' })),
  )
  expect(scans.every((scan) => scan.kind === 'shipment')).toBe(true)
  expect(service.count('POST', /refresh/)).toBe(1)
  expect(desk.session.state().state).toBe('signed_in')
})

it('a refused refresh of the token ends the login and keeps the queue, which is sent after the next login', async () => {
  const { desk, view } = await begin(firstShipment())
  await eventually(() => view().print?.file)
  for (const call of service.calls) if (call.token) service.dead.add(call.token)
  service.script = (call) => (call.path.includes('refresh') ? 'unauthorised' : null)
  const made = await desk.returnLabel.make({
    mode: byShipment(service.shipments[1]?.id ?? ''),
    request: true,
    seen: null,
  })
  await eventually(() => desk.session.state().state === 'expired')
  expect(bench.secrets.size).toBe(0)
  expect(made.ok && desk.returnLabel.get({ id: made.value.id })).toMatchObject({
    value: { create: 'queued' },
  })

  service.script = () => null
  await logIn(desk)
  await eventually(() => made.ok && desk.returnLabel.recent().every((label) => label.print?.file))
  expect(service.labels).toHaveLength(2)
})

it(
  'no sequence of faults leads to two labels at the service for one label that was made at the desk',
  { timeout: 3_600_000 },
  async () => {
    const fault = (weight: number): fc.Arbitrary<Fault | null> =>
      fc.option(fc.constantFrom(...faults), { nil: null, freq: weight })
    const sequences = fc.record({
      writes: fc.array(fault(3), { minLength: 2, maxLength: 8 }),
      reads: fc.array(fault(1), { maxLength: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(sequences, async ({ writes, reads }) => {
        const own = await DeskBench.create()
        const world = new ScriptedService()
        await world.start()
        try {
          const desk = await own.open(() => world.url)
          await logIn(desk)
          const [restOfWrites, restOfReads] = [[...writes], [...reads]]
          world.script = (call) => {
            if (!call.path.startsWith('/wms/return-labels')) return null
            return (call.method === 'POST' ? restOfWrites : restOfReads).shift() ?? null
          }
          for (const shipment of world.shipments)
            await desk.returnLabel.make({ mode: byShipment(shipment.id), request: true, seen: null })
          await eventually(() =>
            desk.returnLabel
              .recent()
              .every((label) => label.print?.file ?? [label.create, label.request].includes('unknown')),
          )
          for (const shipment of world.shipments) {
            expect(world.labelsOf(shipment.id).length).toBeLessThanOrEqual(1)
            expect(world.labelsOf(shipment.id)[0]?.requests ?? 0).toBeLessThanOrEqual(1)
          }
          for (const label of desk.returnLabel.recent().filter(({ print }) => print?.file))
            expect(world.labelsOf(label.shipmentId ?? '').map(({ wire }) => wire.id)).toEqual([
              label.serverId,
            ])
        } finally {
          await own.dispose()
          await world.stop()
        }
      }),
      { numRuns: count(20, 300), seed },
    )
  },
)
