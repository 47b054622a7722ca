import { describe, expect, it } from 'vitest'
import { bodyLimits } from '#shared/wire/limits.ts'
import { readOperations } from '#support/api-operations.ts'
import { lastingServer } from '#support/lasting-server.ts'
import type { Reply } from '#support/middleware-server.ts'
import { makeSmallWorld, smallIds } from '#support/small-world.ts'

/** Matches any text, because these tests check neither the wording of messages nor ids, which the service chooses. */
const someText: unknown = expect.any(String)
const notUnique = ['Article code is not unique']
const server = lastingServer(makeSmallWorld)

const paths = ['/wms/articles/', '/wms/articles', '/wms/articles/bulks/', '/wms/articles/bulks']

const post = (path: string, body: unknown): Promise<Reply> => server.call(path, { method: 'POST', body })

async function names(): Promise<string[]> {
  const { body } = await server.call('/wms/articles/')
  return (body as { name: string }[]).map(({ name }) => name)
}

const lamp = {
  name: 'Lamp',
  variants: [
    { article_code: 'L-1', height: 1.5 },
    { article_code: 'L-2', name: 'Red' },
  ],
}
const vase = { name: 'Vase' }

describe.each(paths)('POST of several articles to %s', (path) => {
  it('returns the articles as an array, in the order in which they were sent', async () => {
    const reply = await post(path, { articles: [vase, lamp] })
    expect(reply.status).toBe(201)
    const made = {
      id: someText,
      customer: smallIds.alder,
      created_at: '2026-06-01T12:00:00+00:00',
      modified_at: '2026-06-01T12:00:00+00:00',
    }
    expect(reply.body).toEqual([
      { ...made, name: 'Vase', variants: [] },
      {
        ...made,
        name: 'Lamp',
        variants: [
          expect.objectContaining({ article_code: 'L-1', name: 'Lamp', height: 1.5, weight: null }),
          expect.objectContaining({ article_code: 'L-2', name: 'Red' }),
        ],
      },
    ])
    expect(await names()).toEqual(['Cardamom tea', 'Lamp', 'Shirt', 'Vase'])
  })

  it('creates none of the articles if a code is in use or is sent twice', async () => {
    const articles = [
      vase,
      lamp,
      {
        name: 'Third',
        variants: [{ article_code: 'L-3' }, { article_code: 'L-1' }, { article_code: 'A-1' }],
      },
    ]
    const reply = await post(path, { articles })
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual({
      errors: {
        '0': 'Article code is not unique',
        articleCode: notUnique,
        'articles.2.variants.1.articleCode': notUnique,
        'articles.2.variants.2.articleCode': notUnique,
      },
    })
    expect(await names()).toEqual(['Cardamom tea', 'Shirt'])
    const { body } = await server.call('/wms/variants/')
    expect(body).toHaveLength(3)
  })

  it.each([
    [{ articles: [] }, ['articles']],
    [{ articles: {} }, ['articles']],
    [{ articles: [{}, vase, { name: ' ' }, {}] }, ['articles.0.name', 'articles.2.name', 'articles.3.name']],
    [
      { articles: [{ name: 'Lamp', variants: [{}, { article_code: 'L-1', height: 'tall' }] }] },
      ['articles.0.variants.0.articleCode', 'articles.0.variants.1.height'],
    ],
  ])('refuses %j with an error under the name of each wrong field', async (body, fields) => {
    const reply = await post(path, body)
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual({ errors: Object.fromEntries(fields.map((field) => [field, [someText]])) })
    expect(await names()).toEqual(['Cardamom tea', 'Shirt'])
  })
})

describe('the paths /wms/articles/ and /wms/articles/bulks/', () => {
  it('treat a body with a single article differently: only /wms/articles/ accepts it', async () => {
    expect(await post('/wms/articles/', vase)).toMatchObject({ status: 201, body: { name: 'Vase' } })
    const bulks = await post('/wms/articles/bulks/', vase)
    expect(bulks).toMatchObject({ status: 400, body: { errors: { articles: [someText] } } })
    for (const body of [{}, { variants: [] }])
      expect(await post('/wms/articles/', body)).toMatchObject({
        status: 400,
        body: { errors: { name: [someText] } },
      })
  })
})

describe('a request body', () => {
  const articles = Array.from({ length: 1000 }, (_, index) => ({
    name: `Linen shirt number ${index}`,
    variants: Array.from({ length: 5 }, (_each, size) => ({
      article_code: `BULK-${index}-${size}`,
      name: `Linen shirt number ${index} size ${size}`,
      description: 'A shirt of washed linen with a small collar and two pockets.',
      ean: String(8_700_000_000_000 + index * 5 + size),
      sku: `SKU-${index}-${size}`,
      hs_tariff_code: '62052000',
      height: 20,
      width: 300,
      depth: 200,
      weight: 350,
      country_of_origin: 'PT',
      value: 19.95,
    })),
  }))

  it('may contain 1000 articles, each with five variants with texts of usual length', async () => {
    expect(JSON.stringify({ articles }).length).toBeGreaterThan(1_440_000)
    // The body has far fewer structural characters (opening brackets and braces, and commas) than the limit that is
    // checked before a body is parsed.
    expect(JSON.stringify({ articles }).match(/[[{,]/g)?.length).toBeLessThan(bodyLimits.values / 3)
    const reply = await post('/wms/articles/bulks/', { articles })
    expect(reply.status).toBe(201)
    expect(reply.body).toHaveLength(1000)
  })

  it('may contain at most 800,000 characters in the names and codes of all its variants in total', async () => {
    const variants = Array.from({ length: 1000 }, (_, index) => ({
      article_code: `LONG-${index}`.padEnd(100, '-'),
      ean: 'e'.repeat(100),
      sku: 's'.repeat(100),
      // the description does not count towards the 800,000 characters
      description: 'A shirt of washed linen with a small collar and two pockets.',
    }))
    // each variant takes the name of its article, so the name counts towards the limit once for each variant
    const name = 'x'.repeat(500)
    const longer = variants.map((variant, index) => ({
      ...variant,
      ...(index === 999 && { sku: 's'.repeat(101) }),
    }))
    expect(await post('/wms/articles/', { name, variants: longer })).toMatchObject({
      status: 400,
      body: { errors: { variants: [expect.stringContaining('800000 characters or less')] } },
    })
    const halves = [longer.slice(0, 500), longer.slice(500)].map((half) => ({ name, variants: half }))
    expect(await post('/wms/articles/bulks/', { articles: halves })).toMatchObject({
      status: 400,
      body: { errors: { articles: [expect.stringContaining('800000 characters or less')] } },
    })
    expect(await names()).toEqual(['Cardamom tea', 'Shirt'])
    const made = await post('/wms/articles/', { name, variants })
    expect(made.status).toBe(201)
    expect((made.body as { variants: unknown[] }).variants).toHaveLength(1000)
  })

  it('is refused with 413 if it has more than 16 MiB, and with 415 if it is not JSON', async () => {
    const name = 'x'.repeat(16 * 1024 * 1024)
    expect(await post('/wms/articles/bulks/', { articles: [{ name }] })).toMatchObject({
      status: 413,
      body: { code: 413, message: someText },
    })
    const headers = { 'content-type': 'text/csv' }
    const call = { method: 'POST', body: 'name;Lamp', headers }
    expect(await server.call('/wms/articles/bulks/', call)).toMatchObject({
      status: 415,
      body: { code: 415 },
    })
  })

  it.each(readOperations().filter(({ method }) => method !== 'GET'))(
    'can be refused with 413 and 415, which the documentation of $name lists',
    ({ statuses }) => {
      expect([...statuses]).toEqual(expect.arrayContaining([413, 415]))
    },
  )
})
