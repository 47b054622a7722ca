import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { shipment } from '#shared/wire/shipment.ts'
import { variant } from '#shared/wire/variant.ts'
import { drawnTexts } from '#support/label-text.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallOrders } from '#support/small-orders.ts'
import { makeSmallWorld, smallId, smallIds } from '#support/small-world.ts'

let server: TestServer
beforeAll(async () => {
  const world = makeSmallWorld()
  const [first] = world.shipments
  if (first === undefined) throw new Error('The small world has shipments')
  const parcel = (name: string): (typeof first.labels)[number] => ({
    labelCode: `L-${name}`,
    trackingCode: `RP0000000${name}`,
    trackingUrl: `https://t/${name}`,
  })
  const shipments = world.shipments.map((shipment, index) => {
    if (index === 0) return { ...shipment, labels: [parcel('1'), parcel('2')] }
    return index === 4 ? { ...shipment, labels: [] } : shipment
  })
  server = await startTestServer({ world: { ...world, shipments } })
})
afterAll(() => server.close())

const shown = z.record(z.string(), z.unknown())
const paths = smallIds.shipments.map((id) => `/wms/shipments/${id}/`)
const [two = '', second = '', third = '', , none = ''] = paths

async function read(path: string, expand: string, rest: object = {}): Promise<Record<string, unknown>> {
  return shown.parse((await server.call(path, { ...rest, expand })).body)
}

describe('an Expand header for shipments', () => {
  const base = {
    id: smallIds.shipments[2],
    customer: smallIds.alder,
    reference: 'SHP00000000003',
    po_number: 'PO-3',
    order_external_reference: 'WEB-3',
    shipment_external_reference: null,
    created_at: '2026-03-03T10:00:00+00:00',
  }

  it('that names the group `shipments` adds modified_at to the shipments of a list', async () => {
    const list = async (expand: string): Promise<unknown> =>
      (await server.call('/wms/shipments/?order_external_reference=WEB-3', { expand })).body
    expect(await list('shipments')).toEqual([{ ...base, modified_at: '2026-03-03T10:00:00+00:00' }])
    for (const expand of ['', 'shipment', 'shipment_document,documents,return_label'])
      expect(await list(expand)).toEqual([base])
  })

  it('that names the group `shipment` does not change the response for a single shipment', async () => {
    const record = { ...base, modified_at: '2026-03-03T10:00:00+00:00' }
    for (const expand of ['shipment', 'shipments', '']) expect(await read(third, expand)).toEqual(record)
  })

  it('with the group shipment_colli adds the parcels of a shipment with their numbers', async () => {
    const colli = [
      { number: 1, label_code: 'L-1', tracking_code: 'RP00000001', tracking_url: 'https://t/1' },
      { number: 2, label_code: 'L-2', tracking_code: 'RP00000002', tracking_url: 'https://t/2' },
    ]
    const one = await read(two, 'shipment_colli')
    expect(one['shipment_colli']).toEqual(colli)
    expect(one).not.toHaveProperty('shipment_labels')
    expect((await read(none, 'shipment_colli'))['shipment_colli']).toEqual([])
    const path = '/wms/shipments/?order_external_reference=WEB-1'
    expect((await server.call(path, { expand: 'shipment_colli' })).body).toMatchObject([
      { shipment_colli: colli },
    ])
  })

  it('that names the group `variant` adds the whole variant to each line, which otherwise contains only its id', async () => {
    const whole = (await server.call(`/wms/variants/${smallIds.variant}/`)).body
    const linesOf = async (path: string, expand: string): Promise<unknown> =>
      shipment.parse(z.array(z.unknown()).parse([(await server.call(path, { expand })).body].flat())[0])
        .shipment_lines
    for (const path of [second, '/wms/shipments/?order_external_reference=WEB-2']) {
      expect(await linesOf(path, 'shipment_lines,variant')).toMatchObject([{ variant: whole }])
      expect(await linesOf(path, 'shipment_lines')).toMatchObject([{ variant: { id: smallIds.variant } }])
    }
    expect(variant.strict().parse(whole)).toHaveProperty('hs_tariff_code')
  })

  it('that names the group `documents` adds the documents of the order of the shipment', async () => {
    const document = {
      id: smallOrders.document,
      title: 'invoice.pdf',
      mime_type: 'application/pdf',
      quantity: 2,
      is_shipping_label: false,
      order_price: 1995,
      label_type: null,
    }
    expect((await read(second, 'documents'))['documents']).toEqual([document])
    expect((await read(two, 'documents'))['documents']).toEqual([])
    const birch = `/wms/shipments/${smallIds.birchShipment}/`
    expect((await read(birch, 'documents', { customer: 'BIRCH' }))['documents']).toEqual([])
  })
})

describe('shipment_document', () => {
  const document = z.object({ id: z.string(), url: z.string() }).loose()

  it('is the pickup label with the same id at every read, and can be read at /wms/documents/:id/', async () => {
    const once = document.parse((await read(two, 'shipment_document'))['shipment_document'])
    const again = document.parse((await read(two, 'shipment_document'))['shipment_document'])
    expect(again.id).toBe(once.id)
    expect(once).toMatchObject({
      title: 'SHP00000000001.pdf',
      mime_type: 'application/pdf',
      document_type: 'pickup_label',
    })
    expect((await server.call(`/wms/documents/${once.id}/`)).body).toMatchObject({ id: once.id })
    const other = { customer: 'BIRCH' }
    expect((await server.call(`/wms/documents/${once.id}/`, other)).status).toBe(404)
  })

  it.each([
    ['the po_number of the order if the order has one', third, 'PO-3', 'WEB-3'],
    ['the external reference of the order if the order has no po_number', two, 'WEB-1', 'PO-'],
  ])('shows %s', async (_, path, printed, notPrinted) => {
    const { url } = document.parse((await read(path, 'shipment_document'))['shipment_document'])
    const texts = await drawnTexts(new Uint8Array(await (await fetch(url)).arrayBuffer()))
    const text = texts.join(' ')
    expect(text).toContain(printed)
    expect(text).not.toContain(notPrinted)
  })

  it('is created only once if several calls request it at the same time', async () => {
    const replies = await Promise.all([1, 2, 3].map(() => read(second, 'shipment_document')))
    const ids = replies.map((reply) => document.parse(reply['shipment_document']).id)
    expect(new Set(ids).size).toBe(1)
  })

  it('is null for a shipment without parcels', async () => {
    expect(await read(none, 'shipment_document')).toMatchObject({ shipment_document: null })
  })

  it('cannot be read for a shipment of another customer or an unknown shipment', async () => {
    const call = { expand: 'shipment_document' }
    expect((await server.call(`/wms/shipments/${smallIds.birchShipment}/`, call)).status).toBe(404)
    expect((await server.call(`/wms/shipments/${smallId(999)}/`, call)).status).toBe(404)
  })
})
