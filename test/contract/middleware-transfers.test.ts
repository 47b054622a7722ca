import { describe, expect, it } from 'vitest'
import { lastingServer } from '#support/lasting-server.ts'
import type { CallOptions, Reply } from '#support/middleware-server.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallId } from '#support/small-id.ts'
import { makeMovingWorld, notGranted, smallMoves } from '#support/small-moves.ts'
import { smallIds } from '#support/small-world.ts'

/** Matches any text, because tests check neither the wording of messages nor the ids that the service chooses. */
const someText: unknown = expect.any(String)
const path = '/wms/customer-to-customer-transfers/'
const lines = 'customer_to_customer_transfer_lines'
const [created = '', requested = '', , , , cancelled = ''] = smallMoves.transfers

const server = lastingServer(makeMovingWorld)

const call = (method: string, at: string, options: CallOptions = {}): Promise<Reply> =>
  server.call(path + at, { method, ...options })

function shown({ body }: Reply): string[] {
  return (body as { external_reference: string }[]).map(({ external_reference }) => external_reference)
}

const base = {
  id: created,
  to_customer: smallIds.birch,
  created_at: '2026-05-01T09:00:00+00:00',
  external_reference: 'TR-1',
  status: 'created',
}

describe('GET /wms/customer-to-customer-transfers/', () => {
  it('returns a bare array of transfers with their base fields, the newest transfer first', async () => {
    const reply = await server.call(path)
    expect(reply.status).toBe(200)
    expect(shown(reply)).toEqual(['TR-6', 'TR-5', 'TR-4', 'TR-3', 'TR-2', 'TR-1'])
    expect((reply.body as unknown[])[5]).toEqual(base)
  })

  it.each([
    ['?direction=asc&limit=2', ['TR-1', 'TR-2']],
    ['?sort=reference&limit=1', ['TR-6']],
    ['?sort=createdAt&limit=2', ['TR-2', 'TR-6']],
    ['?page=0&limit=2', ['TR-6', 'TR-5']],
    ['?page=3&limit=2', ['TR-2', 'TR-1']],
    ['?from=2026-05-05&to=2026-05-08', ['TR-6', 'TR-5']],
  ])('returns the transfers that match the query %s', async (query, expected) => {
    expect(shown(await server.call(path + query))).toEqual(expected)
  })

  it.each(['sort=status', 'limit=0', 'limit=1001', 'direction=x', 'to=x'])(
    'refuses the query %s',
    async (query) => {
      const [field = ''] = query.split('=')
      const reply = await server.call(`${path}?${query}`)
      expect(reply).toMatchObject({ status: 400, body: { errors: { [field]: [someText] } } })
    },
  )

  it('returns the lines if their group is expanded', async () => {
    const [newest] = (await server.call(path, { expand: lines })).body as Record<string, unknown>[]
    expect(newest?.[lines]).toEqual([
      {
        id: smallId(276),
        from_variant: { id: smallGoods.shirtRed },
        to_variant: { id: smallGoods.birchVariant },
        quantity: 5,
        finalized_quantity: 0,
      },
    ])
  })
})

describe('GET /wms/customer-to-customer-transfers/:id/', () => {
  it('returns the lines and their variants if their groups are expanded', async () => {
    expect(await call('GET', created)).toMatchObject({ status: 200, body: base })
    expect((await call('GET', created)).body).toEqual(base)
    const expand = `customer_to_customer_transfer, ${lines},variant`
    expect((await call('GET', `${created}/`, { expand })).body).toEqual({
      ...base,
      [lines]: [
        {
          id: smallId(271),
          from_variant: expect.objectContaining({ article_code: 'A-1', weight: 400 }) as unknown,
          to_variant: expect.objectContaining({ article_code: 'B-1', weight: 400 }) as unknown,
          quantity: 5,
          finalized_quantity: 0,
        },
      ],
    })
    expect((await call('GET', created, { expand: 'variant' })).body).toEqual(base)
  })

  it('returns only the id of a variant if the user may not act for the customer of this variant', async () => {
    const token = await server.logIn('birch-only')
    const expand = `${lines},variant`
    const reply = await call('GET', smallMoves.birchTransfer, { token, customer: 'BIRCH', expand })
    expect(reply).toMatchObject({
      status: 200,
      body: { [lines]: [{ from_variant: { article_code: 'B-1' } }] },
    })
    const [line] = (reply.body as Record<string, { to_variant: unknown }[]>)[lines] ?? []
    expect(line?.to_variant).toEqual({ id: smallGoods.shirtRed })
  })
})

const valid = {
  customer: smallIds.alder,
  to_customer: smallIds.birch,
  external_reference: 'TR-900',
  [lines]: [{ article_code: 'A-0', quantity: 4 }],
}

describe('POST /wms/customer-to-customer-transfers/', () => {
  it('returns the new transfer with its lines, and creates missing variants for the destination customer', async () => {
    const body = {
      ...valid,
      customer: smallIds.alder.toUpperCase(),
      [lines]: [
        { article_code: 'SKU-A-0', quantity: '4' },
        { article_code: 'A-2', quantity: 1 },
        { article_code: 'A-0', quantity: 1 },
      ],
      id: smallId(1),
      status: 'accepted',
    }
    const reply = await server.call(path, { method: 'POST', body })
    expect(reply.status).toBe(201)
    const tea = {
      article_code: 'A-0',
      name: 'Box of tea',
      sku: 'SKU-A-0',
      ean: null,
      expirable: true,
      width: 30,
    }
    expect(reply.body).toEqual({
      id: someText,
      to_customer: smallIds.birch,
      created_at: '2026-06-01T12:00:00+00:00',
      external_reference: 'TR-900',
      status: 'created',
      [lines]: [
        {
          id: someText,
          from_variant: expect.objectContaining({ ...tea, id: smallGoods.teaBox }) as unknown,
          to_variant: expect.objectContaining({ ...tea, created_at: '2026-06-01T12:00:00+00:00' }) as unknown,
          quantity: 5,
          finalized_quantity: 0,
        },
        expect.objectContaining({ quantity: 1 }),
      ],
    })
    const made = reply.body as { id: string } & Record<string, { to_variant: { id: string } }[]>
    expect(made.id).not.toBe(smallId(1))
    const articles = await server.call('/wms/articles/?article_code=A-0', { customer: 'BIRCH' })
    expect(articles.body).toMatchObject([
      { customer: smallIds.birch, name: 'Cardamom tea', variants: [{ id: made[lines]?.[0]?.to_variant.id }] },
    ])
    // the article of the source customer is unchanged
    expect((await server.call('/wms/articles/?article_code=A-0')).body).toMatchObject([
      { customer: smallIds.alder, variants: [{ id: smallGoods.teaBox }] },
    ])
    // The next transfer finds the variants that the first transfer created.
    const again = await server.call(path, { method: 'POST', body: valid })
    expect(again.body).toMatchObject({ [lines]: [{ to_variant: { id: made[lines]?.[0]?.to_variant.id } }] })
    expect(shown(await server.call(`${path}?limit=2`))).toEqual(['TR-900', 'TR-900'])
  })

  it('finds the variant of the destination customer by article code, or else by EAN, or else by SKU', async () => {
    const transfer = async (article_code: string): Promise<Reply> =>
      server.call(path, { method: 'POST', body: { ...valid, [lines]: [{ article_code, quantity: 1 }] } })
    const birch = (body: unknown): Promise<Reply> =>
      server.call('/wms/variants/', { method: 'POST', body, customer: 'BIRCH' })
    const article = smallGoods.birchArticle
    // the variants A-1 and B-1 have the same EAN
    expect((await transfer('A-1')).body).toMatchObject({
      [lines]: [{ to_variant: { id: smallGoods.birchVariant } }],
    })
    await birch({ article, article_code: 'T-1', sku: 'SKU-A-0' })
    expect((await transfer('A-0')).body).toMatchObject({ [lines]: [{ to_variant: { article_code: 'T-1' } }] })
    await birch({ article, article_code: 'A-1' })
    expect((await transfer('A-1')).body).toMatchObject({ [lines]: [{ to_variant: { article_code: 'A-1' } }] })
    await birch({ article, article_code: 'T-2', ean: '4006381333931' })
    await birch({ article, article_code: 'T-3', ean: '4006381333931' })
    const ambiguous = await transfer('A-2')
    expect(ambiguous.status).toBe(400)
    expect(ambiguous.body).toEqual({
      errors: { 'customerToCustomerTransferLines.0.articleCode': [someText] },
    })
  })

  const line = { article_code: 'A-0', quantity: 1 }
  it.each([
    [{ customer: undefined }, 'customer'],
    [{ customer: smallIds.birch }, 'customer'],
    [{ customer: 'ALDER' }, 'customer'],
    [{ to_customer: undefined }, 'toCustomer'],
    [{ to_customer: null }, 'toCustomer'],
    [{ to_customer: smallIds.alder }, 'toCustomer'],
    [{ to_customer: smallId(999) }, 'toCustomer'],
    [{ external_reference: undefined }, 'externalReference'],
    [{ external_reference: '' }, 'externalReference'],
    [{ [lines]: undefined }, 'customerToCustomerTransferLines'],
    [{ [lines]: [] }, 'customerToCustomerTransferLines'],
    [{ [lines]: [line, { quantity: 1 }] }, 'customerToCustomerTransferLines.1.articleCode'],
    [{ [lines]: [{ ...line, article_code: 'B-1' }] }, 'customerToCustomerTransferLines.0.articleCode'],
    [{ [lines]: [{ ...line, quantity: 0 }] }, 'customerToCustomerTransferLines.0.quantity'],
    [{ [lines]: [{ ...line, quantity: '1.5' }] }, 'customerToCustomerTransferLines.0.quantity'],
  ])('refuses %j with an error under the name of the field, and creates nothing', async (change, field) => {
    const reply = await server.call(path, { method: 'POST', body: { ...valid, ...change } })
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual({ errors: { [field]: [someText] } })
    expect(shown(await server.call(path))).toHaveLength(6)
    const { body } = await server.call('/wms/articles/', { customer: 'BIRCH' })
    expect(body).toHaveLength(1)
  })

  it('refuses lines if the names and codes of all variants that the destination lacks have more than 800,000 characters in total', async () => {
    const codes = Array.from({ length: 801 }, (_, index) => `LONG-${index}`.padEnd(250, '-'))
    for (const half of [codes.slice(0, 400), codes.slice(400)]) {
      const variants = half.map((article_code) => ({
        article_code,
        ean: article_code.replace('LONG', 'EAN-'),
      }))
      const article = { name: 'x'.repeat(500), variants }
      expect((await server.call('/wms/articles/', { method: 'POST', body: article })).status).toBe(201)
    }
    const transfer = (part: readonly string[]): Promise<Reply> => {
      const body = { ...valid, [lines]: part.map((article_code) => ({ article_code, quantity: 1 })) }
      return server.call(path, { method: 'POST', body })
    }
    expect(await transfer(codes)).toMatchObject({
      status: 400,
      body: {
        errors: { customerToCustomerTransferLines: [expect.stringContaining('800000 characters or less')] },
      },
    })
    const { body } = await server.call('/wms/articles/', { customer: 'BIRCH' })
    expect(body).toHaveLength(1)
    expect((await transfer(codes.slice(1))).status).toBe(201)
  })

  it('refuses a destination customer that the user may not act for', async () => {
    const token = await server.logIn('birch-only')
    const body = {
      ...valid,
      customer: smallIds.birch,
      to_customer: smallIds.alder,
      [lines]: [{ article_code: 'B-1', quantity: 1 }],
    }
    const reply = await server.call(path, { method: 'POST', body, token, customer: 'BIRCH' })
    expect(reply).toMatchObject({ status: 400, body: { errors: { toCustomer: [someText] } } })
    expect((await server.call(path, { method: 'POST', body, customer: 'BIRCH' })).status).toBe(201)
  })
})

describe('PATCH /wms/customer-to-customer-transfers/:id/', () => {
  it('changes the external reference of a transfer that is not requested, and no other field', async () => {
    const reply = await call('PATCH', `${created}/`, { body: { external_reference: 'TR-1b', status: 'x' } })
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({ ...base, external_reference: 'TR-1b' })
    for (const body of ['', '[]', '{}']) {
      const headers = { 'content-type': 'application/json' }
      expect((await call('PATCH', created, { body, headers })).body).toEqual(reply.body)
    }
    expect((await call('PATCH', created, { body: { external_reference: ' ' } })).status).toBe(400)
  })
})

describe('PUT /wms/customer-to-customer-transfers/:id/request', () => {
  it('requests the transfer, and returns the same response for a repeated call', async () => {
    for (const ending of ['', '/']) {
      const reply = await call('PUT', `${created}/request${ending}`)
      expect(reply.status).toBe(200)
      expect(reply.body).toEqual({ ...base, status: 'requested' })
    }
    const patched = await call('PATCH', created, { body: { external_reference: 'TR-1b' } })
    expect(patched).toMatchObject({ status: 412, body: { code: 412, message: someText } })
    expect((await call('GET', created)).body).toEqual({ ...base, status: 'requested' })
  })

  it('returns the groups that the Expand header names', async () => {
    const reply = await call('PUT', `${created}/request`, { expand: lines, body: '[]' })
    expect(reply.body).toMatchObject({ status: 'requested', [lines]: [{ quantity: 5 }] })
  })
})

describe('PUT /wms/customer-to-customer-transfers/:id/cancel', () => {
  it.each(['', '[]', '{}', '{"note": "Not needed"}', '{"note": null}'])(
    'cancels the transfer if the body is "%s"',
    async (body) => {
      const headers = { 'content-type': 'application/json' }
      for (const ending of ['', '/']) {
        const reply = await call('PUT', `${requested}/cancel${ending}`, { body, headers })
        expect(reply).toMatchObject({ status: 200, body: { id: requested, status: 'cancelled' } })
      }
    },
  )

  it('refuses a note that is not text', async () => {
    const reply = await call('PUT', `${created}/cancel`, { body: { note: ['x'] } })
    expect(reply).toMatchObject({ status: 400, body: { errors: { note: [someText] } } })
    expect((await call('GET', created)).body).toEqual(base)
  })
})

describe('the statuses of a transfer', () => {
  // the transfers of the test data have these statuses, in this sequence: created, requested, processing, denied,
  // accepted, cancelled (API.md 10.2)
  it.each([
    [0, { patch: 200, request: 200 }],
    [1, { patch: 412, request: 200 }],
    [2, { patch: 412, request: 412 }],
    [3, { patch: 412, request: 412 }],
    [4, { patch: 412, request: 412 }],
    [5, { patch: 412, request: 412 }],
  ])(
    'allow or refuse PATCH, request and cancel according to API.md 10.2: transfer %s',
    async (index, { patch, request }) => {
      const id = smallMoves.transfers[index] ?? ''
      expect((await call('PATCH', id, { body: { external_reference: 'X' } })).status).toBe(patch)
      expect((await call('PUT', `${id}/request`)).status).toBe(request)
      expect(await call('PUT', `${id}/cancel`)).toMatchObject({ status: 200, body: { status: 'cancelled' } })
      expect((await call('PUT', `${id}/request`)).status).toBe(412)
    },
  )

  it('end with cancelled if a request call and a cancel call arrive at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const made = await server.call(path, { method: 'POST', body: valid })
      const { id } = made.body as { id: string }
      const [asked, stopped] = await Promise.all([call('PUT', `${id}/request`), call('PUT', `${id}/cancel`)])
      expect([200, 412]).toContain(asked.status)
      expect(stopped.status).toBe(200)
      expect((await call('GET', id)).body).toMatchObject({ status: 'cancelled' })
    }
  })
})

const operations = [
  ['GET', ''],
  ['POST', ''],
  ['GET', created],
  ['PATCH', created],
  ['PUT', `${created}/request`],
  ['PUT', `${created}/cancel`],
] as const

describe('access to transfers', () => {
  it.each(operations)('is refused to a user to whom it was not granted: %s %s', async (method, at) => {
    const token = await server.logIn(notGranted)
    const body = method === 'GET' ? undefined : {}
    const reply = await call(method, at, { token, body })
    expect(reply).toMatchObject({ status: 403, body: { code: 403, message: someText } })
    expect((await call('GET', created)).body).toEqual(base)
  })

  it('is limited to the source customer: another customer cannot list or read its transfers', async () => {
    const birch = { customer: 'BIRCH' }
    expect(shown(await server.call(path, birch))).toEqual(['TR-7'])
    for (const [method, at] of operations.slice(2))
      expect((await call(method, at, birch)).status, method).toBe(404)
    for (const id of [smallId(999), 'none']) expect((await call('GET', id)).status).toBe(404)
    expect((await call('GET', cancelled)).body).toMatchObject({ status: 'cancelled' })
  })
})
