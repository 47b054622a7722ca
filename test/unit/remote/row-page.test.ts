import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { rowPage, wholeList } from '#remote/row-page.ts'
import { mostEntries, otherText, rowsMargin } from '#shared/wire/limits.ts'

const row = z.object({ id: z.string(), lines: z.array(z.object({ count: z.number() })).optional() })
const page = rowPage(row)

/** Rows that count how many of them were looked at. */
function counted(length: number, make: (at: number) => object): { rows: unknown[]; looked: () => number } {
  let looks = 0
  const rows = Array.from({ length }, (_, at) => make(at))
  const watched = new Proxy(rows, {
    get(target, name, receiver) {
      if (typeof name === 'string' && /^\d+$/.test(name)) looks++
      return Reflect.get(target, name, receiver) as unknown
    },
  })
  return { rows: watched, looked: () => looks }
}

describe('the rows of a list', () => {
  it('are looked at up to the number asked for and a margin, and the rest counts as one that was left out', () => {
    const { rows, looked } = counted(50_000, (at) => ({ id: String(at) }))
    const read = page(10).parse(rows)
    expect(looked()).toBeLessThanOrEqual(10 + rowsMargin)
    expect(read.rows).toHaveLength(10 + rowsMargin)
    expect(read.skipped).toEqual([{ id: null, problem: ': too_many_rows' }])
  })

  it('are not the service’s after a hundred that cannot be read: the list is refused as a whole', () => {
    expect(page(1_000).safeParse(Array.from({ length: 2_000 }, () => ({}))).success).toBe(false)
  })

  it('that cannot be read do not hide the others, as long as most can', () => {
    const mixed = Array.from({ length: 900 }, (_, at) => (at % 3 === 2 ? { id: at } : { id: String(at) }))
    const read = page(900).parse(mixed)
    expect(read.rows).toHaveLength(600)
    expect(read.skipped).toHaveLength(300)
  })

  it('with too long a text or list are left out and named, before the schema looks at them', () => {
    const long = { id: 'long', note: 'x'.repeat(otherText + 1), more: 'x' }
    const wide = { id: 'wide', lines: Array.from({ length: mostEntries + 1 }, () => ({})) }
    const texts = { id: 'texts', name: 'x'.repeat(otherText + 1) }
    expect(page(10).parse([{ id: 'a' }, long, wide, texts]).skipped).toEqual([
      { id: 'wide', problem: 'lines: too_big' },
      { id: 'texts', problem: 'name: too_big' },
    ])
  })

  it('with thousands of wrong lines end the list after some of them', () => {
    const wrong = { id: 'a', lines: Array.from({ length: mostEntries }, () => ({})) }
    const good = { id: 'b' }
    const rows = Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? good : wrong))
    expect(page(100).safeParse(rows).success).toBe(false)
  })

  it('that must be whole do not fit with one that cannot be read', () => {
    expect(wholeList(row).parse([{ id: 'a' }])).toEqual([{ id: 'a' }])
    expect(wholeList(row).safeParse([{ id: 'a' }, {}]).success).toBe(false)
  })

  it('are those of a list: anything else does not fit', () => {
    expect(page(10).safeParse({}).success).toBe(false)
    expect(page(10).safeParse(null).success).toBe(false)
  })
})
