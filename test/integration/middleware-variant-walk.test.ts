import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Variant, variant } from '#shared/wire/variant.ts'
import { count } from '#support/counts.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallGoods } from '#support/small-goods.ts'
import { makeSmallWorld, smallId, smallIds } from '#support/small-world.ts'

const added = 70
const listed = z.array(variant)

let server: TestServer
beforeAll(async () => {
  const world = makeSmallWorld()
  const [pattern] = world.variants
  if (pattern === undefined) throw new Error('The small world has variants')
  // The variants share few names and times, so that pages begin and end between equal values. The order of their ids
  // differs from the order of the names and from the order of the times.
  const variants = Array.from({ length: added }, (_, index) => ({
    ...pattern,
    id: smallId(1000 + ((index * 11) % added)),
    articleCode: `W-${(index * 13) % added}`,
    name: `Name ${index % 3}`,
    createdAt: `2026-03-0${1 + (index % 4)}T10:00:00Z`,
  }))
  server = await startTestServer({ world: { ...world, variants: [...world.variants, ...variants] } })
})
afterAll(() => server.close())

async function page(query: Record<string, string | number>): Promise<Variant[]> {
  const parameters = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))
  return listed.parse((await server.call(`/wms/variants?${parameters.toString()}`)).body)
}

/**
 * Reads pages from the page number `first` up to and including the first page that is not full, and returns all their
 * variants.
 */
async function walk(
  query: Record<string, string | number>,
  limit: number,
  first: number,
): Promise<Variant[]> {
  const rows: Variant[] = []
  for (let number = first; ; number += 1) {
    const next = await page({ ...query, limit, page: number })
    rows.push(...next)
    if (next.length < limit) return rows
  }
}

const keys: Record<string, (row: Variant) => string> = {
  id: (row) => row.id,
  createdAt: (row) => row.created_at,
  modifiedAt: (row) => row.modified_at,
  name: (row) => row.name,
  articleCode: (row) => row.article_code,
}

const lists = fc.record({
  sort: fc.constantFrom(...Object.keys(keys)),
  direction: fc.constantFrom('asc', 'desc'),
})

describe('a read of all pages of the list of variants', () => {
  it('returns every variant of the customer exactly once and in order, for any sort key and limit', async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.integer({ min: 5, max: added + 10 }), async (query, limit) => {
        const rows = await walk(query, limit, 1)
        const ids = rows.map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
        expect(ids).toHaveLength(added + 3)
        expect(ids).not.toContain(smallGoods.birchVariant)
        const sortedBy = keys[query.sort] ?? ((row: Variant) => row.id)
        const found = rows.map((row) => [sortedBy(row), row.id] as const)
        const sign = query.direction === 'asc' ? 1 : -1
        const inOrder = found.toSorted((a, b) => sign * (compare(a[0], b[0]) || compare(a[1], b[1])))
        expect(found).toEqual(inOrder)
      }),
      { numRuns: count(20, 200), seed: 12 },
    )
  })

  it('that sorts by modifiedAt in descending order returns the most recently changed variants first', async () => {
    const query = { sort: 'modifiedAt', direction: 'desc' }
    const [newestBefore] = await page({ ...query, limit: 1 })
    const changed = [smallId(1003), smallId(1040), smallId(1069)]
    for (const id of changed) {
      server.clock.advance(1000)
      await server.call(`/wms/variants/${id}/`, { method: 'PATCH', body: { description: 'New' } })
    }
    const rows = await walk(query, 10, 0)
    const since = newestBefore?.modified_at ?? ''
    const newer = rows.filter((row) => row.modified_at > since).map(({ id }) => id)
    // Pages 0 and 1 are the same page, so a walk that begins at page 0 reads it twice.
    expect(newer).toEqual([...changed.toReversed(), ...changed.toReversed()])
    expect(rows[0]?.description).toBe('New')
  })

  it('returns no variant of another customer', async () => {
    const reply = await server.call('/wms/variants', { customer: 'BIRCH', expand: 'article' })
    expect(listed.parse(reply.body)).toMatchObject([{ article: { customer: smallIds.birch } }])
  })
})

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
