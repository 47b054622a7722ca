import { describe, expect, it } from 'vitest'
import { lastingServer } from '#support/lasting-server.ts'
import type { CallOptions, Reply } from '#support/middleware-server.ts'
import { smallId } from '#support/small-id.ts'
import { blueShirt } from '#support/small-shirts.ts'
import { makeMovingWorld, smallMoves } from '#support/small-moves.ts'

/** Matches any text, because tests check neither the wording of messages nor the ids that the service chooses. */
const someText: unknown = expect.any(String)
const [first = '', second = ''] = smallMoves.bundles
const path = '/wms/variant-bundles/'
const expand = 'variant_bundle_items'

const server = lastingServer(makeMovingWorld)

const send = (method: 'POST' | 'PATCH', at: string, body: unknown, options: CallOptions = {}) =>
  server.call(at, { method, body, ...options })

function ids({ body }: Reply): string[] {
  return (body as { id: string }[]).map(({ id }) => id)
}

describe('GET /wms/variant-bundles/', () => {
  it('returns a bare array of bundles, with their items only if Expand names the group of the items', async () => {
    const reply = await server.call(path)
    expect(reply.status).toBe(200)
    expect(ids(reply)).toEqual([first, second])
    expect((reply.body as unknown[])[1]).toEqual({ id: second, bundled_variant: blueShirt })
    expect((await server.call(path, { expand })).body).toEqual([
      {
        id: first,
        bundled_variant: expect.objectContaining({ article_code: 'A-0' }) as unknown,
        variant_bundle_items: [
          {
            id: smallId(2510),
            variant: expect.objectContaining({ article_code: 'A-1' }) as unknown,
            quantity: 1,
          },
          { id: smallId(2511), variant: blueShirt, quantity: 2 },
        ],
      },
      expect.objectContaining({ id: second }),
    ])
  })

  it.each([
    ['?direction=desc', [second, first]],
    ['?limit=1', [first]],
    ['?limit=1&page=0', [first]],
    ['?limit=1&page=2', [second]],
    ['?from=2026-05-02', [second]],
    ['?to=2026-05-01', [first]],
    // the list has no sort field, so `sort` is ignored
    ['?sort=name', [first, second]],
  ])('returns the bundles that match the query %s', async (query, expected) => {
    expect(ids(await server.call(path + query))).toEqual(expected)
  })

  it.each(['limit=0', 'limit=1001', 'direction=up', 'from=may'])('refuses the query %s', async (query) => {
    const [field = ''] = query.split('=')
    const reply = await server.call(`${path}?${query}`)
    expect(reply).toMatchObject({ status: 400, body: { errors: { [field]: [someText] } } })
  })
})

describe('GET /wms/variant-bundles/:id/', () => {
  it('returns a bundle, with its items only if Expand names their group', async () => {
    expect((await server.call(path + second)).body).toEqual({ id: second, bundled_variant: blueShirt })
    expect((await server.call(`${path}${second}/`, { expand })).body).toEqual({
      id: second,
      bundled_variant: blueShirt,
      variant_bundle_items: [
        {
          id: smallId(2520),
          variant: expect.objectContaining({ article_code: 'A-1' }) as unknown,
          quantity: 1,
        },
      ],
    })
  })
})

const valid = { variant_bundle: 'A-1', variant_bundle_items: [{ article_code: 'A-0', quantity: 2 }] }

describe('POST /wms/variant-bundles/', () => {
  it('creates a bundle from article codes, EANs or SKUs, and merges repeated items', async () => {
    const body = {
      variant_bundle: 8712345678906,
      variant_bundle_items: [
        { article_code: 'SKU-A-0', quantity: '2' },
        { article_code: '4006381333931', quantity: 1 },
        { article_code: 'A-0', quantity: 3 },
      ],
    }
    const reply = await send('POST', path, body, { expand })
    expect(reply).toMatchObject({
      status: 201,
      body: {
        bundled_variant: { article_code: 'A-1' },
        variant_bundle_items: [
          { variant: { article_code: 'A-0' }, quantity: 5 },
          { variant: { article_code: 'A-2' }, quantity: 1 },
        ],
      },
    })
    const { id } = reply.body as { id: string }
    expect((await server.call(path + id, { expand })).body).toEqual(reply.body)
    expect(ids(await server.call(path))).toEqual([first, second, id])
  })

  it('returns the bundle without its items if their group is not expanded', async () => {
    const reply = await send('POST', path, valid)
    expect(reply).toMatchObject({ status: 201, body: { bundled_variant: { article_code: 'A-1' } } })
    expect(reply.body).not.toHaveProperty('variant_bundle_items')
  })

  const item = { article_code: 'A-0', quantity: 1 }
  it.each([
    [{ variant_bundle: undefined }, 'variantBundle'],
    [{ variant_bundle: '' }, 'variantBundle'],
    [{ variant_bundle: 'A-99' }, 'variantBundle'],
    [{ variant_bundle: 'B-1' }, 'variantBundle'],
    // The variant A-2 represents another bundle already.
    [
      { variant_bundle: 'A-2', variant_bundle_items: [{ article_code: 'A-1', quantity: 1 }] },
      'variantBundle',
    ],
    [{ variant_bundle_items: undefined }, 'variantBundleItems'],
    [{ variant_bundle_items: [] }, 'variantBundleItems'],
    [{ variant_bundle_items: [{ quantity: 1 }] }, 'variantBundleItems.0.articleCode'],
    [{ variant_bundle_items: [item, { ...item, article_code: 'B-1' }] }, 'variantBundleItems.1.articleCode'],
    // A bundle must not contain the variant that represents it.
    [{ variant_bundle_items: [{ ...item, article_code: 'A-1' }] }, 'variantBundleItems.0.articleCode'],
    [{ variant_bundle_items: [{ ...item, quantity: 0 }] }, 'variantBundleItems.0.quantity'],
    [{ variant_bundle_items: [{ ...item, quantity: 0.5 }] }, 'variantBundleItems.0.quantity'],
  ])('refuses %j with an error under the name of the field, and creates nothing', async (change, field) => {
    const reply = await send('POST', path, { ...valid, ...change })
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual({ errors: { [field]: [someText] } })
    expect(ids(await server.call(path))).toHaveLength(2)
  })

  it('creates only one bundle of a variant if two equal requests arrive at the same time', async () => {
    const replies = await Promise.all([send('POST', path, valid), send('POST', path, valid)])
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 400])
  })
})

describe('PATCH /wms/variant-bundles/:id/', () => {
  it('replaces the items of a bundle', async () => {
    const body = { variant_bundle: 'A-1', variant_bundle_items: [{ article_code: 'A-1', quantity: 9 }] }
    const reply = await send('PATCH', `${path}${first}/`, body, { expand })
    expect(reply).toMatchObject({
      status: 200,
      body: { id: first, bundled_variant: { article_code: 'A-0' } },
    })
    const { variant_bundle_items: items } = reply.body as { variant_bundle_items: unknown[] }
    expect(items).toHaveLength(1)
    expect(items).toMatchObject([{ variant: { article_code: 'A-1' }, quantity: 9 }])
    expect((await server.call(path + first, { expand })).body).toEqual(reply.body)
  })

  it.each(['', '[]', '{}'])('changes nothing in a bundle if the body is "%s"', async (body) => {
    const before = await server.call(path + first, { expand })
    const headers = { 'content-type': 'application/json' }
    const reply = await send('PATCH', path + first, body, { headers, expand })
    expect(reply).toMatchObject({ status: 200, body: before.body as object })
  })

  it('refuses a list of items that is empty or has a wrong item, and changes nothing', async () => {
    const before = (await server.call(path + first, { expand })).body
    for (const items of [[], [{ article_code: 'A-0', quantity: 1 }], [{ article_code: 'B-1', quantity: 1 }]])
      expect((await send('PATCH', path + first, { variant_bundle_items: items })).status).toBe(400)
    expect((await server.call(path + first, { expand })).body).toEqual(before)
  })
})

describe('bundles of another customer', () => {
  it('are not found', async () => {
    expect(ids(await server.call(path, { customer: 'BIRCH' }))).toEqual([smallMoves.birchBundle])
    for (const id of [smallMoves.birchBundle, smallId(999), 'none']) {
      expect((await server.call(path + id)).status).toBe(404)
      expect((await send('PATCH', path + id, valid)).status).toBe(404)
    }
  })
})
