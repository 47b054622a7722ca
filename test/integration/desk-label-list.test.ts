import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import type { LabelMode, ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { Result } from '#shared/errors/result.ts'
import { DeskBench, eventually, logIn } from '#support/desk-bench.ts'
import { byHand, byShipment } from '#support/label-wishes.ts'
import { scriptedLabel } from '#support/scripted-records.ts'
import { ScriptedService } from '#support/scripted-service.ts'

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

const make = async (desk: Desk, mode: LabelMode): Promise<ReturnLabelView> =>
  valueOf(await desk.returnLabel.make({ mode, request: true, seen: null }))

describe('the list of labels', () => {
  it('finds labels of the desk by any part of their text, whatever the accents and the case of the letters', async () => {
    const desk = await signedIn()
    const hand = await make(desk, byHand('CLAIM-7'))
    const shipped = await make(desk, byShipment(service.shipments[1]?.id ?? ''))
    await eventually(() => desk.returnLabel.recent().every((label) => label.print?.file))
    const found = async (text: string): Promise<(string | null)[]> =>
      (await desk.returnLabel.search({ text })).labels.map((label) => label.labelId)
    expect(await found('')).toEqual([shipped.id, hand.id])
    // A PDF in the label folder does not count as printed.
    expect(
      (await desk.returnLabel.search({ text: '' })).labels.map(({ state, printed }) => [state, printed]),
    ).toEqual([
      ['requested', false],
      ['requested', false],
    ])
    for (const text of ['lacka', 'ZOË', 'claim-7', 'im-7', 'rt1'])
      expect(await found(text)).toEqual([hand.id])
    for (const text of ['00000000002', 'rt2']) expect(await found(text)).toEqual([shipped.id])
    expect(await desk.returnLabel.search({ text: 'nobody' })).toMatchObject({ labels: [], found: 0 })
  })
})

describe('the list of labels at the desk and at the service', () => {
  it('shows the labels of the desk and of other clients, each label once', async () => {
    const [shipment] = service.shipments
    if (!shipment) throw new Error('no shipment')
    const other = scriptedLabel(1, shipment)
    service.labels.push(other)
    const desk = await signedIn()
    const mine = await make(desk, byHand('CLAIM-7'))
    await eventually(() => desk.returnLabel.recent()[0]?.print?.file)
    await eventually(() => desk.status().index.labels > 0)
    const listed = await desk.returnLabel.search({ text: '' })
    expect(listed).toMatchObject({ found: 2, labels: [{ labelId: mine.id }, { labelId: null }] })
    expect(listed.asOf).not.toBeNull()
    const [first, second] = await Promise.all([
      desk.returnLabel.search({ text: 'claim' }),
      desk.returnLabel.search({ text: 'claim' }),
    ])
    expect([first.labels, second.labels.length]).toEqual([[], 1])
    expect(listed.labels[1]).toMatchObject({ serverId: other.wire.id, state: 'unrequested' })

    const { id } = valueOf(await desk.returnLabel.open({ serverId: other.wire.id }))
    const merged = await desk.returnLabel.search({ text: '' })
    expect(merged.found).toBe(2)
    expect(merged.labels.map((entry) => entry.labelId).sort()).toEqual([id, mine.id].sort())
  })
})

it('a label form keeps its fields after a restart of the desk until the form is discarded', async () => {
  const desk = await signedIn()
  const draft = {
    shippingMethodId: null,
    externalReference: 'CL',
    sender: { addressed_to: 'Zo', street: '' },
  }
  expect(desk.returnLabel.readDraft()).toBeNull()
  desk.returnLabel.writeDraft(draft)
  await bench.close(desk)
  const again = await bench.open(() => service.url)
  expect(again.returnLabel.readDraft()).toEqual(draft)
  again.returnLabel.writeDraft(null)
  expect(again.returnLabel.readDraft()).toBeNull()
})
