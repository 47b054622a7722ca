import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type OrderStatus, orderStatuses } from '#shared/domain/resource-states.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { newAddress, newOrder } from '#support/order-payloads.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallOrders } from '#support/small-orders.ts'
import { smallId, smallIds } from '#support/small-world.ts'

/** Matches any text, because tests do not check the wording of messages. */
const someText: unknown = expect.any(String)
const everything = 'shipping_address,order_lines,meta_data,order_line_meta_data'
const created = smallOrders.byStatus('created')

let server: TestServer
beforeEach(async () => {
  server = await startTestServer()
})
afterEach(() => server.close())

function patch(body: unknown, id = created): Promise<Reply> {
  return server.call(`/wms/orders/${id}/`, { method: 'PATCH', body, expand: everything })
}

function read(id = created): Promise<Reply> {
  return server.call(`/wms/orders/${id}/`, { expand: everything })
}

/**
 * The contract lists no transitions (API.md 6.5), so this project decides when a customer may still change or cancel an
 * order.
 */
const changeable: readonly OrderStatus[] = [
  'created',
  'invalid',
  'invalid_address',
  'awaiting_documents',
  'on_hold',
  'backorder',
  'plannable',
  'planned',
  'problem',
]
const statusOf = (status: OrderStatus, done: number): number => {
  if (changeable.includes(status)) return done
  return status === 'cancelled' ? 400 : 412
}

describe('an order in the status', () => {
  it.each(orderStatuses)('%s accepts or refuses a change according to API.md 6.5', async (status) => {
    const id = smallOrders.byStatus(status)
    const before = (await read(id)).body
    const reply = await patch({ note: 'Changed' }, id)
    expect(reply.status).toBe(statusOf(status, 200))
    if (reply.status !== 200) expect((await read(id)).body).toEqual(before)
    else expect(reply.body).toMatchObject({ status, note: 'Changed' })
  })

  it.each(orderStatuses)(
    '%s accepts or refuses a cancellation and a repeated cancellation according to API.md 6.5',
    async (status) => {
      const id = smallOrders.byStatus(status)
      const expected = status === 'cancelled' ? 204 : statusOf(status, 204)
      for (const body of ['', '[]', '{}', undefined]) {
        const headers = { 'content-type': 'application/json' }
        const call = { method: 'PATCH', headers, ...(body !== undefined && { body }) }
        const reply = await server.call(`/wms/orders/${id}/cancel/`, call)
        expect([reply.status, reply.body === '']).toEqual([expected, expected === 204])
      }
      expect((await read(id)).body).toMatchObject({ status: expected === 204 ? 'cancelled' : status })
    },
  )

  it.each(orderStatuses)(
    '%s accepts a further document if API.md 6.5 allows this, and otherwise refuses it and keeps its documents',
    async (status) => {
      const body = { file: 'JVBERi0=', title: 'a.pdf' }
      const path = `/wms/orders/${smallOrders.byStatus(status)}/documents/`
      const before = (await server.call(path)).body
      const reply = await server.call(path, { method: 'POST', body })
      expect(reply.status).toBe(statusOf(status, 201))
      if (reply.status !== 201) expect((await server.call(path)).body).toEqual(before)
    },
  )
})

describe('PATCH /wms/orders/:id/', () => {
  it('changes the sent fields and leaves the other fields unchanged', async () => {
    const before = z.record(z.string(), z.unknown()).parse((await read()).body)
    const fields = {
      external_id: 'new-id',
      external_reference: 'NEW-REF',
      po_number: 'PO-9',
      requested_delivery_date: '2026-07-01',
      shipping_method: smallIds.letter,
      shipping_email: 'new@example.org',
      shipping_contactperson: 'New person',
      incoterms: 'DDP',
      ioss_number: '1',
      eori_number: '2',
      vat_number: '3',
      inbound_vat_number: '4',
      inbound_eori_number: '5',
      order_amount: 1,
      assured_amount: 2,
      currency: 'gbp',
      note: 'n',
      customer_note: 'c',
      language: 'en-GB',
      meta_data: { key: 'value' },
    }
    const { incoterms, requested_delivery_date, currency, ...same } = fields
    const after = {
      ...before,
      ...same,
      inco_terms: incoterms,
      requested_delivery_date: `${requested_delivery_date}T00:00:00+00:00`,
      currency: currency.toUpperCase(),
    }
    expect(await patch(fields)).toMatchObject({ status: 200, body: after })
    expect((await read()).body).toEqual(after)
    for (const field of ['po_number', 'note', 'incoterms', 'shipping_method', 'order_amount', 'currency'])
      await patch({ [field]: null })
    expect((await read()).body).toEqual({
      ...after,
      po_number: null,
      note: null,
      inco_terms: null,
      shipping_method: null,
      order_amount: null,
      currency: null,
    })
  })

  it.each(['', '[]', '{}', '{"shipping_address":{}}', '{"shipping_address":[]}', '{"documents":[]}'])(
    'changes no field of the order if the body is "%s"',
    async (body) => {
      const before = (await read()).body
      const headers = { 'content-type': 'application/json' }
      for (const ending of ['', '/']) {
        const call = { method: 'PATCH', headers, body, expand: everything }
        expect(await server.call(`/wms/orders/${created}${ending}`, call)).toMatchObject({ status: 200 })
      }
      expect((await read()).body).toEqual(before)
    },
  )

  it('ignores documents in the body, because documents have their own path', async () => {
    const documents = [{ file: 'JVBERi0=', title: 'new.pdf' }]
    for (const sent of [documents, 'anything', null])
      expect((await patch({ documents: sent })).status).toBe(200)
    expect((await server.call(`/wms/orders/${created}/documents/`)).body).toEqual([])
  })

  it('changes only the sent fields of the address', async () => {
    const { shipping_address } = z
      .object({ shipping_address: z.record(z.string(), z.unknown()) })
      .parse((await read()).body)
    const part = { street_number: 99, city: 'Zwolle', street_number_addition: null, contact_person: '' }
    const reply = await patch({ shipping_address: part })
    expect(reply.body).toMatchObject({
      shipping_address: {
        ...shipping_address,
        street_number: '99',
        city: 'Zwolle',
        street_number_addition: null,
        contact_person: null,
      },
    })
  })

  it('requires a zipcode if the order has none and its new country has zipcodes', async () => {
    const abroad = { country: 'HK', zipcode: null }
    expect(await patch({ shipping_address: abroad })).toMatchObject({ status: 200 })
    const back = await patch({ shipping_address: { country: 'NL' } })
    expect(back).toMatchObject({
      status: 400,
      body: { errors: { 'shippingAddress.zipcode': [someText] } },
    })
    expect((await read()).body).toMatchObject({ shipping_address: { country: 'HK' } })
  })

  it('replaces all lines of the order if the body contains lines', async () => {
    const order_lines = [
      { article_code: 'A-0', quantity: 4, description: 'Tea', price: 2, meta_data: { a: 'b' } },
      { article_code: 'A-0', quantity: 1, description: 'Tea', price: 2 },
      { article_code: '4006381333931', quantity: 1, description: 'Blue' },
    ]
    const reply = await patch({ order_lines })
    const shown = z.object({ order_lines: z.array(z.unknown()) }).parse(reply.body).order_lines
    expect(shown).toMatchObject([
      { variant: { id: smallGoods.teaBox }, quantity: 5, meta_data: { a: 'b' }, processed: 0 },
      { variant: { id: smallGoods.shirtBlue }, quantity: 1 },
    ])
    expect(shown).toHaveLength(2)
    expect((await read()).body).toEqual(reply.body)
  })

  it.each([
    [{ order_lines: [] }, 'orderLines'],
    [{ order_lines: [{ article_code: 'B-1', quantity: 1, description: 'x' }] }, 'orderLines.0.articleCode'],
    [{ note: 'kept?', shipping_method: smallId(99) }, 'shippingMethod'],
    [{ shipping_address: { street: null } }, 'shippingAddress.street'],
    [{ shipping_address: { city: 'x'.repeat(101) } }, 'shippingAddress.city'],
    [{ inco_terms: 'FOB' }, 'incoTerms'],
    [{ meta_data: { 'no no': 1 } }, 'metaData.no no'],
    [{ customer: smallIds.birch }, 'customer'],
  ])('refuses the body %j and changes no field', async (body, field) => {
    const before = (await read()).body
    const reply = await patch(body)
    expect(reply).toMatchObject({ status: 400, body: { errors: { [field]: [someText] } } })
    expect((await read()).body).toEqual(before)
  })

  it('refuses a reference of another order, and accepts the present reference of the order', async () => {
    expect((await patch({ external_id: 'ext-0' })).body).toMatchObject({
      errors: { 0: 'External id is not unique', externalId: [someText] },
    })
    expect((await patch({ external_reference: 'ORDER-0' })).status).toBe(400)
    expect((await patch({ external_reference: 'ORDER-5', external_id: 'ext-5' })).status).toBe(200)
  })

  it('updates modified_at only if the body contains a change', async () => {
    await patch({ note: 'x' }, smallOrders.byStatus('problem'))
    server.clock.advance(1000)
    for (const nothing of [{}, [], { shipping_address: {} }])
      expect((await patch(nothing, smallOrders.byStatus('planned'))).status).toBe(200)
    const reply = await server.call('/wms/orders/?sort=modifiedAt&limit=1')
    expect(reply.body).toMatchObject([{ id: smallOrders.byStatus('problem') }])
  })
})

describe('an address marked as invalid', () => {
  const wrong = smallOrders.byStatus('invalid_address')

  it.each(changeable)('changes the status of an order from %s to invalid_address', async (status) => {
    const reply = await patch({ shipping_address: { invalid: true } }, smallOrders.byStatus(status))
    expect(reply).toMatchObject({
      status: 200,
      body: { status: 'invalid_address', shipping_address: { invalid: true } },
    })
  })

  it('gives the order the status invalid_address until a PATCH corrects the address', async () => {
    expect((await patch({ shipping_address: { invalid: true } })).body).toMatchObject({
      status: 'invalid_address',
      shipping_address: { invalid: true },
    })
    expect((await patch({ note: 'Asked the buyer' })).body).toMatchObject({ status: 'invalid_address' })
    expect((await patch({ shipping_address: { street: 'Laan' } })).body).toMatchObject({
      status: 'created',
      shipping_address: { invalid: false, street: 'Laan' },
    })
    expect((await patch({ shipping_address: newAddress() }, wrong)).body).toMatchObject({
      status: 'created',
    })
  })
})

describe('documents of an order', () => {
  const path = `/wms/orders/${created}/documents`
  const pdf = Buffer.from('%PDF-1.4\nhello')
  const png = Buffer.from('89504e470d0a1a0a', 'hex')
  const add = (body: unknown): Promise<Reply> => server.call(`${path}/`, { method: 'POST', body })

  it('can be added with either spelling of a field (orderPrice or order_price), and are listed in the sequence of their creation', async () => {
    const label_type = smallId(77)
    const first = await add({
      file: pdf.toString('base64'),
      title: 'invoice.pdf',
      quantity: '3',
      orderPrice: '1250',
      shipping_label: 0,
      label_type,
    })
    expect(first.status).toBe(201)
    expect(first.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      title: 'invoice.pdf',
      mime_type: 'application/pdf',
      quantity: 3,
      is_shipping_label: false,
      order_price: 1250,
      label_type,
    })
    const second = await add({
      file: png.toString('base64'),
      title: 'label.png',
      is_shipping_label: true,
      order_price: 0,
    })
    const defaults = { mime_type: 'image/png', quantity: 1, is_shipping_label: true, label_type: null }
    expect(second).toMatchObject({ status: 201, body: { ...defaults, order_price: 0 } })
    for (const ending of ['', '/'])
      expect((await server.call(path + ending)).body).toEqual([first.body, second.body])
    const expanded = await server.call(`/wms/orders/${created}/`, { expand: 'documents' })
    expect(expanded.body).toMatchObject({ documents: [first.body, second.body] })
  })

  it('can be sent with a new order, even if a document has five megabytes', async () => {
    const content = Buffer.alloc(5_000_000, '%PDF-')
    const documents = [{ file: content.toString('base64'), title: 'big.pdf', is_shipping_label: true }]
    const body = newOrder({ documents })
    const reply = await server.call('/wms/orders/', { method: 'POST', body, expand: 'documents' })
    expect(reply).toMatchObject({ status: 201, body: { documents: [{ title: 'big.pdf', quantity: 1 }] } })
  })

  it('are refused if their content is a long text that is not base64', async () => {
    const reply = await add({ file: `${'\n'.repeat(200_000)}!`, title: 'lines.pdf' })
    expect(reply).toMatchObject({ status: 400, body: { errors: { file: [someText] } } })
  })

  it('can be read with a link to their file, and can be deleted', async () => {
    const { id } = z
      .object({ id: z.string() })
      .loose()
      .parse((await add({ file: pdf.toString('base64'), title: 'a b.pdf', is_shipping_label: true })).body)
    const reply = await server.call(`/wms/documents/${id}/`)
    expect(reply).toMatchObject({
      status: 200,
      body: {
        id,
        name: 'a b.pdf',
        title: 'a b.pdf',
        mime_type: 'application/pdf',
        document_type: 'shipping_label',
        created_at: '2026-06-01T12:00:00+00:00',
      },
    })
    const file = await fetch(z.object({ url: z.string() }).loose().parse(reply.body).url)
    expect(file.headers.get('content-disposition')).toBe('inline; filename="a-b.pdf"')
    expect(Buffer.from(await file.arrayBuffer()).equals(pdf)).toBe(true)
    expect(await server.call(`/wms/documents/${id}`, { method: 'DELETE' })).toMatchObject({ status: 204 })
    expect((await server.call(path)).body).toEqual([])
  })

  it('are served as attachments if they are neither PDFs nor pictures', async () => {
    const file = Buffer.from('<script>alert(1)</script>').toString('base64')
    const { id } = z
      .object({ id: z.string() })
      .loose()
      .parse((await add({ file, title: 'page.html' })).body)
    const { url } = z
      .object({ url: z.string() })
      .loose()
      .parse((await server.call(`/wms/documents/${id}`)).body)
    const answer = await fetch(url)
    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="page.html"')
  })

  it('are returned to a user who may only read them, and cannot be added by this user', async () => {
    const token = await server.logIn('reader')
    const shipped = `/wms/orders/${smallOrders.byStatus('shipped')}/`
    expect((await server.call(shipped, { token, expand: 'documents' })).body).toHaveProperty('documents')
    expect((await server.call(`${path}/`, { token, method: 'POST', body: {} })).status).toBe(403)
  })

  it.each([
    [{ title: 'a' }, 'file'],
    [{ file: '', title: 'a' }, 'file'],
    [{ file: 'JVBERi0=' }, 'title'],
    [{ file: 'JVBERi0=', title: '' }, 'title'],
    [{ file: 'JVBERi0=', title: 'a', quantity: 0 }, 'quantity'],
    [{ file: 'JVBERi0=', title: 'a', order_price: 1.5 }, 'orderPrice'],
    [{ file: 'JVBERi0=', title: 'a', label_type: 'A4' }, 'labelType'],
  ])('are refused with an error under the name of the wrong field: %j', async (body, field) => {
    expect(await add(body)).toMatchObject({ status: 400, body: { errors: { [field]: [someText] } } })
    expect((await server.call(path)).body).toEqual([])
  })
})

describe('the documents of all orders of a customer', () => {
  it('are limited in bytes: a further document returns 409 until a document is deleted', async () => {
    const limited = await startTestServer({ mostDocumentBytes: 25_000 })
    const file = Buffer.from(`%PDF-1.7 ${'x'.repeat(9991)}`).toString('base64')
    const post = (path: string, body: unknown): Promise<Reply> => limited.call(path, { method: 'POST', body })
    const add = (): Promise<Reply> => post(`/wms/orders/${created}/documents/`, { file, title: 'paper.pdf' })
    const first = await add()
    expect(first.status).toBe(201)
    const documents = [{ file, title: 'label.pdf', is_shipping_label: true }]
    expect((await post('/wms/orders/', newOrder({ documents }))).status).toBe(201)
    const message =
      "The documents of this customer's orders would take more than 2 GiB. Delete some of them first."
    const refused = { status: 409, body: { code: 409, message } }
    expect(await add()).toMatchObject(refused)
    const another = newOrder({ documents, external_reference: 'SHOP-1002' })
    expect(await post('/wms/orders/', another)).toMatchObject(refused)
    const { id } = z.object({ id: z.string() }).parse(first.body)
    expect((await limited.call(`/wms/documents/${id}/`, { method: 'DELETE' })).status).toBe(204)
    expect((await post('/wms/orders/', another)).status).toBe(201)
    await limited.close()
  })
})
