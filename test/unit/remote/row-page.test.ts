import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { rowPage, wholeList } from '#remote/row-page.ts'
import { mostEntries, otherText, rowsMargin } from '#shared/wire/limits.ts'
import { returnLabel } from '#shared/wire/return-label.ts'
import { smallId } from '#support/small-world.ts'

const row = z.object({
  id: z.string(),
  name: z.string().optional(),
  lines: z.array(z.object({ count: z.number() })).optional(),
})
const page = rowPage(row)

/** Creates rows. `looked` returns how many of these rows were read. */
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

describe('the rows of a list of the service', () => {
  it('are read up to the requested number plus a margin; all further rows count as one left-out row', () => {
    const { rows, looked } = counted(50_000, (at) => ({ id: String(at) }))
    const read = page(10).parse(rows)
    expect(looked()).toBeLessThanOrEqual(10 + rowsMargin)
    expect(read.rows).toHaveLength(10 + rowsMargin)
    expect(read.skipped).toEqual([{ id: null, problem: ': too_many_rows' }])
  })

  it('are all refused if more than half of them, and more than a hundred, are unreadable', () => {
    expect(page(1_000).safeParse(Array.from({ length: 2_000 }, () => ({}))).success).toBe(false)
  })

  it('are read despite unreadable rows if most rows are readable', () => {
    const mixed = Array.from({ length: 900 }, (_, at) => (at % 3 === 2 ? { id: at } : { id: String(at) }))
    const read = page(900).parse(mixed)
    expect(read.rows).toHaveLength(600)
    expect(read.skipped).toHaveLength(300)
  })

  it('are read despite hundreds of unreadable rows in one place if most rows of the page are readable', () => {
    const bad = Array.from({ length: 400 }, (_, at) => ({ id: at }))
    const good = Array.from({ length: 600 }, (_, at) => ({ id: String(at) }))
    for (const rows of [
      [...bad, ...good],
      [...good, ...bad],
      [...good.slice(0, 300), ...bad, ...good.slice(300)],
    ]) {
      const read = page(1_000).parse(rows)
      expect([read.rows.length, read.skipped.length]).toEqual([600, 400])
    }
  })

  it('are no longer read when so few rows remain that most rows of the page cannot be readable any more', () => {
    const rows = Array.from({ length: 1_000 }, () => ({}))
    let checks = 0
    const wrong = z.custom(() => {
      checks++
      return false
    })
    expect(rowPage(wrong)(1_000).safeParse(rows).success).toBe(false)
    expect(checks).toBe(501)
  })

  it('are left out and reported if they have a text or a list that is too long', () => {
    const long = { id: 'long', note: 'x'.repeat(otherText + 1), more: 'x' }
    const wide = { id: 'wide', lines: Array.from({ length: mostEntries + 1 }, () => ({})) }
    const texts = { id: 'texts', name: 'x'.repeat(otherText + 1) }
    const foreign = { id: 'foreign', 'Anna de Vries': 'x'.repeat(otherText + 1) }
    expect(page(10).parse([{ id: 'a' }, long, wide, texts, foreign]).skipped).toEqual([
      { id: 'wide', problem: 'lines: too_big' },
      { id: 'texts', problem: 'name: too_big' },
      { id: 'foreign', problem: '?: too_big' },
    ])
  })

  it('are left out if they have thousands of wrong lines', () => {
    const wrong = { id: 'a', lines: Array.from({ length: mostEntries }, () => ({})) }
    const good = { id: 'b' }
    const rows = Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? good : wrong))
    const read = page(100).parse(rows)
    expect([read.rows.length, read.skipped.length]).toEqual([50, 50])
  })

  it('count as unreadable after a check of only some entries of their lists if many of these entries are wrong', () => {
    let looks = 0
    const wrong = z.custom(() => {
      looks++
      return false
    })
    const lines = Array.from({ length: 600 }, () => ({}))
    const lined = rowPage(z.object({ lines: z.array(wrong), label: z.object({ parcels: z.array(wrong) }) }))
    const rows = Array.from({ length: 150 }, () => ({ lines, label: { parcels: lines } }))
    expect(lined(200).safeParse(rows).success).toBe(false)
    expect(looks).toBeLessThan(5_000)
    looks = 0
    expect(lined(1).parse(rows.slice(0, 1)).skipped).toHaveLength(1)
    expect(looks).toBeLessThan(50)
  })

  it('include no row with a wrong entry, even among thousands of correct entries', () => {
    const lines = Array.from({ length: 3_000 }, (_, at) => (at === 2_999 ? {} : { count: at }))
    const [whole] = page(2).parse([{ id: 'a', lines: lines.slice(0, -1) }]).rows
    expect(whole?.lines).toHaveLength(2_999)
    expect(page(2).parse([{ id: 'a', lines }]).skipped).toEqual([
      { id: 'a', problem: 'lines.2999.count: invalid_type' },
    ])
  })

  it('are read despite unreadable rows with many errors each if most rows are readable', () => {
    const line = z.union([z.object({ a: z.string(), b: z.string() }), z.object({ c: z.string() })])
    const formed = rowPage(z.object({ lines: z.array(line) }))
    const rows = Array.from({ length: 1_000 }, (_, at) => ({
      lines: Array.from({ length: at % 20 < 9 ? 20 : 0 }, () => ({})),
    }))
    const read = formed(1_000).parse(rows)
    expect([read.rows.length, read.skipped.length]).toEqual([550, 450])
  })

  it('are read on a page of return labels even if the long shipments of seven labels have numbers in place of texts', () => {
    const lines = Array.from({ length: 21 }, () => ({
      shipped_quantity: '1',
      shipped_ean: 1,
      shipped_article_code: 2,
      shipped_sku: 3,
      serial_numbers: Array.from({ length: 20 }, () => 5),
      variant: { id: 12_345, name: 5, ean: {}, sku: 4, article_code: 3 },
    }))
    const label = (at: number): object => ({
      id: smallId(at),
      external_reference: null,
      url: null,
      created_at: '2026-11-30T08:00:00Z',
      tracking_information: [],
      sender_address: null,
      shipment: {
        id: smallId(at),
        customer: smallId(1),
        reference: 'R',
        po_number: null,
        order_external_reference: null,
        shipment_external_reference: null,
        created_at: '2026-11-30T08:00:00Z',
        shipment_lines: at < 7 ? lines : [],
      },
    })
    const read = rowPage(returnLabel)(100).parse(Array.from({ length: 100 }, (_, at) => label(at)))
    expect([read.rows.length, read.skipped.length]).toEqual([93, 7])
    expect(read.skipped[0]?.problem).toBe('shipment.shipment_lines.0.shipped_quantity: invalid_type')
  })

  it('are checked one by one, each row only up to its own first wrong value', () => {
    let looks = 0
    const wrong = z.custom(() => {
      looks++
      return false
    })
    const lined = rowPage(z.object({ a: wrong, b: wrong, lines: z.array(wrong) }))
    const rows = Array.from({ length: 90 }, () => ({ lines: Array.from({ length: 20 }, () => ({})) }))
    expect(lined(90).parse(rows).skipped).toHaveLength(90)
    expect(looks).toBe(90)
  })

  it('cause fewer than 5,000 errors on a page of 1,000 rows, although every second row has 20 wrong ids and a wrong id does not end the check of its row', () => {
    let errors = 0
    const wrong = z.guid({
      error: () => {
        errors++
        return 'no id'
      },
    })
    const lined = rowPage(z.object({ lines: z.array(wrong) }))
    const rows = Array.from({ length: 1_000 }, (_, at) => ({
      lines: Array.from({ length: at % 2 === 0 ? 20 : 0 }, () => 'x'),
    }))
    expect(lined(1_000).parse(rows).skipped).toHaveLength(500)
    expect(errors).toBeLessThan(5_000)
  })

  it('are all refused because of one unreadable row if the list must be complete', () => {
    expect(wholeList(row).parse([{ id: 'a' }])).toEqual([{ id: 'a' }])
    expect(wholeList(row).safeParse([{ id: 'a' }, {}]).success).toBe(false)
  })

  it('are refused if the response is not a list', () => {
    expect(page(10).safeParse({}).success).toBe(false)
    expect(page(10).safeParse(null).success).toBe(false)
  })
})
