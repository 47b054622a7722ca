import type { LabelId } from '#shared/domain/ids.ts'
import { readdir } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import type { LabelMode, ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { Result } from '#shared/errors/result.ts'
import { DeskBench, eventually, logIn } from '#support/desk-bench.ts'
import { anyMethodId, anySender, byHand, byShipment } from '#support/label-wishes.ts'
import { refusedPostcode } from '#support/scripted-labels.ts'
import { type ScriptedLabel, scriptedLabel } from '#support/scripted-records.ts'
import { ScriptedService } from '#support/scripted-service.ts'
import { serverLabelIdOf } from '#support/ids.ts'

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

async function signedIn(): Promise<Desk> {
  const desk = await bench.open(() => service.url)
  await logIn(desk)
  await eventually(() => desk.status().index.shipments === service.shipments.length)
  return desk
}

function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.code)
  return result.value
}

const make = async (desk: Desk, mode: LabelMode, request = true): Promise<ReturnLabelView> =>
  valueOf(await desk.returnLabel.make({ mode, request, seen: null }))

const viewOf = (desk: Desk, id: LabelId): ReturnLabelView => valueOf(desk.returnLabel.get({ id }))

const shipmentId = (index = 0): string => service.shipments[index]?.id ?? ''

function only(): ScriptedLabel {
  const [label, ...others] = service.labels
  if (!label || others.length > 0) throw new Error(`${service.labels.length} labels`)
  return label
}

/** Returns a label that another client created. */
function theirs(): ScriptedLabel {
  const [shipment] = service.shipments
  if (!shipment) throw new Error('no shipment')
  const label = scriptedLabel(service.labels.length + 1, shipment)
  service.labels.push(label)
  return label
}

/** Creates a label and does not request it. */
async function open(desk: Desk, mode: LabelMode = byShipment(shipmentId())): Promise<LabelId> {
  const { id } = await make(desk, mode, false)
  await eventually(() => viewOf(desk, id).create === 'done')
  return id
}

describe('a label made at a desk', () => {
  it('for a shipment is created with the chosen method, then gets the chosen sender by a PATCH, and is then requested', async () => {
    const desk = await signedIn()
    const sender = { ...anySender, city: 'Breda' }
    const made = await make(desk, byShipment(shipmentId(), { shippingMethodId: anyMethodId, sender }))
    expect(made).toMatchObject({ create: 'queued', patch: 'queued', request: 'queued', sender })
    await eventually(() => viewOf(desk, made.id).print?.file)
    expect(only()).toMatchObject({ methodId: anyMethodId, patches: 1, requests: 1 })
    expect(only().wire.sender_address).toEqual(sender)
    const writes = service.calls.filter(
      ({ method, path }) => method !== 'GET' && path.includes('return-labels'),
    )
    expect(writes.map(({ method, path }) => `${method} ${path.split('/').at(-1) ?? ''}`)).toEqual([
      'POST ',
      'PATCH ',
      'POST request',
    ])
    expect(viewOf(desk, made.id)).toMatchObject({ patch: 'done', requested: true, sender, failure: null })
  })

  it('without a shipment is created with the reference that the operator typed, or with a generated reference', async () => {
    const desk = await signedIn()
    const named = await make(desk, byHand('CLAIM 7'))
    const unnamed = await make(desk, byHand())
    expect(unnamed.externalReference).toMatch(/^RET-[0-9A-F]{12}$/)
    await eventually(() => desk.returnLabel.recent().every((label) => label.print?.file))
    // Writes about different labels may be sent at the same time, so they may arrive in any order.
    expect(service.labels.map(({ wire }) => wire.external_reference).toSorted()).toEqual([
      'CLAIM 7.R',
      `${unnamed.externalReference ?? ''}.R`,
    ])
    expect(viewOf(desk, named.id)).toMatchObject({ shipmentId: null, externalReference: 'CLAIM 7.R' })
    expect(await desk.scan.submit({ raw: 'claim7.r', expect: 'anything' })).toMatchObject({
      kind: 'return_label',
      label: { id: named.id },
    })
  })

  it('that was not requested can be changed and requested later, and refuses changes after its request', async () => {
    const desk = await signedIn()
    const id = await open(desk)
    expect(viewOf(desk, id)).toMatchObject({ request: null, patch: null, cancel: null, requested: false })
    expect(await desk.returnLabel.reprint({ id, reason: null })).toMatchObject({
      error: { code: 'return_label.not_made_yet' },
    })
    await desk.returnLabel.patch({ id, sender: { city: 'Breda' } })
    await desk.returnLabel.request({ id })
    await eventually(() => viewOf(desk, id).print?.file)
    expect(only()).toMatchObject({ patches: 1, requests: 1, wire: { sender_address: { city: 'Breda' } } })
    expect(await desk.returnLabel.cancel({ id })).toMatchObject({
      error: { code: 'return_label.already_requested' },
    })
    expect(await desk.returnLabel.patch({ id, sender: { city: 'Goes' } })).toMatchObject({
      error: { code: 'return_label.already_requested' },
    })
  })
})

describe('a second label for a shipment', () => {
  it('is not created while the first label is open: the desk continues the first label', async () => {
    const desk = await signedIn()
    const id = await open(desk)
    expect((await make(desk, byShipment(shipmentId(), { sender: anySender }))).id).toBe(id)
    await eventually(() => viewOf(desk, id).print?.file)
    expect(only()).toMatchObject({ patches: 1, requests: 1 })
  })

  it('is created with the chosen method if the first label was cancelled', async () => {
    const desk = await signedIn()
    const id = await open(desk)
    await desk.returnLabel.cancel({ id })
    const next = await make(desk, byShipment(shipmentId(), { shippingMethodId: anyMethodId }))
    expect(next.id).not.toBe(id)
    await eventually(() => viewOf(desk, next.id).print?.file)
    expect(service.labels).toMatchObject([
      { isCancelled: true, requests: 0 },
      { isCancelled: false, requests: 1, methodId: anyMethodId },
    ])
  })
})

describe('a second label by hand (without a shipment)', () => {
  it('is not created if it has the reference of the first label, which the desk uses instead', async () => {
    const desk = await signedIn()
    const made = await Promise.all([make(desk, byHand('R1')), make(desk, byHand('R1'))])
    expect(made[0].id).toBe(made[1].id)
    await eventually(() => viewOf(desk, made[0].id).print?.file)
    expect(service.labels).toHaveLength(1)
  })
})

describe('a label at a desk without a connection', () => {
  it('keeps its unsent change, request or cancellation when the desk restarts, and the desk sends it when the connection is back', async () => {
    const desk = await signedIn()
    const [first, second] = [await open(desk), await open(desk, byHand())]
    await service.stop()
    await desk.returnLabel.patch({ id: first, sender: { city: 'Breda' } })
    await desk.returnLabel.request({ id: first })
    await desk.returnLabel.cancel({ id: second })
    await bench.close(desk)
    const again = await bench.open(() => service.url)
    expect(viewOf(again, first)).toMatchObject({
      patch: 'queued',
      request: 'queued',
      sender: { city: 'Breda' },
    })
    expect(viewOf(again, second)).toMatchObject({ cancel: 'queued', cancelled: false })
    expect(again.status().waitingWrites.map(({ subject, type }) => [subject.id, type])).toEqual([
      [first, 'return_label.patch'],
      [first, 'return_label.request'],
      [second, 'return_label.cancel'],
    ])
    await service.start()
    await eventually(() => viewOf(again, first).print?.file && viewOf(again, second).cancelled)
    expect(service.labels).toMatchObject([
      { patches: 1, requests: 1, cancels: 0 },
      { requests: 0, cancels: 1 },
    ])
  })

  it('is first changed and then requested when the connection is back, even if the operator requested it before the change', async () => {
    const desk = await signedIn()
    const id = await open(desk)
    await service.stop()
    await desk.returnLabel.request({ id })
    await desk.returnLabel.patch({ id, sender: { city: 'Breda' } })
    await service.start()
    await eventually(() => viewOf(desk, id).print?.file)
    expect(only()).toMatchObject({ patches: 1, requests: 1, wire: { sender_address: { city: 'Breda' } } })
  })

  it('is never created at the service if it is cancelled before its creation was sent', async () => {
    const first = await signedIn()
    await bench.close(first)
    await service.stop()
    const desk = await bench.open(() => service.url)
    const { id } = await make(desk, byShipment(shipmentId()))
    const cancelled = valueOf(await desk.returnLabel.cancel({ id }))
    expect(cancelled).toMatchObject({
      create: 'discarded',
      request: 'discarded',
      cancel: null,
      cancelled: true,
    })
    expect(desk.status().waitingWrites).toEqual([])
    const next = await make(desk, byShipment(shipmentId()))
    await service.start()
    await eventually(() => viewOf(desk, next.id).print?.file)
    expect(service.labels).toHaveLength(1)
  })
})

describe('a label that another client requested after the desk had opened it', () => {
  it.each(['patch', 'cancel'] as const)(
    'causes the rejection of a %s of the desk, which then shows that the label is requested',
    async (act) => {
      const desk = await signedIn()
      const id = await open(desk)
      only().request(`${service.url}/file.pdf`)
      if (act === 'patch') await desk.returnLabel.patch({ id, sender: { city: 'Breda' } })
      else await desk.returnLabel.cancel({ id })
      await eventually(() => viewOf(desk, id).stored)
      expect(viewOf(desk, id)).toMatchObject({
        [act]: 'rejected',
        requested: true,
        cancelled: false,
        trackingCode: 'RT1',
        print: null,
        failure: { code: 'return_label.already_requested' },
        sender: null,
      })
      const paper = valueOf(await desk.returnLabel.reprint({ id, reason: null }))
      expect(paper.print).toMatchObject({ isReprint: true })
      await eventually(() => viewOf(desk, id).print?.state === 'confirmed')
      expect(await readdir(bench.printFolder)).toHaveLength(1)
    },
  )

  it('is printed without a failure if the desk requests it too', async () => {
    const desk = await signedIn()
    const id = await open(desk)
    only().request(`${service.url}/file.pdf`)
    await desk.returnLabel.request({ id })
    await eventually(() => viewOf(desk, id).print?.file)
    expect(viewOf(desk, id)).toMatchObject({ request: 'done', failure: null })
  })

  it('is shown as requested once the desk has read the label again', async () => {
    const desk = await signedIn()
    const id = await open(desk)
    await bench.close(desk)
    only().request(`${service.url}/file.pdf`)
    const later = await bench.open(() => service.url, { clock: clockAhead(60_000) })
    await logIn(later)
    expect(viewOf(later, id).requested).toBe(false)
    await eventually(() => viewOf(later, id).stored)
    expect(viewOf(later, id)).toMatchObject({
      requested: true,
      trackingCode: 'RT1',
      print: null,
      failure: null,
    })
  })
})

function clockAhead(ms: number): { now(): number; ticks(): number } {
  return { now: () => Date.now() + ms, ticks: () => performance.now() }
}

describe('a label that another client cancelled after the desk had opened it', () => {
  it.each(['patch', 'request'] as const)(
    'leads to a refused %s, and the desk reports that the label is cancelled',
    async (act) => {
      const desk = await signedIn()
      const id = await open(desk)
      only().isCancelled = true
      if (act === 'patch') await desk.returnLabel.patch({ id, sender: { city: 'Breda' } })
      else await desk.returnLabel.request({ id })
      await eventually(() => viewOf(desk, id).cancelled)
      expect(viewOf(desk, id)).toMatchObject({
        [act]: 'rejected',
        failure: { code: 'return_label.cancelled' },
      })
      expect(await desk.returnLabel.request({ id })).toMatchObject({
        error: { code: 'return_label.cancelled' },
      })
    },
  )

  it('is shown as cancelled without a failure if the desk cancels it too', async () => {
    const desk = await signedIn()
    const id = await open(desk)
    only().isCancelled = true
    await desk.returnLabel.cancel({ id })
    await eventually(() => viewOf(desk, id).cancelled)
    expect(viewOf(desk, id)).toMatchObject({ cancel: 'done', failure: null })
  })
})

describe('an address that the service refuses', () => {
  const failure = {
    code: 'return_label.address_invalid',
    params: { field: 'zipcode', reason: 'This postcode does not exist.' },
  }

  it('prevents the creation and the request of a label without a shipment, and the failure names the refused field', async () => {
    const desk = await signedIn()
    const { id } = await make(desk, byHand(null, { ...anySender, zipcode: refusedPostcode }))
    await eventually(() => viewOf(desk, id).create === 'rejected')
    expect(viewOf(desk, id)).toMatchObject({ request: 'discarded', failure })
  })

  it('stops the request of a label, which the operator can continue with a corrected address', async () => {
    const desk = await signedIn()
    const sender = { ...anySender, zipcode: refusedPostcode, city: 'Goes' }
    const { id } = await make(desk, byShipment(shipmentId(), { sender }))
    await eventually(() => viewOf(desk, id).patch === 'rejected')
    expect(viewOf(desk, id)).toMatchObject({ create: 'done', request: 'discarded', failure, sender })
    await desk.returnLabel.patch({ id, sender: { zipcode: '1000 AA' } })
    await desk.returnLabel.request({ id })
    await eventually(() => viewOf(desk, id).print?.file)
    expect(viewOf(desk, id).failure).toBeNull()
    // The corrected postcode is sent together with the unchanged fields of the refused address.
    const told = { ...sender, zipcode: '1000 AA' }
    expect(only()).toMatchObject({ requests: 1, wire: { sender_address: told } })
  })
})

describe('a label that another program made at the service', () => {
  it('can be opened, changed, requested and printed', async () => {
    const other = theirs()
    const desk = await signedIn()
    const opened = valueOf(await desk.returnLabel.open({ serverId: other.wire.id }))
    expect(opened).toMatchObject({
      origin: 'service',
      create: 'done',
      request: null,
      shipmentId: shipmentId(),
    })
    expect(valueOf(await desk.returnLabel.open({ serverId: other.wire.id })).id).toBe(opened.id)
    await desk.returnLabel.patch({ id: opened.id, sender: { city: 'Breda' } })
    await desk.returnLabel.request({ id: opened.id })
    await eventually(() => viewOf(desk, opened.id).print?.file)
    expect(only()).toMatchObject({ patches: 1, requests: 1 })
  })

  it('is stored on the desk if that program has requested it, and is printed only on demand', async () => {
    const other = theirs()
    other.request(`${service.url}/file.pdf`)
    const desk = await signedIn()
    const { id } = valueOf(await desk.returnLabel.open({ serverId: other.wire.id }))
    await eventually(() => viewOf(desk, id).stored)
    expect(viewOf(desk, id)).toMatchObject({ requested: true, request: null, print: null })
    await desk.returnLabel.reprint({ id, reason: null })
    await eventually(() => viewOf(desk, id).print?.file)
    expect(await desk.scan.submit({ raw: 'RT1', expect: 'anything' })).toMatchObject({
      kind: 'return_label',
      label: { id },
    })
  })

  it('cannot be opened if the service has no label with the requested id', async () => {
    const desk = await signedIn()
    expect(
      await desk.returnLabel.open({ serverId: serverLabelIdOf('00000000-0000-4000-8000-00000000dead') }),
    ).toMatchObject({
      error: { code: 'return_label.unknown' },
    })
    expect(desk.returnLabel.recent()).toEqual([])
  })
})
