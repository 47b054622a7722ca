import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import { byShipment } from '#support/label-wishes.ts'
import { DeskBench, eventually } from '#support/desk-bench.ts'
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
  await desk.session.login({ username: 'sam', password: 'right' })
  await eventually(() => desk.status().index.shipments === service.shipments.length)
})
afterEach(async () => {
  await bench.dispose()
  await service.stop()
})

/** The desk again, with the service gone. */
async function offline(): Promise<void> {
  await service.stop()
  await bench.close(desk)
  desk = await open()
  await eventually(() => desk.status().line.state === 'offline')
}

describe('a scan', () => {
  it('is an article that the service knows, and without the service too from then on', async () => {
    expect(await desk.scans.submit('a-2')).toMatchObject({ kind: 'article', variant: { name: 'Article 2' } })
    await offline()
    const scan = await desk.scans.submit('A-2')
    expect(scan).toMatchObject({ kind: 'article', variant: { articleCode: 'A-2' } })
    expect(await desk.scans.submit('A-3')).toMatchObject({
      kind: 'unknown',
      askedService: false,
      articlesAsOf: null,
    })
    expect(desk.scans.recent()[1]).toMatchObject({ scanId: scan.scanId, kind: 'article', title: 'Article 2' })
  })

  it('is a shipment by the serial number of goods in it, unless an article bears the same', async () => {
    const [first] = service.shipments
    const [line] = first?.shipment_lines ?? []
    if (!first || !line) throw new Error('no shipment')
    expect(await desk.scans.submit('A-2')).toMatchObject({ kind: 'article' })
    const lines = [{ ...line, serial_numbers: ['A-2', 'sn 77'] }]
    service.shipments.push({
      ...first,
      id: smallId(198),
      created_at: new Date().toISOString(),
      shipment_lines: lines,
    })
    expect(await desk.scans.submit('SN77')).toMatchObject({
      kind: 'shipment',
      shipment: { id: smallId(198) },
    })
    expect(await desk.scans.submit('A-2')).toMatchObject({ kind: 'article' })
    await offline()
    expect(await desk.scans.submit('SN77')).toMatchObject({ kind: 'shipment' })
  })

  it('is what its barcode says, whatever the symbology says of itself', async () => {
    const [first] = service.shipments
    if (!first) throw new Error('no shipment')
    expect(await desk.scans.submit(']C0a-2')).toMatchObject({ kind: 'article', raw: ']C0a-2' })
    service.shipments.push({ ...first, id: smallId(197), order_external_reference: '3SABC-9' })
    expect(await desk.scans.submit(']C03SABC-9')).toMatchObject({ kind: 'shipment' })
    expect(await desk.scans.submit(']E08712345678907')).toMatchObject({ kind: 'unknown', misread: true })
  })

  it('means the article while stock is put together, and the order otherwise', async () => {
    const [first] = service.shipments
    if (!first) throw new Error('no shipment')
    expect(await desk.scans.submit('A-1')).toMatchObject({ kind: 'article' })
    service.shipments.push({ ...first, id: smallId(198), order_external_reference: 'A-3' })
    expect(await desk.scans.submit('A-3')).toMatchObject({ kind: 'shipment' })
    expect(await desk.scans.submit('A-3', 'stock')).toMatchObject({ kind: 'article' })
    expect(await desk.scans.submit('WEB-2', 'stock')).toMatchObject({ kind: 'shipment' })
  })

  it('is a location by its uuid, which teaches it in a booking alone, and then by its code', async () => {
    const id = smallId(400)
    expect(await desk.scans.submit('A-01-02')).toMatchObject({ kind: 'unknown' })
    // as a parcel could bear it
    for (const text of [`LOC|A-01-02|${id}`, `A-01-02|${id}`, id])
      expect(await desk.scans.submit(text)).toMatchObject({ kind: 'unknown' })
    expect(desk.locations.list()).toEqual([])
    expect(await desk.scans.submit(`LOC|A-01-02|${id}`, 'stock')).toMatchObject({
      kind: 'location',
      isNew: true,
      location: { id, code: 'A-01-02' },
    })
    const scan = await desk.scans.submit('a-01-02')
    expect(scan).toMatchObject({ kind: 'location', isNew: false })
    // a known location keeps its code, whatever stands beside its id
    expect(await desk.scans.submit(`LOC|B-09|${id}`)).toMatchObject({ location: { id, code: 'A-01-02' } })
    // looking an old scan up again teaches nothing
    desk.locations.forget(id)
    const [, taught] = desk.scans.recent()
    expect(await desk.scans.lookup(taught?.scanId ?? '')).toMatchObject({
      ok: true,
      value: { kind: 'unknown' },
    })
    expect(desk.locations.list()).toEqual([])
  })

  it('is another desk’s return label, also when the service is gone', async () => {
    const [first, second] = service.shipments
    if (!first || !second) throw new Error('no shipment')
    for (const shipment of [first, second]) {
      const label = scriptedLabel(service.labels.length + 1, shipment)
      label.request(`${service.url}/file.pdf`)
      service.labels.push(label)
    }
    expect(await desk.scans.submit('RT1')).toMatchObject({
      kind: 'return_label',
      label: { origin: 'service', serverId: smallId(901), requested: true },
    })
    await eventually(() => desk.status().index.labels === 2)
    await offline()
    const scan = await desk.scans.submit('rt2')
    expect(scan).toMatchObject({ kind: 'return_label', label: { serverId: smallId(902) } })
    expect(await desk.scans.submit('RT2')).toMatchObject(
      scan.kind === 'return_label' ? { label: { id: scan.label.id } } : {},
    )
  })

  it('is unknown with everything that explains it', async () => {
    expect(await desk.scans.submit('8712345678905')).toMatchObject({
      kind: 'unknown',
      misread: true,
      askedService: true,
    })
    expect(await desk.scans.submit('NOTHING')).toMatchObject({ kind: 'unknown', misread: false })
  })

  it('is looked up again with what is known today, and nothing is written down', async () => {
    const [first] = service.shipments
    if (!first) throw new Error('no shipment')
    const scan = await desk.scans.submit('WEB-1')
    const made = await desk.returnLabels.make(byShipment(first.id), true)
    if (!made.ok) throw new Error(made.error.code)
    const before = desk.scans.recent()
    expect(await desk.scans.lookup(scan.scanId)).toMatchObject({
      ok: true,
      value: { kind: 'shipment', scanId: scan.scanId, at: scan.at, label: { id: made.value.id } },
    })
    expect(desk.scans.recent()).toEqual(before)
    expect(await desk.scans.lookup('no-such-scan')).toMatchObject({ ok: false })
  })
})
