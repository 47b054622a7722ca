import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { parseReference } from '#shared/domain/references.ts'
import { type Batch, batch as batchSchema } from '#shared/wire/batch.ts'
import { type LocationType, locationType as typeSchema } from '#shared/wire/location-type.ts'
import { type Modification, modification as modificationSchema } from '#shared/wire/modification.ts'
import { variant as variantSchema } from '#shared/wire/variant.ts'
import { type CallOptions, type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallId, smallIds } from '#support/small-world.ts'
import { orLater } from '#support/test-database.ts'

/** Matches any text, because tests do not check the wording of messages. */
const someText: unknown = expect.any(String)

let server: TestServer
beforeEach(async () => {
  server = await startTestServer()
})
afterEach(() => server.close())

async function list<T>(schema: z.ZodType<T>, path: string, options: CallOptions = {}): Promise<T[]> {
  const reply = await server.call(path, options)
  expect(reply.status).toBe(200)
  return z.array(schema).parse(reply.body)
}

const batches = (query = '', options?: CallOptions): Promise<Batch[]> =>
  list(batchSchema.strict(), `/wms/batches/${query}`, options)
const types = (query = '', options?: CallOptions): Promise<LocationType[]> =>
  list(typeSchema.strict(), `/wms/locationtypes/${query}`, options)
const modifications = (query = '', options?: CallOptions): Promise<Modification[]> =>
  list(modificationSchema.strict(), `/wms/modifications/${query}`, options)

function book(body: unknown, path = '/wms/modifications/'): Promise<Reply> {
  return server.call(path, { method: 'POST', body })
}

const [first, second, third] = smallGoods.batches

describe('/wms/batches/', () => {
  it.each([
    ['', [third, second, first]],
    ['?direction=asc', [first, second, third]],
    ['?sort=createdAt', [first, second, third]],
    ['?sort=createdAt&direction=asc&limit=2', [third, second]],
    ['?from=2026-02-02&to=2026-02-02', [second]],
    ['?article_code=A-0', [second, first]],
    ['?sku=SKU-A-0&limit=1&page=2', [first]],
    ['?ean=8712345678906', [third]],
    ['?ean=8712345678906&article_code=A-0', []],
    ['?article_code=B-1', []],
    ['?positive_only=true', [third, first]],
    ['?positive_only=1&article_code=A-0', [first]],
    ['?positive_only=false', [third, second, first]],
    ['?positive_only=', [third, second, first]],
  ])('returns the batches that match the query %s', async (query, expected) => {
    expect((await batches(query)).map(({ id }) => id)).toEqual(expected)
  })

  it('returns for each lot also its variant, its inbound and the lines of the inbound, even without an Expand header', async () => {
    const [lot] = await batches('?article_code=A-0&positive_only=true')
    const { body } = await server.call(`/wms/variants/${smallGoods.teaBox}/`)
    expect(lot).toEqual({
      id: first,
      expiration_date: '2026-06-20',
      quantity: 5,
      variant: variantSchema.parse(body),
      inbound: {
        id: smallGoods.inbound,
        customer: smallIds.alder,
        reference: 'INB00000000001',
        external_reference: 'PO-1',
        is_return: false,
        status: 'completed',
        created_at: '2026-02-01T09:00:00+00:00',
        inbound_date: '2026-02-01T00:00:00+00:00',
        note: null,
        inbound_lines: [
          { variant: { id: smallGoods.teaBox }, quantity: 12, processed: 12, packing_slip: 12 },
          { variant: { id: smallGoods.shirtRed }, quantity: 7, processed: 7, packing_slip: 7 },
        ],
      },
    })
  })

  it('returns a single lot, with the lines of its inbound only if Expand names inbound_lines', async () => {
    const path = `/wms/batches/${third ?? ''}`
    const plain = batchSchema.strict().parse((await server.call(path)).body)
    expect(plain).toMatchObject({ quantity: 7, expiration_date: null, inbound: { id: smallGoods.inbound } })
    expect(plain.inbound).not.toHaveProperty('inbound_lines')
    const expanded = batchSchema.parse((await server.call(`${path}/`, { expand: 'inbound_lines' })).body)
    expect(expanded.inbound?.inbound_lines).toHaveLength(2)
    const other = `/wms/batches/${smallGoods.birchBatch}/`
    expect((await server.call(other)).status).toBe(404)
    const own = await server.call(other, { customer: 'BIRCH' })
    expect(own).toMatchObject({ status: 200, body: { inbound: { is_return: true } } })
    expect((await server.call(`/wms/batches/${smallId(99)}`)).status).toBe(404)
  })

  it.each(['?sort=expirationDate', '?positive_only=maybe'])(
    'refuses the query %s with 400',
    async (query) => {
      expect((await server.call(`/wms/batches/${query}`)).status).toBe(400)
    },
  )
})

describe('/wms/locationtypes/', () => {
  it.each([
    ['', ['BULK', 'CART', 'PICK']],
    ['?direction=desc&limit=2', ['PICK', 'CART']],
    ['?sort=createdAt', ['CART', 'BULK', 'PICK']],
    ['?code=BULK', ['BULK']],
    ['?code=bulk', []],
    ['?pickable=true', ['PICK']],
    ['?pickable=false', ['BULK', 'CART', 'PICK']],
    ['?pickable=1&code=BULK', []],
  ])('returns the location types that match the query %s', async (query, expected) => {
    expect((await types(query)).map(({ code }) => code)).toEqual(expected)
  })

  it('returns the same location types to every customer', async () => {
    expect(await types('', { customer: 'BIRCH' })).toEqual(await types())
  })

  it('returns the administration code only if Expand names it', async () => {
    expect((await types())[0]).not.toHaveProperty('administration_code')
    const shown = await types('', { expand: 'administration_code' })
    expect(shown.map((type) => type.administration_code)).toEqual([null, '900', '100'])
  })

  it('returns a single location type also at the path /wms/locationtype/', async () => {
    for (const path of ['/wms/locationtype/', '/wms/locationtype']) {
      const ending = path.endsWith('/') ? '/' : ''
      const reply = await server.call(`${path.replace(/\/$/, '')}/${smallGoods.pickType}${ending}`)
      expect(reply.status).toBe(200)
      expect(typeSchema.strict().parse(reply.body)).toEqual({
        id: smallGoods.pickType,
        code: 'PICK',
        name: 'Shelf',
        transport: false,
        pickable: true,
      })
    }
    expect((await server.call(`/wms/locationtype/${smallId(99)}/`)).status).toBe(404)
  })
})

describe('/wms/modifications/', () => {
  const line = { variant: smallGoods.shirtRed, location: smallGoods.shelf, quantity: -2 }
  const valid = { reason: 'LOST', note: 'Not found', modification_lines: [line] }

  it.each([
    ['', ['3', '2', '1']],
    ['?direction=asc', ['1', '2', '3']],
    ['?sort=createdAt', ['2', '3', '1']],
    ['?sort=createdAt&direction=asc&limit=2', ['1', '3']],
    ['?page=2&limit=2', ['1']],
    ['?from=2026-04-02', ['3', '2']],
    ['?status=created', ['3']],
    ['?status=approved', ['1']],
    ['?status=disapproved', ['2']],
  ])('returns the modifications that match the query %s, without their lines', async (query, expected) => {
    const found = await modifications(query)
    expect(found.map(({ reference }) => reference.slice(-1))).toEqual(expected)
    for (const each of found) expect(each).not.toHaveProperty('modification_lines')
  })

  it.each(['?status=open', '?sort=id', '?sort=status'])('refuses the query %s with 400', async (query) => {
    expect((await server.call(`/wms/modifications/${query}`)).status).toBe(400)
  })

  it('returns single modifications with their lines', async () => {
    const [approved] = smallGoods.modifications
    const reply = await server.call(`/wms/modifications/${approved ?? ''}/`)
    const { body } = await server.call(`/wms/variants/${smallGoods.shirtRed}/`)
    expect(modificationSchema.strict().parse(reply.body)).toEqual({
      id: approved,
      reference: 'MOD00000000001',
      reason: 'LOST',
      status: 'approved',
      note: 'Note 1',
      created_at: '2026-04-01T09:00:00+00:00',
      modified_at: '2026-04-10T09:00:00+00:00',
      modification_lines: [
        {
          variant: variantSchema.parse(body),
          location: { id: smallGoods.shelf, code: 'A-01-01' },
          quantity: -4,
        },
      ],
    })
    expect((await server.call(`/wms/modifications/${smallGoods.birchModification}`)).status).toBe(404)
    expect((await server.call(`/wms/modifications/${smallId(99)}`)).status).toBe(404)
  })

  it.each(['/wms/modifications/', '/wms/modifications', '/wms/modification/', '/wms/modification'])(
    'creates a modification for a POST to the path %s',
    async (path) => {
      const note = '  moved #0123456789abcdef0123 '
      const lines = [
        line,
        { variant: smallGoods.teaBox.toUpperCase(), location: smallGoods.backRoom, quantity: 3 },
      ]
      const reply = await book({ ...valid, note, modification_lines: lines }, path)
      expect(reply.status).toBe(201)
      const made = modificationSchema.strict().parse(reply.body)
      // all customers of the WMS together have four modifications, and the references of all modifications form one
      // sequence
      expect(made).toMatchObject({
        reference: orLater('MOD00000000005'),
        status: 'created',
        reason: 'LOST',
        note,
      })
      expect(parseReference(made.reference)?.kind).toBe('modification')
      expect(made.modification_lines?.map(({ variant, quantity }) => [variant.id, quantity])).toEqual([
        [smallGoods.shirtRed, -2],
        [smallGoods.teaBox, 3],
      ])
      expect((await server.call(`/wms/modifications/${made.id}`)).body).toEqual(reply.body)
      const [newest] = await modifications('?limit=1')
      expect(newest).toMatchObject({ id: made.id, note })
    },
  )

  it('accepts a quantity that is sent as text', async () => {
    const reply = await book({ ...valid, modification_lines: [{ ...line, quantity: '-12' }] })
    expect(reply).toMatchObject({ status: 201, body: { modification_lines: [{ quantity: -12 }] } })
  })

  it('leaves the stock unchanged when a modification is created', async () => {
    const before = await batches()
    expect((await book(valid)).status).toBe(201)
    expect(await batches()).toEqual(before)
  })

  it('numbers the modifications of all customers in one sequence', async () => {
    const birch = { variant: smallGoods.birchVariant, location: smallGoods.shelf, quantity: 1 }
    const references: string[] = []
    for (const [customer, lines] of [
      ['ALDER', [line]],
      ['BIRCH', [birch]],
      ['ALDER', [line, line]],
    ] as const) {
      const body = { ...valid, modification_lines: lines }
      const reply = await server.call('/wms/modifications/', { method: 'POST', body, customer })
      references.push(modificationSchema.parse(reply.body).reference)
    }
    expect(references).toEqual(['MOD00000000005', 'MOD00000000006', 'MOD00000000007'].map(orLater))
    expect(new Set(references).size).toBe(3)
  })

  it.each([
    [{ note: undefined }, 'note'],
    [{ note: ' ' }, 'note'],
    [{ note: null }, 'note'],
    [{ reason: undefined }, 'reason'],
    [{ reason: 'lost' }, 'reason'],
    [{ modification_lines: undefined }, 'modificationLines'],
    [{ modification_lines: [] }, 'modificationLines'],
    [{ modification_lines: [{ ...line, quantity: 0 }] }, 'modificationLines.0.quantity'],
    [{ modification_lines: [line, { ...line, quantity: 1.5 }] }, 'modificationLines.1.quantity'],
    [{ modification_lines: [{ ...line, quantity: '2 pieces' }] }, 'modificationLines.0.quantity'],
    [{ modification_lines: [{ ...line, variant: 'A-1' }] }, 'modificationLines.0.variant'],
    [{ modification_lines: [line, { ...line, variant: smallId(99) }] }, 'modificationLines.1.variant'],
    [{ modification_lines: [{ ...line, variant: smallGoods.birchVariant }] }, 'modificationLines.0.variant'],
    [{ modification_lines: [{ ...line, location: smallId(99) }] }, 'modificationLines.0.location'],
    [{ modification_lines: [{ ...line, location: undefined }] }, 'modificationLines.0.location'],
  ])('refuses %j with an error under the name of the field, and stores nothing', async (change, field) => {
    const reply = await book({ ...valid, ...change })
    expect(reply.status).toBe(400)
    expect(
      Object.keys(z.object({ errors: z.record(z.string(), z.unknown()) }).parse(reply.body).errors),
    ).toEqual([field])
    expect(reply.body).toMatchObject({ errors: { [field]: [someText] } })
    expect(await modifications()).toHaveLength(3)
  })
})
