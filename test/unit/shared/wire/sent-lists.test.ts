import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { articlesCreate } from '#shared/wire/article.ts'
import { sentList } from '#shared/wire/loose.ts'
import { receipt } from '#shared/wire/warehouse.ts'
import { servedRoutes } from '#shared/wire/warehouse-routes.ts'

const repeat = <Value>(value: Value, times: number): Value[] => Array.from({ length: times }, () => value)

describe('a list in a request', () => {
  const list = sentList(z.coerce.number()).min(1).max(100)

  it('has the values and the messages of a plain list', () => {
    const plain = z.array(z.coerce.number()).min(1).max(100)
    for (const sent of [['1', '2'], [], repeat(1, 101), ['1', 'x', '3', 'y'], 'x', undefined, null, { 0: 1 }])
      expect(list.safeParse(sent)).toEqual(plain.safeParse(sent))
    expect(z.toJSONSchema(list)).toEqual(z.toJSONSchema(plain))
  })

  it('is checked no further after 50 wrong values', () => {
    const issues = list.safeParse(repeat('x', 90)).error?.issues ?? []
    expect(issues.map(({ path }) => path)).toEqual(Array.from({ length: 50 }, (_, at) => [at]))
  })
})

describe('a refused body', () => {
  const variant = {
    article_code: '',
    ean: true,
    weight: 'x',
    height: 'y',
    value: 'z',
    country_of_origin: 'XX',
  }
  it.each([
    ['articles', articlesCreate, { articles: repeat({ name: 'n', variants: repeat(variant, 8) }, 990) }],
    [
      'a receipt',
      receipt,
      { complete: true, lines: repeat({ variant: 'x', serial_numbers: repeat('', 4900) }, 20) },
    ],
  ])('has few messages, however many of its nested values are wrong: %s', (_name, schema, body) => {
    const issues = schema.safeParse(body).error?.issues ?? []
    expect(issues.length).toBeGreaterThanOrEqual(50)
    expect(issues.length).toBeLessThan(150)
  })

  it('is bounded in this way at every list of every call', () => {
    const bodies = Object.entries(servedRoutes).flatMap(([name, route]) =>
      'body' in route ? plainLists(route.body, name) : [],
    )
    expect(bodies).toEqual([])
  })
})

/** Returns the name of the call once for each list in the schema that is not a sent list. */
function plainLists(schema: z.core.$ZodType, call: string): string[] {
  const { def, traits } = schema._zod
  const own = def.type === 'array' && !traits.has('SentList') ? [call] : []
  const parts = Object.values(def).flatMap((value: unknown) =>
    typeof value === 'object' && value !== null ? [value, ...(Object.values(value) as unknown[])] : [],
  )
  const inner = parts.flatMap((part) => (part instanceof z.core.$ZodType ? plainLists(part, call) : []))
  return [...own, ...inner]
}
