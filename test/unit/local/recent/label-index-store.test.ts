import { toBriefLabel } from '#shared/domain/label-codes.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import { scriptedShipment } from '#support/scripted-records.ts'
import { smallId } from '#support/small-world.ts'
import { noSender } from '#support/memory-desk/labels.ts'
import { StoreBench } from '#support/store-bench.ts'
import { serverLabelIdOf } from '#support/ids.ts'

let bench: StoreBench
beforeEach(async () => {
  bench = await StoreBench.create()
})
afterEach(() => bench.dispose())

function serviceLabel(number: number, rest: Partial<ReturnLabel> = {}): ReturnLabel {
  return {
    id: serverLabelIdOf(smallId(900 + number)),
    external_reference: `WEB-${number}.R`,
    url: 'https://files.example.org/label.pdf',
    created_at: new Date(number * 1_000).toISOString(),
    tracking_information: [
      { label_code: `L-${number}`, tracking_code: `3S ABC ${number}`, tracking_url: null },
    ],
    sender_address: { ...noSender, addressed_to: `Zoë Müller ${number}` },
    shipment: scriptedShipment(number, number * 1_000),
    ...rest,
  }
}

const state = { newest: 2, oldest: 1, complete: true, syncedAt: 3 }

describe('the index of return labels', () => {
  it('finds a label by each code printed on it, and not before the label is requested', async () => {
    const { labelIndex } = await bench.open()
    const open = serviceLabel(2, { url: null, tracking_information: [], external_reference: 'WEB-2' })
    await labelIndex.put([serviceLabel(1), open], 50, () => state)
    for (const code of ['WEB-1.R', '3SABC1', 'L-1'])
      expect(labelIndex.byCode(code)).toEqual({ label: toBriefLabel(serviceLabel(1)), asOf: 50 })
    expect(labelIndex.byCode('WEB-2')).toBeNull()
    expect(labelIndex.get(open.id)?.label).toEqual(toBriefLabel(open))
    await labelIndex.put([serviceLabel(2)], 60, null)
    expect(labelIndex.byCode('WEB-2.R')?.asOf).toBe(60)
    expect(labelIndex.state()).toEqual(state)
    expect(labelIndex.count()).toBe(2)
  })

  it('searches parts of references, codes and names, and ignores case, accents and blanks', async () => {
    const { labelIndex } = await bench.open()
    await labelIndex.put(
      Array.from({ length: 30 }, (_, n) => serviceLabel(n + 1)),
      50,
      () => state,
    )
    const numbers = (text: string, limit = 50): number[] =>
      labelIndex.search(text, limit).labels.map(({ label }) => Date.parse(label.created_at) / 1_000)
    expect(numbers('')).toEqual(Array.from({ length: 30 }, (_, n) => 30 - n))
    expect(numbers('muller 17')).toEqual([17])
    expect(numbers('ZOE')).toHaveLength(30)
    expect(numbers('3sabc29')).toEqual([29])
    expect(numbers('3S ABC 29')).toEqual([29])
    expect(numbers('web-8.r')).toEqual([8])
    expect(numbers('SHP00000000023')).toEqual([23])
    expect(numbers(`%' OR 1=1 --`)).toEqual([])
    expect(labelIndex.search('zoe', 4)).toMatchObject({ found: 30, labels: { length: 4 } })
  })

  it('returns the newest of a shipment’s labels, however many there are', async () => {
    const { labelIndex } = await bench.open()
    const shipment = scriptedShipment(1)
    const labels = Array.from({ length: 60 }, (_, n) => serviceLabel(n + 1, { shipment }))
    await labelIndex.put(labels, 50, null)
    const newest = labelIndex.newestOf(shipment.id)
    expect(Date.parse(newest?.label.created_at ?? '') / 1_000).toBe(60)
  })

  it('keeps at most 200 codes of one label', async () => {
    const { labelIndex } = await bench.open()
    const parcel = (n: number): ReturnLabel['tracking_information'][number] => ({
      ...{ label_code: `L-${n}`, tracking_code: `T-${n}`, tracking_url: null },
    })
    const parcels = Array.from({ length: 5_000 }, (_, n) => parcel(n))
    await labelIndex.put([serviceLabel(1, { tracking_information: parcels })], 50, null)
    expect([labelIndex.byCode('T-99'), labelIndex.byCode('T-4999')]).toMatchObject([{ asOf: 50 }, null])
    expect(labelIndex.search('T-4999', 5).found).toBe(0)
  })

  it('keeps at most 100 kB of a label of megabytes, for the list and for scans', async () => {
    const { labelIndex } = await bench.open()
    const long = 'x'.repeat(8_000)
    const parcels = Array.from({ length: 600 }, (_, n) => ({
      ...{ label_code: `L-${n}${'0'.repeat(240)}`, tracking_code: `T-${n}`, tracking_url: long },
    }))
    const whole = serviceLabel(1, {
      tracking_information: [{ label_code: long, tracking_code: long, tracking_url: long }, ...parcels],
      shipment: { ...scriptedShipment(1), po_number: long.slice(0, 2_000) },
    })
    await labelIndex.put([whole], 50, null)
    const [found] = labelIndex.search('T-3', 5).labels
    expect(JSON.stringify(whole).length).toBeGreaterThan(4_000_000)
    expect(JSON.stringify(found).length).toBeLessThan(100_000)
    expect(found?.label.tracking_information[0]).toEqual({
      label_code: parcels[0]?.label_code,
      tracking_code: 'T-0',
      tracking_url: null,
    })
    expect(found?.label.shipment).toEqual({
      id: scriptedShipment(1).id,
      reference: scriptedShipment(1).reference,
    })
  })

  it('separates the labels of two scopes', async () => {
    const here = await bench.open('here')
    await here.labelIndex.put([serviceLabel(1)], 1, () => state)
    const there = await bench.open('there')
    expect(there.labelIndex.search('', 5)).toEqual({ labels: [], found: 0 })
    expect(there.labelIndex.byCode('L-1')).toBeNull()
    expect(there.labelIndex.state()).toBeNull()
  })
})
