import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import { byShipment } from '#support/label-wishes.ts'
import { DeskBench, eventually, logIn } from '#support/desk-bench.ts'
import { ScriptedService } from '#support/scripted-service.ts'
import { scriptedLabel } from '#support/scripted-records.ts'
import { smallId } from '#support/small-world.ts'

let service: ScriptedService
let bench: DeskBench
let desk: Desk

async function open(): Promise<Desk> {
  return bench.open(() => service.url)
}

beforeEach(async () => {
  service = new ScriptedService()
  await service.start()
  bench = await DeskBench.create()
  desk = await open()
  await logIn(desk)
  await eventually(() => desk.status().index.shipments === service.shipments.length)
})
afterEach(async () => {
  await bench.dispose()
  await service.stop()
})

/** Stops the service and opens the desk again. Resolves when the desk reports that it is offline. */
async function offline(): Promise<void> {
  await service.stop()
  await bench.close(desk)
  desk = await open()
  await eventually(() => desk.status().line.state === 'offline')
}

describe('a desk that receives a scan', () => {
  it('finds an article at the service, and later again without a connection', async () => {
    expect(await desk.scan.submit({ raw: 'a-2', expect: 'anything' })).toMatchObject({
      kind: 'article',
      variant: { name: 'Article 2' },
    })
    await offline()
    const scan = await desk.scan.submit({ raw: 'A-2', expect: 'anything' })
    expect(scan).toMatchObject({ kind: 'article', variant: { articleCode: 'A-2' } })
    expect(await desk.scan.submit({ raw: 'A-3', expect: 'anything' })).toMatchObject({
      kind: 'unknown',
      askedService: false,
      articlesAsOf: null,
    })
    expect(desk.scan.recent()[1]).toMatchObject({ scanId: scan.scanId, kind: 'article', title: 'Article 2' })
  })

  it('finds a shipment by a serial number of one of its pieces, unless an article has the same code', async () => {
    const [first] = service.shipments
    const [line] = first?.shipment_lines ?? []
    if (!first || !line) throw new Error('no shipment')
    expect(await desk.scan.submit({ raw: 'A-2', expect: 'anything' })).toMatchObject({ kind: 'article' })
    const lines = [{ ...line, serial_numbers: ['A-2', 'sn 77'] }]
    service.shipments.push({
      ...first,
      id: smallId(198),
      created_at: new Date().toISOString(),
      shipment_lines: lines,
    })
    expect(await desk.scan.submit({ raw: 'SN77', expect: 'anything' })).toMatchObject({
      kind: 'shipment',
      shipment: { id: smallId(198) },
    })
    expect(await desk.scan.submit({ raw: 'A-2', expect: 'anything' })).toMatchObject({ kind: 'article' })
    await offline()
    expect(await desk.scan.submit({ raw: 'SN77', expect: 'anything' })).toMatchObject({ kind: 'shipment' })
  })

  it('recognizes an article, an order and a misread EAN by the content of the code, not by its symbology', async () => {
    const [first] = service.shipments
    if (!first) throw new Error('no shipment')
    expect(await desk.scan.submit({ raw: ']C0a-2', expect: 'anything' })).toMatchObject({
      kind: 'article',
      raw: ']C0a-2',
    })
    service.shipments.push({ ...first, id: smallId(197), order_external_reference: '3SABC-9' })
    expect(await desk.scan.submit({ raw: ']C03SABC-9', expect: 'anything' })).toMatchObject({
      kind: 'shipment',
    })
    expect(await desk.scan.submit({ raw: ']E08712345678907', expect: 'anything' })).toMatchObject({
      kind: 'unknown',
      misread: true,
    })
  })

  it('finds the article in a booking and the order elsewhere, by a code that both have', async () => {
    const [first] = service.shipments
    if (!first) throw new Error('no shipment')
    expect(await desk.scan.submit({ raw: 'A-1', expect: 'anything' })).toMatchObject({ kind: 'article' })
    service.shipments.push({ ...first, id: smallId(198), order_external_reference: 'A-3' })
    expect(await desk.scan.submit({ raw: 'A-3', expect: 'anything' })).toMatchObject({ kind: 'shipment' })
    expect(await desk.scan.submit({ raw: 'A-3', expect: 'stock' })).toMatchObject({ kind: 'article' })
    expect(await desk.scan.submit({ raw: 'WEB-2', expect: 'stock' })).toMatchObject({ kind: 'shipment' })
  })

  it('learns the code of a location only in a booking, and then finds the location by this code everywhere', async () => {
    const id = smallId(400)
    expect(await desk.scan.submit({ raw: 'A-01-02', expect: 'anything' })).toMatchObject({ kind: 'unknown' })
    // Outside a booking the desk ignores texts with the id of a location, because the label of a parcel could contain
    // such a text.
    for (const text of [`LOC|A-01-02|${id}`, `A-01-02|${id}`, id])
      expect(await desk.scan.submit({ raw: text, expect: 'anything' })).toMatchObject({ kind: 'unknown' })
    expect(desk.location.list()).toEqual([])
    expect(await desk.scan.submit({ raw: `LOC|A-01-02|${id}`, expect: 'stock' })).toMatchObject({
      kind: 'location',
      isNew: true,
      location: { id, code: 'A-01-02' },
    })
    const scan = await desk.scan.submit({ raw: 'a-01-02', expect: 'anything' })
    expect(scan).toMatchObject({ kind: 'location', isNew: false })
    // A known location keeps its code, even if a barcode with its id contains another code.
    expect(await desk.scan.submit({ raw: `LOC|B-09|${id}`, expect: 'anything' })).toMatchObject({
      location: { id, code: 'A-01-02' },
    })
    // A lookup of an old scan of a location barcode does not store the location again.
    desk.location.forget({ id })
    const [, taught] = desk.scan.recent()
    expect(await desk.scan.lookup({ id: taught?.scanId ?? '' })).toMatchObject({
      ok: true,
      value: { kind: 'unknown' },
    })
    expect(desk.location.list()).toEqual([])
  })

  it('finds the return label of another desk, also without a connection', async () => {
    const [first, second] = service.shipments
    if (!first || !second) throw new Error('no shipment')
    for (const shipment of [first, second]) {
      const label = scriptedLabel(service.labels.length + 1, shipment)
      label.request(`${service.url}/file.pdf`)
      service.labels.push(label)
    }
    expect(await desk.scan.submit({ raw: 'RT1', expect: 'anything' })).toMatchObject({
      kind: 'return_label',
      label: { origin: 'service', serverId: smallId(901), requested: true },
    })
    await eventually(() => desk.status().index.labels === 2)
    await offline()
    const scan = await desk.scan.submit({ raw: 'rt2', expect: 'anything' })
    expect(scan).toMatchObject({ kind: 'return_label', label: { serverId: smallId(902) } })
    expect(await desk.scan.submit({ raw: 'RT2', expect: 'anything' })).toMatchObject(
      scan.kind === 'return_label' ? { label: { id: scan.label.id } } : {},
    )
  })

  it('returns for an unknown code whether it was misread and whether the service was asked', async () => {
    expect(await desk.scan.submit({ raw: '8712345678905', expect: 'anything' })).toMatchObject({
      kind: 'unknown',
      misread: true,
      askedService: true,
    })
    expect(await desk.scan.submit({ raw: 'NOTHING', expect: 'anything' })).toMatchObject({
      kind: 'unknown',
      misread: false,
    })
  })

  it('can repeat a scan from the history, with the present data and without a new entry', async () => {
    const [first] = service.shipments
    if (!first) throw new Error('no shipment')
    const scan = await desk.scan.submit({ raw: 'WEB-1', expect: 'anything' })
    const made = await desk.returnLabel.make({ mode: byShipment(first.id), request: true, seen: null })
    if (!made.ok) throw new Error(made.error.code)
    const before = desk.scan.recent()
    expect(await desk.scan.lookup({ id: scan.scanId })).toMatchObject({
      ok: true,
      value: { kind: 'shipment', scanId: scan.scanId, at: scan.at, label: { id: made.value.id } },
    })
    expect(desk.scan.recent()).toEqual(before)
    expect(await desk.scan.lookup({ id: 'no-such-scan' })).toMatchObject({ ok: false })
  })
})
