import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import { eventually } from '#support/desk-bench.ts'
import { anyMethodId, anySender, byShipment } from '#support/label-wishes.ts'
import { QueueBench, value } from '#support/queue-bench.ts'
import { scriptedLabel } from '#support/scripted-records.ts'
import type { Call } from '#support/scripted-service.ts'

/** Several labels that wait in the queue at the same time: none blocks another, and none is dropped. */

let station: QueueBench

beforeEach(async () => {
  station = await QueueBench.start()
})
afterEach(() => station.stop())

const creates = ({ method, path }: Call): boolean => method === 'POST' && path === '/wms/return-labels/'
const patches = ({ method }: Call): boolean => method === 'PATCH'

describe('two labels of one shipment', () => {
  it('with different methods are both made, although the outcome of the first was unknown for a while', async () => {
    const { desk, service } = station
    let hits = 0
    let isHidden = true
    service.script = (call) => {
      if (creates(call)) return hits++ === 0 ? 'reset_after' : null
      // The outcome of the first label stays unknown until the second label waits in the queue too.
      return isHidden && call.path === '/wms/return-labels/' ? 'server_error_before' : null
    }
    const shipmentId = station.shipmentId(0)
    // The desk reads the list of labels before it sends the first creation.
    isHidden = false
    const first = value(
      await desk.returnLabel.make({ mode: byShipment(shipmentId), request: true, seen: null }),
    )
    await eventually(() => hits > 0)
    isHidden = true
    await eventually(() => station.label(first.id).create === 'unknown')
    const second = value(
      await desk.returnLabel.make({
        mode: byShipment(shipmentId, { shippingMethodId: anyMethodId }),
        request: true,
        seen: null,
      }),
    )
    expect(second.id).not.toBe(first.id)
    isHidden = false
    await eventually(() => station.label(first.id).print?.file && station.label(second.id).print?.file)
    expect(service.labels.map(({ methodId, requests }) => ({ methodId, requests }))).toEqual([
      { methodId: null, requests: 1 },
      { methodId: anyMethodId, requests: 1 },
    ])
  })
})

describe('two changes of one label that wait', () => {
  it('are sent as one change, so that a wrong field in the first change does not stop the request', async () => {
    const { desk, service } = station
    const sender = { ...anySender, zipcode: 'bad' }
    let isHeld = true
    service.script = (call) => (isHeld && creates(call) ? 'server_error_before' : null)
    const { id } = value(
      await desk.returnLabel.make({
        mode: byShipment(station.shipmentId(0), { sender }),
        request: true,
        seen: null,
      }),
    )
    await eventually(() => service.count('POST', /return-labels/) > 0)
    value(await desk.returnLabel.patch({ id, sender: { zipcode: anySender.zipcode, city: 'Breda' } }))
    isHeld = false
    await eventually(() => station.label(id).print?.file)
    expect(service.labels).toMatchObject([
      {
        requests: 1,
        wire: { sender_address: { zipcode: anySender.zipcode, city: 'Breda', street: 'Kerkstraat' } },
      },
    ])
    expect(service.calls.filter(patches)).toHaveLength(1)
    expect(station.lines()).toEqual([])
  })
})

describe('an unreadable label of the service', () => {
  /** Adds a label to the list of the service in a form that the desk cannot read. */
  function addUnreadable(id: string): void {
    const [shipment] = station.service.shipments
    if (!shipment) throw new Error('no shipment')
    const label = scriptedLabel(99, shipment)
    const wire = { ...label.wire, id, url: 7 } as unknown as ReturnLabel
    station.service.labels.push({ ...label, wire })
  }

  it('does not block other labels', async () => {
    addUnreadable('odd')
    const { id } = value(
      await station.desk.returnLabel.make({
        mode: byShipment(station.shipmentId(1)),
        request: true,
        seen: null,
      }),
    )
    await eventually(() => station.label(id).print?.file)
  })

  it('leads to a question if it may be the label whose creation by the desk got no response', async () => {
    const { desk, service } = station
    let hits = 0
    service.script = (call) => {
      if (!creates(call) || hits++ > 0) return null
      addUnreadable('odd and new')
      return 'reset_before'
    }
    const { id } = value(
      await desk.returnLabel.make({ mode: byShipment(station.shipmentId(1)), request: true, seen: null }),
    )
    const line = await station.question('return_label.create')
    expect(line).toMatchObject({ state: 'unknown', question: { kind: 'outcome' } })
    expect(hits).toBe(1)
    value(desk.queue.decide({ ...line, decision: { kind: 'send_again' } }))
    await eventually(() => station.label(id).print?.file)
    expect(hits).toBe(2)
  })
})

it('the PDF of a label that is missing from the vault is downloaded again for a second print', async () => {
  const { desk, bench } = station
  const { id } = value(
    await desk.returnLabel.make({ mode: byShipment(station.shipmentId(0)), request: true, seen: null }),
  )
  await eventually(() => station.label(id).print?.file)
  const folders = await readdir(bench.dataDir, { recursive: true })
  const [kept] = folders.filter((name) => /[\da-f]{64}\.pdf$/.test(name))
  await rm(join(bench.dataDir, kept ?? 'none'))
  const papers = async (): Promise<number> => (await readdir(bench.printFolder)).length
  const before = await papers()
  await desk.returnLabel.reprint({ id, reason: null })
  while ((await papers()) === before) await new Promise((resolve) => setTimeout(resolve, 5))
  await eventually(() => station.label(id).print?.state === 'confirmed')
  expect(station.label(id)).toMatchObject({ stored: true })
})
