import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import type { AmbiguousOutcome } from '#shared/bridge/scan-views.ts'
import { DeskBench, eventually, logIn } from '#support/desk-bench.ts'
import { ScriptedService } from '#support/scripted-service.ts'
import { scriptedShipment } from '#support/scripted-records.ts'
import { scriptedVariant } from '#support/scripted-stock.ts'
import { smallId } from '#support/small-world.ts'

let service: ScriptedService
let bench: DeskBench
let desk: Desk

beforeEach(async () => {
  service = new ScriptedService()
  service.shipments.push(
    { ...scriptedShipment(4), order_external_reference: 'A-1' },
    { ...scriptedShipment(5), order_external_reference: 'WEB-2' },
  )
  await service.start()
  bench = await DeskBench.create()
  desk = await bench.open(() => service.url)
  await logIn(desk)
  // the tests count calls, so the copy of the shipments must be complete before a test begins
  await eventually(() => {
    const { shipments, syncing } = desk.status().index
    return shipments === service.shipments.length && !syncing
  })
  // From here on the desk also has an article with this code.
  await desk.scan.submit({ raw: 'A-1', expect: 'stock' })
})
afterEach(async () => {
  await bench.dispose()
  await service.stop()
})

async function ambiguous(raw: string, expect_: 'anything' | 'stock' = 'anything'): Promise<AmbiguousOutcome> {
  const outcome = await desk.scan.submit({ raw, expect: expect_ })
  if (outcome.kind !== 'ambiguous') throw new Error(`${raw} is ${outcome.kind}`)
  return outcome
}

const article = { kind: 'article', subjectId: smallId(301) } as const

describe('a scanned code that two kinds of records have', () => {
  it('leads to a question with all candidates, in the same order every time', async () => {
    const outcome = await ambiguous('a-1')
    expect(outcome.candidates).toMatchObject([
      { kind: 'shipment', subjectId: smallId(104), title: 'SHP00000000004' },
      { ...article, title: 'Article 1', detail: 'A-1' },
    ])
    expect(outcome.shape).toBe('A-9')
    expect((await ambiguous('A-1')).candidates).toEqual(outcome.candidates)
    expect(desk.scan.recent()[0]).toMatchObject({ kind: 'ambiguous' })
  })

  it('leads to no further question after an answer, even after a restart, until the operator removes the answer', async () => {
    const { scanId } = await ambiguous('A-1')
    const chosen = await desk.scan.choose({ id: scanId, expect: 'anything', ...article, forShape: false })
    expect(chosen).toMatchObject({
      ok: true,
      value: { kind: 'article', scanId, remembered: { code: 'A-1' } },
    })
    expect(desk.scan.recent()[0]).toMatchObject({ scanId, kind: 'article', title: 'Article 1' })
    await bench.close(desk)
    desk = await bench.open(() => service.url)
    const again = await desk.scan.submit({ raw: ' a-1', expect: 'anything' })
    expect(again).toMatchObject({ kind: 'article', remembered: { reach: 'code', kind: 'article' } })
    desk.scan.forget({ reach: 'code', code: 'A-1', expect: 'anything' })
    await ambiguous('A-1')
  })

  it('is resolved by an answer for all codes of its pattern, unless exactly this code has its own answer', async () => {
    service.shipments.push({ ...scriptedShipment(6), order_external_reference: 'A-2' })
    await desk.scan.submit({ raw: 'A-2', expect: 'stock' })
    await desk.scan.submit({ raw: 'SHP00000000006', expect: 'anything' })
    const { scanId } = await ambiguous('A-1')
    await desk.scan.choose({ id: scanId, expect: 'anything', ...article, forShape: true })
    const other = await desk.scan.submit({ raw: 'A-2', expect: 'anything' })
    expect(other).toMatchObject({ kind: 'article', remembered: { reach: 'shape', code: 'A-9' } })
    const own = { kind: 'shipment', subjectId: smallId(106), forShape: false } as const
    await desk.scan.choose({ id: other.scanId, expect: 'anything', ...own })
    expect(await desk.scan.submit({ raw: 'A-2', expect: 'anything' })).toMatchObject({
      kind: 'shipment',
      remembered: { reach: 'code' },
    })
    expect(await desk.scan.submit({ raw: 'A-1', expect: 'anything' })).toMatchObject({ kind: 'article' })
  })

  it('leads to a question in a booking only if several candidates fit a booking', async () => {
    expect(await desk.scan.submit({ raw: 'A-1', expect: 'stock' })).toMatchObject({ kind: 'article' })
    await desk.location.import({ found: [{ id: smallId(400), code: 'A-1' }], skipped: [] })
    const { scanId, candidates } = await ambiguous('A-1', 'stock')
    expect(candidates.map(({ kind }) => kind)).toEqual(['location', 'article'])
    const location = { kind: 'location', subjectId: smallId(400), forShape: false } as const
    await desk.scan.choose({ id: scanId, expect: 'stock', ...location })
    expect(await desk.scan.submit({ raw: 'A-1', expect: 'stock' })).toMatchObject({ kind: 'location' })
    // A choice that the operator made for a scan in a booking does not apply to a scan outside a booking.
    expect((await ambiguous('A-1')).candidates).toHaveLength(3)
  })
})

describe('two shipments of one order', () => {
  it('lead to a question if the order is scanned, and to a new question once a third shipment exists', async () => {
    const { scanId, candidates, shape } = await ambiguous('WEB-2')
    expect(candidates.map(({ subjectId }) => subjectId)).toEqual([smallId(102), smallId(105)])
    expect(shape).toBeNull()
    const second = { kind: 'shipment', subjectId: smallId(105), forShape: true } as const
    await desk.scan.choose({ id: scanId, expect: 'anything', ...second })
    expect(await desk.scan.submit({ raw: 'WEB-2', expect: 'anything' })).toMatchObject({
      kind: 'shipment',
      shipment: { id: smallId(105) },
      remembered: { reach: 'code', isOneOfSeveral: true },
    })
    service.shipments.push({ ...scriptedShipment(7), order_external_reference: 'WEB-2' })
    await desk.scan.submit({ raw: 'SHP00000000007', expect: 'anything' })
    expect((await ambiguous('WEB-2')).candidates).toHaveLength(3)
  })

  it('lead to a question as soon as the service returns them for a code that the desk does not know', async () => {
    service.shipments.push(
      { ...scriptedShipment(8), order_external_reference: '#WEB-9' },
      { ...scriptedShipment(9), order_external_reference: '#WEB-9' },
    )
    const { scanId, candidates } = await ambiguous('WEB-9')
    expect(candidates.map(({ subjectId }) => subjectId).toSorted()).toEqual([smallId(108), smallId(109)])
    const first = { kind: 'shipment', subjectId: smallId(108), forShape: false } as const
    expect(await desk.scan.choose({ id: scanId, expect: 'anything', ...first })).toMatchObject({
      value: { kind: 'shipment', shipment: { id: smallId(108) } },
    })
  })

  it('lead to no question when the scanned code belongs to only one of them', async () => {
    expect(await desk.scan.submit({ raw: '3SABC2', expect: 'anything' })).toMatchObject({
      kind: 'shipment',
      shipment: { id: smallId(102) },
    })
    expect(await desk.scan.submit({ raw: '3SABC2', expect: 'anything' })).not.toHaveProperty('remembered')
  })
})

describe('two articles with the same EAN', () => {
  it('lead to a question with only these two, even if a third article has the scanned EAN as its SKU', async () => {
    const ean = '8712345678906'
    service.variants.push(
      { ...scriptedVariant(11), ean, article_code: 'B-11' },
      { ...scriptedVariant(12), ean: `0${ean}`, article_code: 'B-12' },
      { ...scriptedVariant(13), sku: ean, article_code: 'B-13' },
    )
    for (const code of ['B-11', 'B-12', 'B-13']) await desk.scan.submit({ raw: code, expect: 'anything' })
    const { candidates } = await ambiguous(`]E0${ean}`)
    expect(candidates.map(({ detail }) => detail).toSorted()).toEqual(['B-11', 'B-12'])
  })

  it.each(['anything', 'stock'] as const)(
    'lead to a question as soon as the service returns both for an EAN that the desk does not know (expected kind of record: %s)',
    async (expected) => {
      const ean = '8712345678906'
      service.variants.push(
        { ...scriptedVariant(11), ean, article_code: 'B-11' },
        { ...scriptedVariant(12), ean, article_code: 'B-12' },
      )
      const { candidates } = await ambiguous(ean, expected)
      expect(candidates.map(({ detail }) => detail).toSorted()).toEqual(['B-11', 'B-12'])
    },
  )
})

describe('an answer to an ambiguous scan', () => {
  it('leads to the question again if the thing that the answer names is not a candidate of the scan', async () => {
    const { scanId } = await ambiguous('A-1')
    const gone = { kind: 'location', subjectId: 'nowhere', forShape: false } as const
    expect(await desk.scan.choose({ id: scanId, expect: 'anything', ...gone })).toMatchObject({
      value: { kind: 'ambiguous' },
    })
    expect(await desk.scan.choose({ id: 'no-such-scan', expect: 'anything', ...gone })).toMatchObject({
      ok: false,
    })
    await ambiguous('A-1')
  })
})

describe('a scan of a code that the desk does not know', () => {
  // Waits until the desk has read the lists for the first time.
  beforeEach(() => eventually(() => !desk.status().index.syncing))
  it.each([
    '9622001560001234567100794808390594',
    '%008182709980000020033350276',
    '420221539101026837331000039521',
    'https://post.example/t?b=3SDEVC201611210&z=2132WT',
    '1Z5R89390357567127',
  ])('leads to at most three calls if no article can have the code: %s', async (raw) => {
    const before = service.calls.length
    expect(await desk.scan.submit({ raw, expect: 'anything' })).toMatchObject({
      kind: 'unknown',
      misread: false,
    })
    const calls = service.calls.slice(before).map(({ path }) => path)
    expect(calls.filter((path) => path.startsWith('/wms/shipments')).length).toBeLessThanOrEqual(2)
    expect(calls).not.toContain('/wms/articles/')
    expect(calls.length).toBeLessThanOrEqual(3)
  })

  it.each(['NL-10980', '#NL-10980', 'nl-10980', 'https://post.example/?nr=NL-10980'])(
    'leads to at most six calls if the code may be an order reference, with or without #: %s',
    async (raw) => {
      const before = service.calls.length
      expect(await desk.scan.submit({ raw, expect: 'anything' })).toMatchObject({ kind: 'unknown' })
      expect(service.calls.length - before).toBeLessThanOrEqual(6)
    },
  )

  it('leads to at most three searches for an article, and to at most six calls, if the code is a GTIN', async () => {
    const before = service.calls.length
    await desk.scan.submit({ raw: '01234558', expect: 'anything' })
    expect(
      service.calls.slice(before).filter(({ path }) => path === '/wms/articles/').length,
    ).toBeLessThanOrEqual(3)
    expect(service.calls.length - before).toBeLessThanOrEqual(6)
  })
})

describe('a tracking code inside a longer scanned code', () => {
  it.each([
    ['986578788855', '1001921334250001000300986578788855'],
    ['09980000020033', '%008182709980000020033350276'],
    ['3SDEVC201611210', 'https://post.example/t?b=3SDEVC201611210&z=2132WT'],
    ['9101026837331000039521', '420221539101026837331000039521'],
    ['003404341234567895', ']C100003404341234567895'],
    ['00003404341234567895', ']C100003404341234567895'],
  ])('finds the shipment: tracking code %s in the scanned code %s', async (tracking_code, raw) => {
    const label = { label_code: null, tracking_code, tracking_url: null }
    service.shipments.push({ ...scriptedShipment(8), shipment_labels: [label] })
    expect(await desk.scan.submit({ raw, expect: 'anything' })).toMatchObject({
      kind: 'shipment',
      shipment: { id: smallId(108) },
    })
  })
})

describe('an order reference that is scanned with or without a leading #', () => {
  const ordered = (serial: number, order: string): void => {
    service.shipments.push({ ...scriptedShipment(serial), order_external_reference: order })
  }

  it.each([
    ['#NL-10980', 'NL-10980'],
    ['NL-10980', '#NL-10980'],
    ['#NL-10980', 'https://shop.example/orders/%23NL-10980'],
  ])(
    'finds the shipment of the order %s by the code %s, and finds it again without a connection',
    async (order, raw) => {
      ordered(8, order)
      const found = { kind: 'shipment', shipment: { id: smallId(108) } }
      expect(await desk.scan.submit({ raw, expect: 'anything' })).toMatchObject(found)
      await service.stop()
      expect(await desk.scan.submit({ raw, expect: 'anything' })).toMatchObject(found)
    },
  )

  it('finds an order with another spelling only if no record has exactly the scanned code', async () => {
    ordered(8, '#A-1')
    ordered(9, '#WEB-2')
    await desk.scan.submit({ raw: 'SHP00000000008', expect: 'anything' })
    expect((await ambiguous('A-1')).candidates).toHaveLength(2)
    expect((await ambiguous('WEB-2')).candidates.map(({ subjectId }) => subjectId)).not.toContain(
      smallId(109),
    )
    expect(await desk.scan.submit({ raw: '#WEB-2', expect: 'anything' })).toMatchObject({
      shipment: { id: smallId(109) },
    })
  })

  it('leads to a question if several shipments match, and the answer applies to the next scan', async () => {
    ordered(8, '#W-7')
    ordered(9, '#W-7')
    await desk.scan.submit({ raw: 'SHP00000000009', expect: 'anything' })
    const { scanId } = await ambiguous('W-7')
    await desk.scan.choose({
      id: scanId,
      expect: 'anything',
      kind: 'shipment',
      subjectId: smallId(108),
      forShape: false,
    })
    expect(await desk.scan.submit({ raw: 'W-7', expect: 'anything' })).toMatchObject({
      shipment: { id: smallId(108) },
    })
  })
})

describe('a scan of only blanks', () => {
  it('has the result `unknown`, and the desk makes no call to the service', async () => {
    const before = service.calls.length
    expect(await desk.scan.submit({ raw: '   ', expect: 'anything' })).toMatchObject({
      kind: 'unknown',
      raw: '   ',
      askedService: false,
    })
    expect(service.calls.length).toBe(before)
  })
})

describe('a scan of the badge of an operator', () => {
  it('is recognized without a call to the service', async () => {
    const before = service.calls.length
    expect(await desk.scan.submit({ raw: 'SDUSRjansen', expect: 'anything' })).toMatchObject({
      kind: 'badge',
      username: 'jansen',
    })
    expect(service.calls.length).toBe(before)
  })
})
