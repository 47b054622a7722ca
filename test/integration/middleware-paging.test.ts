import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { count } from '#support/counts.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { makeSmallWorld, smallId } from '#support/small-world.ts'

const total = 60
const listed = z.array(z.object({ id: z.string(), reference: z.string(), created_at: z.string() }))
type Listed = z.output<typeof listed>

let server: TestServer
beforeAll(async () => {
  const world = makeSmallWorld()
  const [pattern] = world.shipments
  if (pattern === undefined) throw new Error('The small world has shipments')
  // The records have only three different times, so that pages begin and end between records with the same time.
  const shipments = Array.from({ length: total }, (_, index) => ({
    ...pattern,
    id: smallId(1000 + ((index * 7) % total)),
    reference: `SHP${String(index).padStart(11, '0')}`,
    createdAt: `2026-03-0${1 + (index % 3)}T10:00:00Z`,
  }))
  server = await startTestServer({ world: { ...world, shipments } })
})
afterAll(() => server.close())

async function page(query: Record<string, string | number>): Promise<Listed> {
  const parameters = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))
  return listed.parse((await server.call(`/wms/shipments/?${parameters.toString()}`)).body)
}

const lists = fc.record({
  sort: fc.constantFrom('reference', 'createdAt'),
  direction: fc.constantFrom('asc', 'desc'),
  limit: fc.integer({ min: 7, max: total + 5 }),
  from: fc.constantFrom('2026-03-01', '2026-03-02'),
})

describe('paging of a list', () => {
  it('returns every row once and in order over all pages', async () => {
    await fc.assert(
      fc.asyncProperty(lists, async (query) => {
        const all = await page({ ...query, limit: 1000 })
        const pages: Listed = []
        for (let number = 1; ; number += 1) {
          const rows = await page({ ...query, page: number })
          pages.push(...rows)
          if (rows.length < query.limit) break
        }
        expect(pages).toEqual(all)
        expect(new Set(pages.map(({ id }) => id)).size).toBe(query.from === '2026-03-01' ? total : 40)
        const key = query.sort === 'reference' ? 'reference' : 'created_at'
        const keys = pages.map((row) => row[key])
        expect(keys).toEqual(query.direction === 'asc' ? keys.toSorted() : keys.toSorted().reverse())
      }),
      { numRuns: count(15, 150), seed: 7 },
    )
  })

  it('returns the same rows for page 0 and page 1, and 50 rows by default', async () => {
    const query = { sort: 'createdAt', direction: 'asc' }
    const first = await page(query)
    expect(first).toHaveLength(50)
    expect(await page({ ...query, page: 0 })).toEqual(first)
    expect(await page({ ...query, page: 1 })).toEqual(first)
    expect(await page({ ...query, page: 2 })).toHaveLength(10)
  })

  it('neither skips nor repeats a return label when return labels are created between the pages', async () => {
    const body = { shipment_id: smallId(1000) }
    for (let made = 0; made < 5; made += 1) await server.call('/wms/return-labels/', { method: 'POST', body })
    const ids = z.array(z.object({ id: z.string() }))
    const list = async (number: number): Promise<string[]> => {
      const reply = await server.call(`/wms/return-labels/?limit=3&direction=asc&page=${number}`)
      return ids.parse(reply.body).map(({ id }) => id)
    }
    const first = await list(1)
    await server.call('/wms/return-labels/', { method: 'POST', body })
    expect(new Set([...first, ...(await list(2))]).size).toBe(6)
  })
})
