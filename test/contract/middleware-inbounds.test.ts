import { describe, expect, it } from 'vitest'
import { lastingServer } from '#support/lasting-server.ts'
import type { Reply } from '#support/middleware-server.ts'
import { makeMovingWorld, smallMoves } from '#support/small-moves.ts'
import { smallId } from '#support/small-id.ts'
import { redShirt } from '#support/small-shirts.ts'
import { smallIds } from '#support/small-world.ts'

/** Matches any text, because tests check neither the wording of messages nor the ids that the service chooses. */
const someText: unknown = expect.any(String)
const [announced, , , , processing, onHold, completed] = smallMoves.inbounds.map(String)

const server = lastingServer(makeMovingWorld)

const get = (id: string | undefined, expand = ''): Promise<Reply> =>
  server.call(`/wms/inbounds/${id ?? ''}/`, { expand })

/**
 * Returns the last two digits of each reference. In the test data one inbound has the digits 01, and eight inbounds,
 * one in each status, have the digits 10 to 17.
 */
function references({ body }: Reply): string[] {
  return (body as { reference: string }[]).map(({ reference }) => reference.slice(-2))
}

const base = {
  id: announced,
  customer: smallIds.alder,
  reference: 'INB00000000010',
  external_reference: 'PO-10',
  is_return: false,
  status: 'announced',
  created_at: '2026-05-01T09:00:00+00:00',
  inbound_date: '2026-05-19T00:00:00+00:00',
  note: 'Ring twice',
}

describe('GET /wms/inbounds/', () => {
  it('returns the inbounds without their lines in a bare array, sorted from the latest inbound date to the earliest', async () => {
    const reply = await server.call('/wms/inbounds/')
    expect(reply.status).toBe(200)
    expect(references(reply)).toEqual(['10', '11', '12', '13', '14', '15', '16', '17', '01'])
    expect((reply.body as unknown[])[0]).toEqual(base)
  })

  it.each([
    ['?direction=asc', ['01', '17', '16', '15', '14', '13', '12', '11', '10']],
    ['?sort=inboundDate&limit=1', ['10']],
    ['?sort=createdAt', ['17', '16', '15', '14', '13', '12', '11', '10', '01']],
    ['?sort=createdAt&direction=asc&limit=2', ['01', '10']],
    ['?sort=modifiedAt&limit=2', ['17', '16']],
    ['?sort=status&direction=asc&limit=3', ['10', '12', '17']],
    ['?page=0&limit=2', ['10', '11']],
    ['?page=1&limit=2', ['10', '11']],
    ['?page=2&limit=2', ['12', '13']],
    ['?from=2026-05-07', ['16', '17']],
    ['?to=2026-05-01', ['10', '01']],
    ['?from=2026-05-02 08:59&to=2026-05-02 09:00', ['11']],
    ['?reference=INB00000000013', ['13']],
    ['?reference=PO-13', []],
    ['?status=announced', ['10']],
    ['?status=process_no_announcement', ['11']],
    ['?status=awaiting_transfer', ['12']],
    ['?status=transfer', ['13']],
    ['?status=processing', ['14']],
    ['?status=on_hold', ['15']],
    ['?status=completed', ['16', '01']],
    ['?status=cancelled', ['17']],
    ['?type=announced', ['10', '13', '16', '01']],
    ['?type=unannounced', ['11', '14', '17']],
    ['?type=import', ['12', '15']],
    ['?type=import&status=on_hold', ['15']],
    ['?', ['10', '11', '12', '13', '14', '15', '16', '17', '01']],
  ])('returns the inbounds that match the query %s, in the requested order', async (query, expected) => {
    expect(references(await server.call(`/wms/inbounds/${query}`))).toEqual(expected)
  })

  it.each([
    ['?status=arrived', 'status'],
    ['?type=returned', 'type'],
    ['?sort=reference', 'sort'],
    ['?direction=up', 'direction'],
    ['?limit=-1', 'limit'],
    ['?limit=1001', 'limit'],
    ['?page=-1', 'page'],
    ['?from=yesterday', 'from'],
    ['?to=2026-02-30', 'to'],
  ])('refuses the query %s with an error under the name of the parameter', async (query, field) => {
    const reply = await server.call(`/wms/inbounds/${query}`)
    expect(reply).toMatchObject({ status: 400, body: { errors: { [field]: [someText] } } })
  })
})

describe('GET /wms/inbounds/:id/', () => {
  it('returns lines with whole variants, and only the groups that Expand names', async () => {
    expect((await get(announced)).body).toEqual({
      ...base,
      inbound_lines: [
        { variant: redShirt, quantity: 3, processed: null, packing_slip: 4, serial_numbers: [] },
      ],
    })
    expect((await get(completed)).body).toMatchObject({
      is_return: true,
      note: null,
      inbound_lines: [{ processed: 2, serial_numbers: ['SN-1', 'SN-2'] }],
    })
  })

  it('adds all meta_data for Expand meta_data, but only the meta_data of the lines for Expand inbound_line_meta_data', async () => {
    const both = (await get(announced, 'meta_data')).body
    expect(both).toMatchObject({
      meta_data: { supplier: 'north' },
      inbound_lines: [{ meta_data: { pallet: '7' } }],
    })
    const lines = (await get(announced, 'inbound_line_meta_data')).body
    expect(lines).toMatchObject({ inbound_lines: [{ meta_data: { pallet: '7' } }] })
    expect(lines).not.toHaveProperty('meta_data')
    expect((await get(onHold, 'meta_data')).body).toMatchObject({ meta_data: {} })
  })

  it('returns quality controls and documents if their groups are expanded', async () => {
    const document = {
      id: smallMoves.paper,
      title: 'Packing slip.pdf',
      mime_type: 'application/pdf',
      created_at: '2026-05-09T10:30:00+00:00',
    }
    const { body } = await get(completed, 'inbound_quality_controls, inbound_documents, documents, variant')
    expect(body).toMatchObject({
      inbound_quality_controls: [{ pallet_count: '2.5' }, { pallet_count: '1' }],
      inbound_documents: [document],
      documents: [document],
    })
    const alone = (await get(completed, 'inbound_documents')).body
    expect(alone).toMatchObject({ inbound_documents: [document] })
    for (const key of ['documents', 'inbound_quality_controls', 'meta_data'])
      expect(alone).not.toHaveProperty(key)
    expect((await get(announced, 'inbound_quality_controls')).body).toMatchObject({
      inbound_quality_controls: [],
    })
  })
})

describe('GET /wms/inbounds/:id/quality-controls/', () => {
  it('lists quality controls with their documents, the earliest quality control first', async () => {
    const reply = await server.call(`/wms/inbounds/${completed}/quality-controls/`)
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual([
      {
        id: smallMoves.controls[0],
        created_at: '2026-05-09T10:00:00+00:00',
        pallet_count: '2.5',
        was_delivery_appointment: true,
        had_packing_list: false,
        was_correct_quantity: true,
        had_proper_markings: false,
        box_condition: 'Wet',
        comments: 'Two boxes open',
        documents: smallMoves.photographs.map((id, index) => ({
          id,
          title: `Dock ${index + 1}.pdf`,
          mime_type: 'application/pdf',
          created_at: '2026-05-09T10:30:00+00:00',
        })),
      },
      expect.objectContaining({ id: smallMoves.controls[1], documents: [] }),
    ])
    const none = await server.call(`/wms/inbounds/${announced}/quality-controls`)
    expect(none).toMatchObject({ status: 200, body: [] })
  })

  it('lists documents of quality controls, which can be opened and deleted', async () => {
    const [first = '', second] = smallMoves.photographs
    const document = await server.call(`/wms/documents/${first}/`)
    expect(document).toMatchObject({
      status: 200,
      body: { title: 'Dock 1.pdf', document_type: 'photograph' },
    })
    const { url } = document.body as { url: string }
    expect(await (await fetch(url)).text()).toBe('%PDF-1.4 small')
    expect((await server.call(`/wms/documents/${first}/`, { method: 'DELETE' })).status).toBe(204)
    const { body } = await server.call(`/wms/inbounds/${completed}/quality-controls/`)
    expect(body).toMatchObject([{ documents: [{ id: second }] }, { documents: [] }])
    expect((body as { documents: unknown[] }[])[0]?.documents).toHaveLength(1)
  })
})

describe('PATCH /wms/inbounds/:id/cancel/', () => {
  it.each(smallMoves.inbounds.map((id, index) => [index, id] as const))(
    'cancels an inbound only if the warehouse has not started it: inbound %s',
    async (index, id) => {
      const path = `/wms/inbounds/${id}/cancel/`
      const before = (await get(id)).body as object
      const reply = await server.call(path, { method: 'PATCH' })
      if ([0, 2, 5, 7].includes(index)) {
        expect(reply).toMatchObject({ status: 204, body: '' })
        expect((await get(id)).body).toEqual({ ...before, status: 'cancelled' })
      } else {
        expect(reply).toMatchObject({ status: 412, body: { code: 412, message: someText } })
        expect((await get(id)).body).toEqual(before)
      }
    },
  )

  it.each(['', '[]', '{}', '{"note": "x"}'])(
    'accepts the body "%s", also for an inbound that is already cancelled',
    async (body) => {
      const headers = { 'content-type': 'application/json' }
      for (const ending of ['', '/']) {
        const path = `/wms/inbounds/${announced}/cancel${ending}`
        expect(await server.call(path, { method: 'PATCH', body, headers })).toMatchObject({ status: 204 })
      }
    },
  )
})

describe('inbounds of another customer', () => {
  it('are not found', async () => {
    expect(references(await server.call('/wms/inbounds/', { customer: 'BIRCH' }))).toEqual(['02'])
    const by = await server.call('/wms/inbounds/?reference=INB00000000010', { customer: 'BIRCH' })
    expect(by.body).toEqual([])
    const birch = { customer: 'BIRCH' }
    for (const [method, path] of [
      ['GET', `/wms/inbounds/${announced}/`],
      ['GET', `/wms/inbounds/${completed}/quality-controls/`],
      ['PATCH', `/wms/inbounds/${announced}/`],
      ['PATCH', `/wms/inbounds/${announced}/cancel/`],
      ['GET', `/wms/documents/${smallMoves.paper}/`],
      ['DELETE', `/wms/documents/${smallMoves.paper}/`],
    ] as const)
      expect((await server.call(path, { method, ...birch })).status, path).toBe(404)
    for (const id of [smallId(999), 'none']) expect((await get(id)).status).toBe(404)
    expect((await get(announced)).body).toMatchObject({ status: 'announced' })
    expect((await get(processing)).body).toMatchObject({ status: 'processing' })
  })
})
