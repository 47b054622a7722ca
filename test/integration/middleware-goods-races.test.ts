import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { count } from '#support/counts.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallIds } from '#support/small-world.ts'

const rounds = count(20, 200)

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const send = (method: string, path: string, body?: unknown, customer = 'ALDER'): Promise<Reply> =>
  server.call(path, { method, body, customer })

const idOf = ({ body }: Reply): string => (body as { id: string }).id

function statuses(replies: readonly Reply[]): number[] {
  return replies.map(({ status }) => status).sort((one, other) => one - other)
}

describe(`the middleware with simultaneous calls in ${rounds} rounds`, () => {
  it('gives an article code to only one of four calls that send it, and stores nothing of the refused calls', async () => {
    const winners = new Set<number>()
    for (let round = 0; round < rounds; round += 1) {
      const article_code = `RACE-${round}`
      const variants = [{ article_code: `${article_code}-b` }, { article_code }]
      const name = `Race ${round}`
      const calls = [
        () => send('POST', '/wms/variants/', { article: smallGoods.tea, article_code }),
        () => send('POST', '/wms/articles/', { name, variants }),
        () => send('POST', '/wms/articles/bulks/', { articles: [{ name }, { name, variants }] }),
        () => send('PATCH', `/wms/variants/${smallGoods.shirtBlue}/`, { article_code }),
      ]
      // In each round, another one of the four calls is sent first.
      const first = round % calls.length
      const replies = await Promise.all(
        [...calls.slice(first), ...calls.slice(0, first)].map((call) => call()),
      )
      const won = replies.findIndex(({ status }) => status < 400)
      winners.add((won + first) % calls.length)
      expect(replies.filter(({ status }) => status < 400)).toHaveLength(1)
      expect(replies.filter(({ status }) => status === 400)).toHaveLength(3)
      const found = await send('GET', `/wms/articles/?article_code=${article_code}`)
      expect(found.body).toHaveLength(1)
      const all = (await send('GET', '/wms/variants/?limit=1000')).body as { article_code: string }[]
      expect(all.filter((each) => each.article_code === article_code)).toHaveLength(1)
      // Gives the variant its previous article code again, if the PATCH call changed it.
      await send('PATCH', `/wms/variants/${smallGoods.shirtBlue}/`, { article_code: 'A-2' })
    }
    // The order of arrival, not the kind of the call, decides which call succeeds.
    expect(winners.size).toBeGreaterThan(1)
  })

  it('creates one new article at the destination of two transfers of the same article', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const article_code = `HAND-${round}`
      await send('POST', '/wms/variants/', { article: smallGoods.tea, article_code })
      const body = {
        customer: smallIds.alder,
        to_customer: smallIds.birch,
        external_reference: article_code,
        customer_to_customer_transfer_lines: [{ article_code, quantity: 1 }],
      }
      const path = '/wms/customer-to-customer-transfers/'
      expect(statuses(await Promise.all([send('POST', path, body), send('POST', path, body)]))).toEqual([
        201, 201,
      ])
      const articles = await send('GET', `/wms/articles/?article_code=${article_code}`, undefined, 'BIRCH')
      expect(articles.body).toHaveLength(1)
    }
  })

  it('reports the true result to each client that requests, cancels or changes the same transfer', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const path = '/wms/customer-to-customer-transfers/'
      const body = {
        customer: smallIds.alder,
        to_customer: smallIds.birch,
        external_reference: `MOVE-${round}`,
        customer_to_customer_transfer_lines: [{ article_code: 'A-1', quantity: 1 }],
      }
      const id = idOf(await send('POST', path, body))
      const calls = [
        () => send('PUT', `${path}${id}/request`),
        () => send('PUT', `${path}${id}/cancel`),
        () => send('PATCH', `${path}${id}/`, { external_reference: 'changed' }),
      ]
      const first = round % calls.length
      const replies = await Promise.all(
        [...calls.slice(first), ...calls.slice(0, first)].map((call) => call()),
      )
      const place = (index: number): Reply | undefined =>
        replies[(index - first + calls.length) % calls.length]
      expect(place(1)?.status).toBe(200)
      const { body: end } = await send('GET', `${path}${id}/`)
      const reference = place(2)?.status === 200 ? 'changed' : `MOVE-${round}`
      expect(end).toMatchObject({ status: 'cancelled', external_reference: reference })
      for (const { status } of replies) expect([200, 412]).toContain(status)
    }
  })

  it('keeps an accepted change of an inbound although the inbound is cancelled at the same time', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const made = await send('POST', '/wms/inbounds/', {
        external_reference: `IN-${round}`,
        inbound_date: '2026-06-20',
        inbound_lines: [{ article_code: 'A-1', quantity: 1 }],
      })
      const path = `/wms/inbounds/${idOf(made)}/`
      const change = { note: 'changed', inbound_lines: [{ article_code: 'A-0', quantity: 9 }] }
      const calls = [() => send('PATCH', path, change), () => send('PATCH', `${path}cancel/`)]
      if (round % 2 === 1) calls.reverse()
      const replies = await Promise.all(calls.map((call) => call()))
      if (round % 2 === 1) replies.reverse()
      const [changed, cancelled] = replies
      expect(cancelled?.status).toBe(204)
      expect([200, 412]).toContain(changed?.status)
      const { body: end } = await send('GET', path)
      const isChanged = changed?.status === 200
      expect(end).toMatchObject({
        status: 'cancelled',
        note: isChanged ? 'changed' : null,
        inbound_lines: [{ quantity: isChanged ? 9 : 1 }],
      })
    }
  })
})
