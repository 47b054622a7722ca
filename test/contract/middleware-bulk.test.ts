import { describe, expect, it } from 'vitest'
import { lastingServer } from '#support/lasting-server.ts'
import type { Reply } from '#support/middleware-server.ts'
import { makeSmallWorld, smallIds } from '#support/small-world.ts'

/** Any text: what is said is for people, and ids are the service's. */
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

describe.each(paths)('articles in bulk at %s', (path) => {
  it('answer as an array, in the order in which they were sent', async () => {
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

  it('are made all or none: a code in use, or twice among them', async () => {
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
  ])('refuse %j under its fields', async (body, fields) => {
    const reply = await post(path, body)
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual({ errors: Object.fromEntries(fields.map((field) => [field, [someText]])) })
    expect(await names()).toEqual(['Cardamom tea', 'Shirt'])
  })
})

describe('the two paths', () => {
  it('differ for a single article, which only the plain one takes', async () => {
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
