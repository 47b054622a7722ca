import { describe, expect, it } from 'vitest'
import { lastingServer } from '#support/lasting-server.ts'
import type { CallOptions, Reply } from '#support/middleware-server.ts'
import { smallGoods } from '#support/small-goods.ts'
import { makeMovingWorld, smallMoves } from '#support/small-moves.ts'
import { smallId } from '#support/small-id.ts'
import { redShirt } from '#support/small-shirts.ts'
import { smallIds } from '#support/small-world.ts'
import { orLater } from '#support/test-database.ts'

/** Matches any text, because tests check neither the wording of messages nor the ids that the service chooses. */
const someText: unknown = expect.any(String)
const [announced, , , , , , completed, cancelled] = smallMoves.inbounds.map(String)

const server = lastingServer(makeMovingWorld)

const post = (body: unknown, options: CallOptions = {}): Promise<Reply> =>
  server.call('/wms/inbounds/', { method: 'POST', body, ...options })
const patch = (id: string | undefined, body: unknown, options: CallOptions = {}): Promise<Reply> =>
  server.call(`/wms/inbounds/${id ?? ''}/`, { method: 'PATCH', body, ...options })
const get = (id: string | undefined, expand = ''): Promise<Reply> =>
  server.call(`/wms/inbounds/${id ?? ''}/`, { expand })

/**
 * Returns the last two digits of each reference. In the test data one inbound has the digits 01, and eight inbounds,
 * one in each status, have the digits 10 to 17.
 */
function references({ body }: Reply): string[] {
  return (body as { reference: string }[]).map(({ reference }) => reference.slice(-2))
}

const valid = {
  external_reference: 'PO-900',
  inbound_date: '2026-06-20',
  inbound_lines: [{ article_code: 'A-1', quantity: 5, packing_slip: 6 }],
}

/** The `meta_data` of a client. The service returns its pairs unchanged, and whole numbers as whole numbers. */
const asSent = {
  Container: 'X',
  'a b': '',
  none: null,
  pieces: 3,
  share: 0.5,
  is_new: true,
  nested: { A: [1, null] },
}
const lineAsSent = { Pallet: 'p1', empty: '', Count: 12 }

describe('POST /wms/inbounds/', () => {
  it('returns the created record with the sent values', async () => {
    const reply = await post({
      ...valid,
      note: 'Careful',
      meta_data: asSent,
      inbound_lines: [{ article_code: 'A-1', quantity: 5, packing_slip: 6, meta_data: lineAsSent }],
      // The service ignores `id`, `reference`, `status`, `is_return`, `customer` and `created_at` in the request,
      // because it sets these fields itself.
      id: smallId(1),
      reference: 'INB1',
      status: 'completed',
      is_return: true,
      customer: smallIds.birch,
      created_at: 'never',
    })
    expect(reply.status).toBe(201)
    expect(reply.body).toEqual({
      id: someText,
      customer: smallIds.alder,
      reference: orLater('INB00000000018'),
      external_reference: 'PO-900',
      is_return: false,
      status: 'announced',
      created_at: '2026-06-01T12:00:00+00:00',
      inbound_date: '2026-06-20T00:00:00+00:00',
      note: 'Careful',
      meta_data: asSent,
      inbound_lines: [
        {
          article_code: 'A-1',
          variant: redShirt,
          quantity: 5,
          processed: null,
          packing_slip: 6,
          serial_numbers: [],
          meta_data: lineAsSent,
        },
      ],
    })
    const { id } = reply.body as { id: string }
    expect(id).not.toBe(smallId(1))
    expect((await get(id, 'meta_data')).body).toMatchObject({
      reference: orLater('INB00000000018'),
      meta_data: asSent,
      inbound_lines: [{ quantity: 5, packing_slip: 6, meta_data: lineAsSent }],
    })
    expect(references(await server.call('/wms/inbounds/?type=announced&limit=1'))).toEqual(['18'])
  })

  it.each([
    ['A-0', smallGoods.teaBox],
    ['8712345678906', smallGoods.shirtRed],
    [4006381333931, smallGoods.shirtBlue],
    ['SKU-A-0', smallGoods.teaBox],
    [' A-2 ', smallGoods.shirtBlue],
  ])('accepts %j as an article code, an EAN or an SKU', async (code, id) => {
    const reply = await post({ ...valid, inbound_lines: [{ article_code: code, quantity: '7' }] })
    expect(reply).toMatchObject({
      status: 201,
      // if a line is sent without the number `packing_slip`, the service sets `packing_slip` to `quantity`
      body: { inbound_lines: [{ variant: { id }, quantity: 7, packing_slip: 7 }] },
    })
  })

  it('prefers an article code to an EAN, and refuses an EAN of two variants', async () => {
    const variant = (body: unknown): Promise<Reply> => server.call('/wms/variants/', { method: 'POST', body })
    const article = smallGoods.tea
    await variant({ article, article_code: 'X-1', ean: '4006381333931' })
    const ambiguous = await post({
      ...valid,
      inbound_lines: [valid.inbound_lines[0], { article_code: '4006381333931', quantity: 1 }],
    })
    expect(ambiguous.status).toBe(400)
    expect(ambiguous.body).toEqual({ errors: { 'inboundLines.1.articleCode': [someText] } })
    const { body: made } = await variant({ article, article_code: '4006381333931' })
    const reply = await post({ ...valid, inbound_lines: [{ article_code: '4006381333931', quantity: 1 }] })
    expect(reply).toMatchObject({
      status: 201,
      body: { inbound_lines: [{ variant: { id: (made as { id: string }).id } }] },
    })
  })

  it('merges lines of the same variant, and keeps the meta_data if only one of these lines has meta_data', async () => {
    const reply = await post({
      ...valid,
      inbound_lines: [
        { article_code: 'A-1', quantity: 5, packing_slip: 6 },
        { article_code: 'A-0', quantity: 1, packing_slip: 1 },
        { article_code: '8712345678906', quantity: 2, packing_slip: 1, meta_data: { pallet: '9' } },
        { article_code: 'A-1', quantity: 1, packing_slip: 1, meta_data: {} },
      ],
    })
    expect(reply).toMatchObject({
      status: 201,
      body: {
        inbound_lines: [
          { variant: { id: smallGoods.shirtRed }, quantity: 8, packing_slip: 8, meta_data: { pallet: '9' } },
          { variant: { id: smallGoods.teaBox }, quantity: 1, packing_slip: 1, meta_data: {} },
        ],
      },
    })
    expect((reply.body as { inbound_lines: unknown[] }).inbound_lines).toHaveLength(2)
  })

  it('refuses two lines of the same variant that both have meta_data, and stores nothing', async () => {
    const line = { article_code: 'A-1', quantity: 1, packing_slip: 1, meta_data: { pallet: '1' } }
    const reply = await post({ ...valid, inbound_lines: [line, { ...line, meta_data: { pallet: '2' } }] })
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual({
      errors: { '0': someText, 'inboundLines.0.metaData': [someText], 'inboundLines.1.metaData': [someText] },
    })
    expect(references(await server.call('/wms/inbounds/'))).toHaveLength(9)
    // the refused inbound used no number, so the next inbound gets the number after 17
    expect((await post(valid)).body).toMatchObject({ reference: orLater('INB00000000018') })
  })

  const line = { article_code: 'A-1', quantity: 1, packing_slip: 1 }
  it.each([
    [{ external_reference: undefined }, 'externalReference'],
    [{ external_reference: ' ' }, 'externalReference'],
    [{ external_reference: null }, 'externalReference'],
    [{ inbound_date: undefined }, 'inboundDate'],
    [{ inbound_date: '20-06-2026' }, 'inboundDate'],
    [{ inbound_date: '2026-02-30' }, 'inboundDate'],
    [{ inbound_lines: undefined }, 'inboundLines'],
    [{ inbound_lines: [] }, 'inboundLines'],
    [{ inbound_lines: [{ ...line, article_code: undefined }] }, 'inboundLines.0.articleCode'],
    [{ inbound_lines: [line, { ...line, article_code: 'A-99' }] }, 'inboundLines.1.articleCode'],
    // the code belongs to a variant of another customer (BIRCH)
    [{ inbound_lines: [{ ...line, article_code: 'B-1' }] }, 'inboundLines.0.articleCode'],
    [{ inbound_lines: [{ ...line, quantity: undefined }] }, 'inboundLines.0.quantity'],
    [{ inbound_lines: [{ ...line, quantity: 0 }] }, 'inboundLines.0.quantity'],
    [{ inbound_lines: [{ ...line, quantity: 1.5 }] }, 'inboundLines.0.quantity'],
    [{ inbound_lines: [{ ...line, quantity: 'five' }] }, 'inboundLines.0.quantity'],
    [{ inbound_lines: [{ ...line, packing_slip: -1 }] }, 'inboundLines.0.packingSlip'],
    [{ inbound_lines: [{ ...line, meta_data: 1 }] }, 'inboundLines.0.metaData'],
    [{ meta_data: { deep: JSON.parse('['.repeat(99) + ']'.repeat(99)) as unknown } }, 'metaData'],
    [{ meta_data: 'text' }, 'metaData'],
    [{ note: 5.5, inbound_date: 5 }, 'inboundDate'],
  ])('refuses %j with an error under the name of the field', async (change, field) => {
    const reply = await post({ ...valid, ...change })
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual({ errors: { [field]: [someText] } })
    expect(references(await server.call('/wms/inbounds/'))).toHaveLength(9)
  })

  it('accepts the empty arrays of PHP clients, and datetimes in the format of the responses', async () => {
    const body = { ...valid, inbound_date: '2026-06-20T00:00:00+00:00', meta_data: [] }
    expect(await post(body)).toMatchObject({
      status: 201,
      body: { inbound_date: '2026-06-20T00:00:00+00:00', meta_data: {} },
    })
  })
})

describe('PATCH /wms/inbounds/:id/', () => {
  it.each(['', '[]', '{}', ' ', '{"status": "completed", "reference": "INB1"}'])(
    'changes no field for the body "%s"',
    async (body) => {
      const headers = { 'content-type': 'application/json' }
      for (const id of [announced, completed, cancelled])
        expect(await patch(id, body, { headers })).toMatchObject({
          status: 200,
          body: (await get(id)).body as object,
        })
      expect(references(await server.call('/wms/inbounds/?sort=modifiedAt&limit=1'))).toEqual(['17'])
    },
  )

  it('changes only the sent fields and returns the inbound with its lines', async () => {
    const reply = await patch(announced, { note: null, external_reference: 'PO-11b' })
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      ...((await get(announced)).body as object),
      note: null,
      external_reference: 'PO-11b',
      inbound_lines: [
        { variant: redShirt, quantity: 3, processed: null, packing_slip: 4, serial_numbers: [] },
      ],
    })
    expect(references(await server.call('/wms/inbounds/?sort=modifiedAt&limit=1'))).toEqual(['10'])
    const moved = await patch(announced, { inbound_date: '2026-12-31', meta_data: { a: 1 } })
    expect(moved.body).toMatchObject({ inbound_date: '2026-12-31T00:00:00+00:00', note: null })
    expect((await get(announced, 'meta_data')).body).toMatchObject({ meta_data: { a: 1 } })
  })

  it('replaces all lines of the inbound if the body contains lines', async () => {
    const lines = [
      { article_code: 'A-0', quantity: 2, packing_slip: 2 },
      { article_code: 'A-0', quantity: 1, packing_slip: 1 },
    ]
    const reply = await patch(announced, { inbound_lines: lines }, { expand: 'meta_data' })
    const [only, ...others] = (reply.body as { inbound_lines: object[] }).inbound_lines
    expect(others).toEqual([])
    expect(only).toMatchObject({ variant: { article_code: 'A-0' }, quantity: 3, meta_data: {} })
    expect((await patch(announced, { inbound_lines: [] })).status).toBe(400)
    const unknown = await patch(announced, {
      note: 'kept?',
      inbound_lines: [{ article_code: 'B-1', quantity: 1 }],
    })
    expect(unknown.body).toEqual({ errors: { 'inboundLines.0.articleCode': [someText] } })
    expect((await get(announced)).body).toMatchObject({
      note: 'Ring twice',
      inbound_lines: [{ quantity: 3 }],
    })
  })

  it.each(smallMoves.inbounds.map((id, index) => [index, id] as const))(
    'changes the lines and the date only if the warehouse has not started to work on the inbound, and the note only if the inbound is not cancelled: inbound %s',
    async (index, id) => {
      // The statuses in which a customer can change the inbound if no piece was received: announced, awaiting_transfer,
      // on_hold.
      const open = [0, 2, 5].includes(index)
      const isCancelled = index === 7
      expect((await patch(id, { note: 'x' })).status).toBe(isCancelled ? 412 : 200)
      const lines = { inbound_lines: [{ article_code: 'A-0', quantity: 1 }] }
      expect((await patch(id, lines)).status).toBe(open ? 200 : 412)
      expect((await patch(id, { inbound_date: '2026-07-01' })).status).toBe(open ? 200 : 412)
    },
  )
})
