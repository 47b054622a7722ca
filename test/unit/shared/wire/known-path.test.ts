import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { knownPath } from '#shared/wire/known-path.ts'

const line = z.object({ count: z.number() }).transform(({ count }) => count)
const row = z.object({
  id: z.string(),
  lines: z.array(line),
  sender: z.union([z.object({ name: z.string() }), z.object({ street: z.string().nullable() })]).optional(),
  pairs: z.record(z.string(), z.object({ value: z.string() })),
})

describe('the logged path of a value', () => {
  it.each([
    [['lines', 3, 'count'], 'lines.3.count'],
    [['sender', 'street'], 'sender.street'],
    [[], ''],
  ])('contains each index and each name that the schema contains: %j', (path, text) => {
    expect(knownPath(row, path)).toBe(text)
  })

  it.each([
    [['Anna-de-Vries'], '?'],
    [['pairs', 'anna@example.com', 'value'], 'pairs.?.value'],
    [['lines', '3', 'count'], 'lines.?.count'],
    [['toString'], '?'],
    [['lines', Symbol('count')], 'lines.?'],
    [['lines', -1], 'lines.?'],
  ])('contains ? in place of each name that is not in the schema: %j', (path, text) => {
    expect(knownPath(row, path)).toBe(text)
  })

  it('contains at most eight names and indexes', () => {
    expect(
      knownPath(
        row,
        Array.from({ length: 20 }, () => 'id'),
      ),
    ).toBe(Array(8).fill('id').join('.'))
  })
})
