import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { normaliseCode } from '#shared/domain/references.ts'
import {
  bulkCodes,
  bulkSerials,
  bulkShipment,
  bulkShipments,
  BulkShipmentService,
} from '#support/bulk-shipments.ts'
import { count } from '#support/counts.ts'
import { DeskBench, eventually, logIn, quickOptions } from '#support/desk-bench.ts'

const shipments = count(3_000, 100_000)
const days = 150
const dayMs = 24 * 3600_000
const now = Date.now()

let bench: DeskBench
let service: BulkShipmentService
let store: StorePort
let desk: Desk

async function open(): Promise<void> {
  desk = await bench.open(() => service.url, {
    index: { pageLength: 200, everyMs: 60_000, offlineEveryMs: 20 },
    timeouts: { ...quickOptions.timeouts, headersMs: 5_000, totalMs: 10_000 },
    freshMs: 50,
    askMs: 5_000,
    wrapStore: (opened) => (store = opened),
  })
}

const isWhole = (): boolean => desk.catalogue.overview().shipments.state === 'ready'

async function goOffline(): Promise<void> {
  await service.stop()
  await bench.close(desk)
  await open()
  const login = await desk.session.login({ username: 'sam', password: 'right' })
  expect(login).toMatchObject({ ok: false, error: { code: 'network.offline' } })
  await eventually(() => desk.status().line.state === 'offline')
}

beforeEach(async () => {
  bench = await DeskBench.create()
  service = new BulkShipmentService(bulkShipments(shipments, days, now))
  await service.start()
  await open()
  await logIn(desk)
})
afterEach(async () => {
  await bench.dispose()
  await service.stop()
})

describe('the shipment index', { timeout: 1_800_000 }, () => {
  it('finds every shipment by each of its codes without the service', async () => {
    await eventually(isWhole)
    expect(desk.status().index.shipments).toBe(shipments)
    await goOffline()
    expect(desk.status().index.shipments).toBe(shipments)
    const lost: string[] = []
    for (let number = 0; number < shipments; number++) {
      const one = bulkShipment(number, service.createdAt(number))
      const isThis = ({ shipment }: { shipment: { id: string } }): boolean => shipment.id === one.id
      for (const code of bulkCodes(one))
        if (!store.index.find(normaliseCode(code)).some(isThis)) lost.push(code)
      for (const serial of bulkSerials(one))
        if (!store.index.findSerial(serial).some(isThis)) lost.push(serial)
    }
    expect(lost).toEqual([])
    for (const number of [0, 5, 60, shipments - 2]) {
      const one = bulkShipment(number, service.createdAt(number))
      for (const raw of [...bulkCodes(one), ...bulkSerials(one)])
        expect(await desk.scan.submit({ raw, expect: 'anything' }), raw).toMatchObject({
          kind: 'shipment',
          shipment: { id: one.id },
        })
    }
  })

  it('reports the date of its oldest shipments, also when the code that was looked up is unknown', async () => {
    await eventually(isWhole)
    const { reachesBackTo, goesBackTo, count: kept } = desk.catalogue.overview().shipments
    expect(kept).toBe(shipments)
    expect(Date.parse(reachesBackTo ?? '')).toBeLessThanOrEqual(Date.parse(goesBackTo))
    expect(Date.parse(goesBackTo)).toBeLessThan(service.createdAt(0))
    await goOffline()
    const later = desk.catalogue.overview().shipments
    // The index contains the same shipments as before, except shipments that became too old meanwhile.
    expect(Date.parse(later.reachesBackTo ?? '')).toBeGreaterThanOrEqual(Date.parse(reachesBackTo ?? ''))
    expect(Date.parse(later.reachesBackTo ?? '')).toBeLessThanOrEqual(Date.parse(later.goesBackTo))
    expect(await desk.scan.submit({ raw: 'NOBODY-1', expect: 'anything' })).toMatchObject({
      kind: 'unknown',
      indexReachesBackTo: later.reachesBackTo,
      // Since its restart, the desk has not yet asked the service whether there are new shipments.
      indexFilling: true,
      indexGapSince: later.gapSince,
    })
  })

  it('continues to fill after a restart of the desk and after an outage of the service', async () => {
    const half = Math.floor(shipments / 200 / 2)
    service.lets = () => service.pages.length < half
    await eventually(() => desk.catalogue.overview().shipments.failure !== null)
    const before = desk.status().index
    expect(before.shipments).toBeGreaterThan(200)
    expect(before.shipments).toBeLessThan(shipments)
    expect(await desk.scan.submit({ raw: 'NOBODY-2', expect: 'anything' })).toMatchObject({
      kind: 'unknown',
      indexFilling: true,
    })
    await bench.close(desk)
    service.lets = () => true
    const readBefore = service.pages.length
    await open()
    await logIn(desk)
    expect(Date.parse(desk.status().index.reachesBackTo ?? '')).toBeLessThanOrEqual(
      Date.parse(before.reachesBackTo ?? ''),
    )
    await eventually(isWhole)
    expect(desk.status().index.shipments).toBe(shipments)
    // The desk reads no known shipment again, except those of the last days, which every start reads again.
    const again = 3 * Math.ceil((shipments / days / 200) * 4) + 4
    const missing = (shipments - before.shipments) / 200
    // After the twentieth page the desk starts again at page 1 with an earlier end date, and reads the whole last day
    // again.
    expect(service.pages.length - readBefore).toBeLessThan(missing * 1.25 + again)
  })

  it('finds shipments that are created while it fills', async () => {
    await eventually(() => desk.status().index.shipments >= 400)
    service.bulk.count += 3
    const raw = `3SQWE${String(shipments + 2).padStart(9, '0')}`
    expect(await desk.scan.submit({ raw, expect: 'anything' })).toMatchObject({ kind: 'shipment' })
    expect(isWhole()).toBe(false)
    await eventually(isWhole)
    expect(desk.status().index.shipments).toBe(shipments + 3)
  })

  it('contains the shipments of exactly the chosen number of months, after the number is reduced and increased', async () => {
    await eventually(isWhole)
    expect(desk.catalogue.keepShipments({ months: 1 }).shipments.months).toBe(1)
    // The desk keeps a shipment of any age for at least an hour after the service returned it.
    expect(desk.status().index.shipments).toBe(shipments)
    const monthAgo = now - 31 * dayMs
    let gone = 0
    // The desk removes a few shipments at a time.
    for (let more = 1; more > 0; gone += more)
      more = store.index.trim(monthAgo, Date.now() + 1_000, shipments)
    expect(gone).toBe(
      Array.from({ length: shipments }, (_, n) => n).filter((n) => service.createdAt(n) < monthAgo).length,
    )
    expect(Date.parse(desk.status().index.reachesBackTo ?? '')).toBe(monthAgo)
    await goOffline()
    expect(desk.catalogue.overview().shipments).toMatchObject({
      months: 1,
      count: shipments - gone,
      state: 'reading',
    })
    await service.start()
    desk.catalogue.keepShipments({ months: 6 })
    await eventually(() => desk.status().index.shipments === shipments && isWhole())
  })
})
